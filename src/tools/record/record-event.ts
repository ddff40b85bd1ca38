/** An event of a recorder. Times are ms UTC. */
export type RecordEvent =
  | { readonly event: 'note'; readonly text: string }
  /** The venue names the rate of the next settlement. */
  | {
      readonly event: 'rate' | 'settlement';
      readonly symbol: string;
      readonly rate: number;
      readonly settlementMs: number;
    }
  /** A settlement whose rate was not read shortly before it. */
  | {
      readonly event: 'missed';
      readonly symbol: string;
      readonly settlementMs: number;
      readonly readMs: number;
    }
  | { readonly event: 'candles'; readonly kind: string; readonly rows: number };

const instant = (ms: number): string => new Date(ms).toISOString();

/** The event as `--json` prints it. */
export function eventJson(event: RecordEvent): Readonly<Record<string, unknown>> {
  switch (event.event) {
    case 'rate':
    case 'settlement': {
      const { settlementMs, ...rest } = event;
      return { ...rest, settlement: instant(settlementMs) };
    }
    case 'missed':
      return {
        event: 'missed',
        symbol: event.symbol,
        settlement: instant(event.settlementMs),
        last_read: instant(event.readMs),
      };
    case 'note':
    case 'candles':
      return event;
  }
}

/** The event for people; undefined: it is in the status line alone. */
export function eventText(event: RecordEvent): string | undefined {
  switch (event.event) {
    case 'rate':
    case 'candles':
      return undefined;
    case 'settlement':
      return `${event.symbol}: funding of ${instant(event.settlementMs)} recorded: ${event.rate}`;
    case 'missed':
      return `${event.symbol}: the settlement of ${instant(event.settlementMs)} is a gap: its rate was last read at ${instant(event.readMs)}, more than 10 min before it`;
    case 'note':
      return event.text;
  }
}
