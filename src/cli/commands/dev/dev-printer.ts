import type { Note } from '../../../execution/effects.js';
import { intentText } from '../../../testing/event-log.js';
import type { Intent } from '../../../strategy/contract/intent.js';
import type { HostObserver } from '../../../strategy/host/strategy-host.js';

export type DevEventKind =
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
  readonly kind: DevEventKind;
  readonly strategy?: string;
  readonly text: string;
}

/** Prints the events of a bot as they happen, one line each, as text or JSON. */
export class DevPrinter {
  readonly hostObserver: HostObserver;
  readonly #write: (text: string) => void;
  readonly #json: boolean;
  readonly #venueNow: () => number;
  /** Last text by source, so that a text repeated on every candle is printed once. */
  readonly #lastTexts = new Map<string, string>();
  #strategy = '';

  constructor(write: (text: string) => void, json: boolean, venueNow: () => number) {
    this.#write = write;
    this.#json = json;
    this.#venueNow = venueNow;
    this.hostObserver = {
      onCandle: ({ id }) => {
        this.#strategy = id;
      },
      onIntent: (intent) => {
        this.#printIntent(intent);
      },
      onCandleHandled: () => undefined,
    };
  }

  print({ kind, strategy, text }: DevEvent): void {
    const time = new Date(this.#venueNow()).toISOString();
    if (this.#json)
      this.#write(
        `${JSON.stringify({ time, kind, ...(strategy !== undefined && { strategy }), text })}\n`,
      );
    else {
      const prefix = strategy === undefined ? '' : `${strategy}  `;
      this.#write(`${time.slice(5, 19).replace('T', ' ')}  ${kind.padEnd(8)}  ${prefix}${text}\n`);
    }
  }

  /** Prints a note of the engine or of a strategy host. */
  readonly onNote = (note: Note): void => {
    const event = eventOf(note);
    const isRepeat =
      event.kind === 'explains' && this.#isRepeat(`explains ${event.strategy}`, event.text);
    if (!isRepeat) this.print(event);
  };

  #printIntent(intent: Intent): void {
    const strategy = this.#strategy;
    const symbol = 'symbol' in intent ? intent.symbol : '';
    const text = intentText(intent);
    if (this.#isRepeat(`intent ${strategy} ${symbol}`, text)) return;
    this.print({ kind: 'intent', strategy, text });
  }

  #isRepeat(key: string, text: string): boolean {
    const repeated = this.#lastTexts.get(key) === text;
    this.#lastTexts.set(key, text);
    return repeated;
  }
}

const STRATEGY_PREFIX = /^([A-Za-z0-9][\w-]*): ([\s\S]*)$/;

function eventOf({ level, text, fields = {} }: Note): DevEvent {
  const [, id, rest] = STRATEGY_PREFIX.exec(text) ?? [];
  const own = { text: rest ?? text, ...(id !== undefined && { strategy: id }) };
  if (/^refused: /.test(own.text))
    return { ...own, kind: 'refused', text: own.text.slice('refused: '.length) };
  if (/^(bought|sold) /.test(own.text)) return { ...own, kind: 'fill' };
  if (level === 'info' && fields['strategy'] !== undefined) return { ...own, kind: 'explains' };
  return { ...own, kind: level };
}
