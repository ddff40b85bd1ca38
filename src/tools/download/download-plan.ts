import type { Coverage } from '../../catalog/catalog.js';
import { uncoveredIn, type TimeRange } from '../../catalog/coverage.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';

/** One call: a window of whole candles of several symbols. */
export interface DownloadCall extends TimeRange {
  readonly symbols: readonly string[];
}

export interface PlanLimits {
  readonly candlesPerCall: number;
  readonly symbolsPerCall: number;
}

/** The coverage of a symbol in the catalogue; undefined: none. */
export type CoverageOf = (symbol: string) => Pick<Coverage, 'answered'> | undefined;

/**
 * The calls that fill a range: window after window, each with the symbols that lack a part of it. The windows start
 * at the start of the range, so that a resumed download makes the calls that are left.
 */
export function planCalls(
  range: TimeRange,
  interval: Interval,
  symbols: readonly string[],
  coverageOf: CoverageOf,
  { candlesPerCall, symbolsPerCall }: PlanLimits,
): readonly DownloadCall[] {
  const calls: DownloadCall[] = [];
  for (const window of windowsOf(range, interval, candlesPerCall)) {
    const lacking = symbols.filter(
      (symbol) => uncoveredIn(window, coverageOf(symbol)?.answered ?? []).length > 0,
    );
    for (let first = 0; first < lacking.length; first += symbolsPerCall)
      calls.push({ ...window, symbols: lacking.slice(first, first + symbolsPerCall) });
  }
  return calls;
}

/** The whole candles of a range. ms UTC; `toMs` is the close of the last one. */
export function wholeCandles({ fromMs, toMs }: TimeRange, interval: Interval): TimeRange {
  const first = openTimeOf(interval, fromMs);
  return {
    fromMs: first === fromMs ? first : closeTimeOf(interval, first),
    toMs: openTimeOf(interval, toMs),
  };
}

function* windowsOf(
  { fromMs, toMs }: TimeRange,
  interval: Interval,
  candles: number,
): Generator<TimeRange> {
  for (let from = fromMs; from < toMs;) {
    let to = from;
    for (let count = 0; count < candles && to < toMs; count += 1) to = closeTimeOf(interval, to);
    yield { fromMs: from, toMs: to };
    from = to;
  }
}
