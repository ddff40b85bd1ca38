import { fixed, type Ratio } from '../../core/fixed/fixed.js';
import type { FundingTerms } from '../../exchange/simulated-exchange.js';
import { hashPair, hashText, mix, signedUnit } from '../../core/integer-hash.js';

/** Settlements at 00:00, 08:00 and 16:00 UTC. The interface names no times (supplement: part 14). */
export const FUNDING_INTERVAL_MS = 8 * 3_600_000;
/** Bounds printed on assets: ±0.005 of the notional (supplement: part 4). */
export const MAX_FUNDING_RATE = fixed<'ratio'>(500_000);

/** A rate has six places, as in the captures. */
const PLACE = 100;
/** Average rate: 0.0001, in units of 1e-6. */
const MEAN_PLACES = 100;
const SWING_PLACES = 250;
/** Settlements per knot of the rate's noise: it changes over about a day. */
const KNOT = 3;

/** Funding as a pure function of (seed, symbol, settlement). */
export interface ReadonlyFundingSchedule extends FundingTerms {
  /** The first settlement after a time, ms UTC. */
  nextSettlementMs(nowMs: number): number;
}

/** Rates are between −0.00015 and 0.00035. A rate that is set holds for its settlement only. */
export interface FundingSchedule extends ReadonlyFundingSchedule {
  setRate(symbol: string, settlementMs: number, rate: Ratio): void;
}

export function createFundingSchedule(seed: number): FundingSchedule {
  const overrides = new Map<string, Ratio>();
  return {
    intervalMs: FUNDING_INTERVAL_MS,
    rate: (symbol, settlementMs) =>
      overrides.get(`${symbol} ${settlementMs}`) ?? rateOf(seed, symbol, settlementMs),
    nextSettlementMs: (nowMs) =>
      (Math.floor(nowMs / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS,
    setRate(symbol, settlementMs, rate) {
      overrides.set(`${symbol} ${settlementMs}`, rate);
    },
  };
}

function rateOf(seed: number, symbol: string, settlementMs: number): Ratio {
  const key = hashPair(hashPair(mix(seed), hashText('funding')), hashText(symbol));
  const settlement = Math.floor(settlementMs / FUNDING_INTERVAL_MS);
  const knot = Math.floor(settlement / KNOT);
  const from = signedUnit(hashPair(key, knot));
  const to = signedUnit(hashPair(key, knot + 1));
  const noise = from + ((to - from) * (settlement - knot * KNOT)) / KNOT;
  return fixed((MEAN_PLACES + Math.round(SWING_PLACES * noise)) * PLACE);
}
