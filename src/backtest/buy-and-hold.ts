import { numberFromFixed } from '../core/fixed/fixed.js';
import type { EquityCurve, RowTimes } from '../report/statistics/equity-curve.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import type { FundingRate } from './data/funding-rates.js';
import { slippageShare } from './slippage.js';
import { marketsOf, type BacktestMarket, type BacktestPlan } from './plan.js';

/**
 * Equity of buying each symbol of the run with an equal part of the cash, at the open of its first live
 * candle, and holding it without leverage. The taker fee, the slippage and the funding are those of the run.
 *
 * @param times close times of the run
 */
export function buyAndHold(plan: BacktestPlan, times: RowTimes): EquityCurve {
  const equity = new Float64Array(times.length);
  const markets = marketsOf(plan);
  const share = numberFromFixed(plan.cash) / markets.length;
  for (const market of markets) new Holding(market, plan, share).addTo(equity, times);
  return { times, equity, length: times.length };
}

/** One symbol of the benchmark. Amounts are in the run's currency. */
class Holding {
  readonly #market: BacktestMarket;
  readonly #rates: readonly FundingRate[];
  readonly #base: Interval;
  readonly #share: number;
  /** Currency of the run per USDT. */
  readonly #rate: number;
  /** Candle of the entry. */
  readonly #first: number;
  /** Price at which one unit with its fee is bought. */
  readonly #costFactor: number;
  #nextRate = 0;
  #quantity = 0;
  #close = NaN;
  #funding = 0;

  constructor(market: BacktestMarket, plan: BacktestPlan, share: number) {
    const { openTime, length } = market.columns;
    this.#market = market;
    this.#rates = plan.funding?.[market.instrument.symbol] ?? [];
    this.#base = plan.base;
    this.#share = share;
    this.#rate = plan.currency === 'USDT' ? 1 : numberFromFixed(plan.hedgeRate);
    let first = 0;
    while (first < length && (openTime[first] as number) < (plan.liveFromMs ?? -Infinity))
      first += 1;
    this.#first = first;
    this.#costFactor = this.#costFactorOf(plan);
  }

  /** The fee and the slippage of the entry. */
  #costFactorOf({ slippage, takerFeeRate }: BacktestPlan): number {
    const { columns } = this.#market;
    if (this.#first >= columns.length) return 1;
    const quantity = this.#share / ((columns.open[this.#first] as number) * this.#rate);
    const share = slippageShare(slippage, columns, this.#first, quantity);
    return (1 + share) * (1 + numberFromFixed(takerFeeRate));
  }

  /** Adds its equity at each of the times, which ascend. */
  addTo(equity: Float64Array, times: RowTimes): void {
    const { openTime, open, close, length } = this.#market.columns;
    let next = this.#first;
    for (let row = 0; row < equity.length; row += 1) {
      const time = times.at(row) as number;
      for (; next < length; next += 1) {
        const closeTime = closeTimeOf(this.#base, openTime[next] as number);
        if (closeTime > time) break;
        if (next === this.#first)
          this.#quantity = this.#share / ((open[next] as number) * this.#costFactor * this.#rate);
        this.#close = close[next] as number;
        if (this.#rates.length > 0) this.#settle(closeTime);
      }
      equity[row] = (equity[row] as number) + this.#equity;
    }
  }

  get #equity(): number {
    if (this.#quantity === 0) return this.#share;
    return this.#quantity * this.#close * this.#rate - this.#funding;
  }

  /** Funding up to a close, at that close. */
  #settle(until: number): void {
    const entry = this.#market.columns.openTime[this.#first] as number;
    for (
      let rate = this.#rates[this.#nextRate];
      rate !== undefined && rate.time <= until;
      rate = this.#rates[this.#nextRate]
    ) {
      if (rate.time > entry) this.#funding += this.#quantity * this.#close * this.#rate * rate.rate;
      this.#nextRate += 1;
    }
  }
}
