import type { DayEquity } from './filled-days.js';
import { finite } from './moments.js';

export const REGIMES = ['up', 'down', 'flat'] as const;
export type Regime = (typeof REGIMES)[number];

/** Days over which the market is judged, and the move that makes a trend, per cent. */
export const REGIME_DAYS = 30;
export const REGIME_MOVE_PCT = 5;

/** The days of a run on which the market was in one regime. */
export interface RegimeReturn {
  readonly regime: Regime;
  readonly days: number;
  /** Of these days, one after the other. */
  readonly return_pct: number | null;
  readonly net: number;
}

/**
 * The returns of a run by the regime of the market. The market is buy and hold; a day belongs to `up` or `down` if
 * it has moved by more than 5 % within the 30 days that end with the day, and to `flat` otherwise. The first 30 days
 * belong to none.
 * @param market buy and hold, row by row those of `run`
 */
export function regimeReturns(
  run: readonly DayEquity[],
  market: readonly DayEquity[],
): readonly RegimeReturn[] {
  return REGIMES.map((regime) => {
    let [days, growth, net] = [0, 1, 0];
    for (let index = REGIME_DAYS; index < run.length; index += 1) {
      if (regimeOf(market, index) !== regime) continue;
      const [before, after] = [run[index - 1]?.equity, run[index]?.equity] as [number, number];
      days += 1;
      growth *= after / before;
      net += after - before;
    }
    return { regime, days, return_pct: finite((growth - 1) * 100), net };
  });
}

function regimeOf(market: readonly DayEquity[], index: number): Regime {
  const [before, now] = [market[index - REGIME_DAYS]?.equity, market[index]?.equity];
  const move = ((now ?? Number.NaN) / (before ?? Number.NaN) - 1) * 100;
  if (move > REGIME_MOVE_PCT) return 'up';
  return move < -REGIME_MOVE_PCT ? 'down' : 'flat';
}
