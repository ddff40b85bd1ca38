import { fixed, type Ratio } from '../core/fixed.js';
import type { FundingTerms } from '../exchange/simulated-exchange.js';
import { hashPair, hashText, mix, signedUnit } from './integer-hash.js';

/** Settlements at 00:00, 08:00 and 16:00 UTC. The interface names no instant (supplement, part 14). */
export const FUNDING_INTERVAL_MS = 8 * 3_600_000;
/** The bounds that assets show: ±0.005 of the notional (supplement, part 4). */
export const MAX_FUNDING_RATE = fixed<'ratio'>(500_000);

/** A rate has six places, like "0.0001" in the captures. */
const PLACE = 100;
/** What longs pay on average: 0.0001. */
const USUAL_PLACES = 100;
const SWING_PLACES = 250;
/** A rate strays over about a day: settlements per knot of its noise. */
const KNOT = 3;

/** Funding as a pure function of (seed, symbol, settlement). */
export interface Funding extends FundingTerms {
  /** The first settlement after a time, ms UTC. */
  next(nowMs: number): number;
}

/** Rates lie between −0.00015 and 0.00035, unless a hand set one; it holds for its settlement alone. */
export interface FundingBook extends Funding {
  set(symbol: string, settlementMs: number, rate: Ratio): void;
}

export function createFunding(seed: number): FundingBook {
  const set = new Map<string, Ratio>();
  return {
    intervalMs: FUNDING_INTERVAL_MS,
    rate: (symbol, settlementMs) =>
      set.get(`${symbol} ${settlementMs}`) ?? rateOf(seed, symbol, settlementMs),
    next: (nowMs) => (Math.floor(nowMs / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS,
    set(symbol, settlementMs, rate) {
      set.set(`${symbol} ${settlementMs}`, rate);
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
  return fixed((USUAL_PLACES + Math.round(SWING_PLACES * noise)) * PLACE);
}
