import { isInterval, type Interval } from '../../core/interval.js';
import { symbolFromText } from '../../core/symbol.js';
import { UsageError } from '../failure.js';
import { INSTANT_FORM, instantFromText } from '../instant.js';
import { symbolFault, venueSymbolFromText } from '../venue-symbol.js';

/** What is asked about. */
export type Subject =
  /** An order by one of its ids, a decision by its key, or how one of them begins. */
  | { readonly kind: 'id'; readonly text: string }
  | {
      readonly kind: 'candle';
      readonly symbol: string;
      /** Absent: as the strategies of the symbol have it. */
      readonly interval?: Interval;
      /** ms UTC, within the candle. */
      readonly time: number;
    };

export interface Question {
  readonly subject: Subject;
  readonly stateDir: string | undefined;
}

const CANDLE = /^candle:([^:#]+):([^:#]+):([^#]+)$/;

/** `WORD`, `SYMBOL TIME` or `candle:SYMBOL:INTERVAL:TIME`, then perhaps a folder. @throws UsageError */
export function questionOf(words: readonly string[]): Question {
  const [first = '', second] = words;
  const time = second === undefined ? undefined : timeOf(second);
  if (time !== undefined && symbolFromText(first) !== undefined) {
    const symbol = venueSymbolFromText(first);
    if (symbol !== undefined)
      return { subject: { kind: 'candle', symbol, time }, stateDir: rest(words, 2) };
    throw new UsageError(`expected a symbol before the time, ${symbolFault(first)}`);
  }
  const subject = candleOf(first) ?? { kind: 'id' as const, text: first };
  return { subject, stateDir: rest(words, 1) };
}

function rest(words: readonly string[], used: number): string | undefined {
  const extra = words[used + 1];
  if (extra === undefined) return words[used];
  throw new UsageError(
    `"${extra}" is one word too many: give an id, or a symbol and a time (${INSTANT_FORM}), then the state folder`,
  );
}

/** A key without `#ordinal` means the candle, with it one decision. */
function candleOf(text: string): Subject | undefined {
  const [, symbol, interval, at] = CANDLE.exec(text) ?? [];
  if (symbol === undefined || interval === undefined || at === undefined) return undefined;
  if (!isInterval(interval)) {
    throw new UsageError(`"${interval}" is no interval in "${text}": such as 1m, 15m, 1h`);
  }
  const time = timeOf(at);
  if (time !== undefined) return { kind: 'candle', symbol, interval, time };
  throw new UsageError(`"${at}" is no time in "${text}": give ms UTC, or ${INSTANT_FORM}`);
}

const timeOf = (text: string): number | undefined =>
  /^\d{12,14}$/.test(text) ? Number(text) : instantFromText(text);
