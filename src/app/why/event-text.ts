import type { EventStory } from './story.js';

/** An event in one line. */
export function eventText(event: EventStory): string {
  switch (event.kind) {
    case 'candle':
    case 'second':
    case 'mark-candle': {
      const { values, symbol, open_time: open, session } = event;
      const [, , interval = ''] = event.key.split(':');
      const length = event.kind === 'candle' ? ` ${interval}` : '';
      const place = session === undefined ? '' : `, record ${session}`;
      const what = `${event.kind} ${symbol}${length} ${spaced(open)}`;
      if (values === undefined)
        return `${what} (its values are not in the record${since(event)}${place})`;
      const { open: o, high, low, close, volume } = values;
      const history = values.live ? '' : ', history';
      return `${what}  open ${o} high ${high} low ${low} close ${close} volume ${volume}${history}${place}`;
    }
    case 'fill':
      return `fill of ${event.order ?? event.of}`;
    case 'round':
      return `all ${event.interval} candles that closed at ${spaced(event.close_time)}`;
    case 'timer':
      return `timer ${event.timer} at ${spaced(event.time)}`;
    case 'operator': {
      const { command_id: id, time, command } = event;
      const when = time === undefined ? '' : ` at ${spaced(time)}`;
      return `operator's command ${id}${when}${command === undefined ? '' : ` ${JSON.stringify(command)}`}`;
    }
  }
}

/** Where older sessions were deleted. */
const since = ({ recorded_since: time }: { readonly recorded_since?: string }): string =>
  time === undefined ? '' : `, which begins at ${spaced(time)}: older sessions are deleted`;

const spaced = (time: string): string => time.replace('T', ' ');
