import { fixedFromNumber, ZERO } from '../../core/fixed/fixed.js';
import type { FundingTerms } from '../../exchange/simulated-exchange.js';
import type { MarketDataEvent } from './market-data-events.js';

/** One settlement of funding. */
export interface FundingRate {
  /** ms UTC, on a whole minute. */
  readonly time: number;
  /** Fraction of the position's value that longs pay to shorts; below 0 shorts pay. */
  readonly rate: number;
}

/** Settled rates by symbol. */
export type FundingRates = Readonly<Record<string, readonly FundingRate[]>>;

/** The exchange checks for a settlement at every step, so finer steps would cost more than the candles. */
const MINUTE_MS = 60_000;
/** The usual settlement interval, where the rates do not define one. */
export const DEFAULT_FUNDING_INTERVAL_MS = 8 * 3_600_000;

/**
 * Funding terms of the exchange: each settlement at its rate, and no charge without a rate.
 * @throws RangeError for a time that is no whole minute or does not ascend, or a rate that is no fraction
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
 * Funding events of the strategies: each settled rate at its settlement, as the estimate of the next one.
 * The true next rate is unknown at that time, so passing it would be a look-ahead.
 */
export function fundingEventsOf(rates: FundingRates): readonly MarketDataEvent[] {
  return Object.entries(rates).flatMap(([symbol, list]) =>
    list.map(({ time, rate }, index) => {
      const apart = time - (list[index - 1]?.time ?? time - DEFAULT_FUNDING_INTERVAL_MS);
      const nextSettlementMs = list[index + 1]?.time ?? time + apart;
      return { at: time, event: { kind: 'funding' as const, symbol, rate, nextSettlementMs } };
    }),
  );
}

/** The longest interval that divides every settlement time. @throws RangeError */
function stepOf(rates: FundingRates): number {
  let step = 0;
  for (const [symbol, list] of Object.entries(rates)) {
    for (const [index, { time, rate }] of list.entries()) {
      const isLater = time > (list[index - 1]?.time ?? -Infinity);
      if (time % MINUTE_MS !== 0 || !isLater || !(rate > -1 && rate < 1))
        throw new RangeError(
          `funding of ${symbol}: number ${index} (time ${time}, rate ${rate}) needs a later whole minute and a rate between -1 and 1`,
        );
      step = greatestDivisor(step, time);
    }
  }
  return step === 0 ? DEFAULT_FUNDING_INTERVAL_MS : step;
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);
