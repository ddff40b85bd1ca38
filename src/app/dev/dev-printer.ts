import type { Note } from '../../execution/effects.js';
import { intentText } from '../../backtest/test-story.js';
import type { Intent } from '../../strategy/intent.js';
import type { HostWatch } from '../../strategy/host/strategy-host.js';

export type DevKind =
  | 'dev'
  | 'intent'
  | 'explains'
  | 'refused'
  | 'fill'
  | 'info'
  | 'warn'
  | 'error'
  | 'reloaded'
  | 'broken';

export interface DevEvent {
  readonly kind: DevKind;
  readonly strategy?: string;
  readonly text: string;
}

/** What a bot does, as it does it: a line each, for people or of JSON. */
export class DevPrinter {
  readonly watch: HostWatch;
  readonly #write: (text: string) => void;
  readonly #json: boolean;
  readonly #venueNow: () => number;
  /** A strategy that says the same on every candle is heard once. */
  readonly #last = new Map<string, string>();
  #strategy = '';

  constructor(write: (text: string) => void, json: boolean, venueNow: () => number) {
    this.#write = write;
    this.#json = json;
    this.#venueNow = venueNow;
    this.watch = {
      candle: ({ id }) => {
        this.#strategy = id;
      },
      asked: (intent) => {
        this.#asked(intent);
      },
      done: () => undefined,
    };
  }

  print({ kind, strategy, text }: DevEvent): void {
    const time = new Date(this.#venueNow()).toISOString();
    if (this.#json)
      this.#write(
        `${JSON.stringify({ time, kind, ...(strategy !== undefined && { strategy }), text })}\n`,
      );
    else {
      const who = strategy === undefined ? '' : `${strategy}  `;
      this.#write(`${time.slice(5, 19).replace('T', ' ')}  ${kind.padEnd(8)}  ${who}${text}\n`);
    }
  }

  /** What the engine and its hosts tell people. */
  readonly note = (note: Note): void => {
    const event = eventOf(note);
    const isRepeat =
      event.kind === 'explains' && this.#isRepeat(`explains ${event.strategy}`, event.text);
    if (!isRepeat) this.print(event);
  };

  #asked(intent: Intent): void {
    const strategy = this.#strategy;
    const symbol = 'symbol' in intent ? intent.symbol : '';
    const text = intentText(intent);
    if (this.#isRepeat(`intent ${strategy} ${symbol}`, text)) return;
    this.print({ kind: 'intent', strategy, text });
  }

  #isRepeat(key: string, text: string): boolean {
    const repeated = this.#last.get(key) === text;
    this.#last.set(key, text);
    return repeated;
  }
}

const OF_STRATEGY = /^([A-Za-z0-9][\w-]*): ([\s\S]*)$/;

function eventOf({ level, text, fields = {} }: Note): DevEvent {
  const [, id, rest] = OF_STRATEGY.exec(text) ?? [];
  const own = { text: rest ?? text, ...(id !== undefined && { strategy: id }) };
  if (/^refused: /.test(own.text))
    return { ...own, kind: 'refused', text: own.text.slice('refused: '.length) };
  if (/^(bought|sold) /.test(own.text)) return { ...own, kind: 'fill' };
  if (level === 'info' && fields['strategy'] !== undefined) return { ...own, kind: 'explains' };
  return { ...own, kind: level };
}
