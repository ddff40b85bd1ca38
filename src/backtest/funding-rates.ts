import { fixedFromNumber, ZERO } from '../core/fixed.js';
import type { FundingTerms } from '../exchange/simulated-exchange.js';
import type { MarketNews } from './market-news.js';

/** One settlement of funding. */
export interface FundingRate {
  /** ms UTC, on a whole minute. */
  readonly time: number;
  /** Fraction of the position's value that longs pay to shorts; below 0 shorts pay. */
  readonly rate: number;
}

/** Settled rates by symbol. */
export type FundingRates = Readonly<Record<string, readonly FundingRate[]>>;

/** An exchange looks for a settlement at every step: finer ones would cost more than the candles. */
const MINUTE_MS = 60_000;
/** As venues settle where the rates themselves do not tell. */
export const USUAL_INTERVAL_MS = 8 * 3_600_000;

/**
 * What the exchange charges: the rate of each settlement at its time, and nothing at a time that has none.
 * @throws RangeError for a time that is no whole minute or not after the one before, or no fraction
 */
export function fundingTermsOf(rates: FundingRates): FundingTerms {
  const bySymbol = new Map(
    Object.entries(rates).map(([symbol, list]) => [
      symbol,
      new Map(list.map(({ time, rate }) => [time, fixedFromNumber<'ratio'>(rate)])),
    ]),
  );
  return {
    intervalMs: stepOf(rates),
    rate: (symbol, settlementMs) => bySymbol.get(symbol)?.get(settlementMs) ?? ZERO,
  };
}

/**
 * What strategies are told: each settled rate at its settlement, as the best guess of the next one. The
 * true next rate is not known then, so that telling it would be a look ahead.
 */
export function fundingNewsOf(rates: FundingRates): readonly MarketNews[] {
  return Object.entries(rates).flatMap(([symbol, list]) =>
    list.map(({ time, rate }, index) => {
      const apart = time - (list[index - 1]?.time ?? time - USUAL_INTERVAL_MS);
      const nextSettlementMs = list[index + 1]?.time ?? time + apart;
      return { at: time, event: { kind: 'funding' as const, symbol, rate, nextSettlementMs } };
    }),
  );
}

/** The longest step of which every settlement is a multiple. @throws RangeError */
function stepOf(rates: FundingRates): number {
  let step = 0;
  for (const [symbol, list] of Object.entries(rates)) {
    for (const [index, { time, rate }] of list.entries()) {
      const isLater = time > (list[index - 1]?.time ?? -Infinity);
      if (time % MINUTE_MS !== 0 || !isLater || !(rate > -1 && rate < 1))
        throw new RangeError(
          `funding of ${symbol}: number ${index} (time ${time}, rate ${rate}) is no fraction at a later whole minute`,
        );
      step = greatestDivisor(step, time);
    }
  }
  return step === 0 ? USUAL_INTERVAL_MS : step;
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);
