import { isInterval, type Interval } from '../../core/interval.js';
import { symbolFromText } from '../../core/symbol.js';
import { UsageError } from '../../core/command-errors.js';
import { INSTANT_FORM, instantFromText } from '../../core/time-text.js';
import { symbolFault, venueSymbolFromText } from '../../config/venue-symbol.js';

/** The subject of `sluice why`. */
export type TraceSubject =
  /** An order id, a decision key or a command id, or the beginning of one. */
  | { readonly kind: 'id'; readonly text: string }
  | {
      readonly kind: 'candle';
      readonly symbol: string;
      /** Absent: the intervals of the strategies of the symbol. */
      readonly interval?: Interval;
      /** ms UTC, within the candle. */
      readonly time: number;
    };

export interface TraceQuery {
  readonly subject: TraceSubject;
  readonly stateDir: string | undefined;
}

const CANDLE = /^candle:([^:#]+):([^:#]+):([^#]+)$/;

/** Parses `ID`, `SYMBOL TIME` or `candle:SYMBOL:INTERVAL:TIME`, then an optional folder. @throws UsageError */
export function parseTraceQuery(args: readonly string[]): TraceQuery {
  const [first = '', second] = args;
  const time = second === undefined ? undefined : timeFromText(second);
  if (time !== undefined && symbolFromText(first) !== undefined) {
    const symbol = venueSymbolFromText(first);
    if (symbol !== undefined)
      return { subject: { kind: 'candle', symbol, time }, stateDir: stateDirArgument(args, 2) };
    throw new UsageError(`expected a symbol before the time, ${symbolFault(first)}`);
  }
  const subject = candleSubjectOf(first) ?? { kind: 'id' as const, text: first };
  return { subject, stateDir: stateDirArgument(args, 1) };
}

function stateDirArgument(args: readonly string[], used: number): string | undefined {
  const extra = args[used + 1];
  if (extra === undefined) return args[used];
  throw new UsageError(
    `"${extra}" is one argument too many: give an id, or a symbol and a time (${INSTANT_FORM}), then the state folder`,
  );
}

/** A key without `#ordinal` is a candle; with `#ordinal` it is one decision. */
function candleSubjectOf(text: string): TraceSubject | undefined {
  const [, symbol, interval, at] = CANDLE.exec(text) ?? [];
  if (symbol === undefined || interval === undefined || at === undefined) return undefined;
  if (!isInterval(interval)) {
    throw new UsageError(
      `"${interval}" is not an interval in "${text}": use one such as 1m, 15m, 1h`,
    );
  }
  const time = timeFromText(at);
  if (time !== undefined) return { kind: 'candle', symbol, interval, time };
  throw new UsageError(`"${at}" is not a time in "${text}": give ms UTC, or ${INSTANT_FORM}`);
}

const timeFromText = (text: string): number | undefined =>
  /^\d{12,14}$/.test(text) ? Number(text) : instantFromText(text);
