import { fixedFromNumber } from '../core/fixed/fixed.js';
import {
  finishCandle,
  goesLowFirst,
  type CandlePrices,
  type IntrabarPath,
  type MarketCandle,
} from '../exchange/price/candle-path.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';

/** Longest `--latency`, ms: that of a paper account. */
export const MAX_LATENCY_MS = 60_000;

/** Prices of a candle in the order of its assumed path. */
type Path = readonly [open: number, first: number, second: number, close: number];

const LEGS = 3;

const pathOf = ({ open, high, low, close }: CandlePrices, isLowFirst: boolean): Path =>
  isLowFirst ? [open, low, high, close] : [open, high, low, close];

/**
 * The price of a candle after a share of its time. The times of its extremes are unknown: each leg of the assumed path
 * takes a third, in a straight line.
 * @param share from 0 to below 1
 */
function priceAt(path: Path, share: number): number {
  const leg = Math.min(LEGS - 1, Math.floor(share * LEGS));
  const [from, to] = [path[leg] as number, path[leg + 1] as number];
  return from + (to - from) * (share * LEGS - leg);
}

/** One symbol on its way through a candle, for orders that arrive inside it. */
export class CandleWalk {
  readonly #exchange: SimulatedExchange;
  readonly #symbol: string;
  readonly #candle: MarketCandle;
  readonly #intrabar: IntrabarPath;
  #isLowFirst = false;
  /** Legs that have begun; 0: still at the open. */
  #legs = 0;

  constructor(
    exchange: SimulatedExchange,
    symbol: string,
    candle: MarketCandle,
    intrabar: IntrabarPath,
  ) {
    this.#exchange = exchange;
    this.#symbol = symbol;
    this.#candle = candle;
    this.#intrabar = intrabar;
  }

  /** Moves to the price after a share of the candle's time, from 0 to below 1. */
  moveTo(share: number): void {
    if (this.#legs === 0) this.#isLowFirst = this.#goesLowFirst();
    const leg = Math.min(LEGS, Math.floor(share * LEGS) + 1);
    for (this.#legs ||= 1; this.#legs < leg; this.#legs += 1) this.#moveToPoint(this.#legs);
    this.#move((prices) => priceAt(pathOf(prices, this.#isLowFirst), share));
  }

  /**
   * Moves through the rest of the candle. A position that was opened in the first leg meets the extremes in the order of
   * the path rule, as one that was opened at the open.
   * @returns whether another order of prices may change the result
   */
  finish(): boolean {
    if (this.#legs <= 1) {
      const isAmbiguous = finishCandle(this.#exchange, this.#symbol, this.#candle, this.#intrabar);
      return isAmbiguous || this.#legs === 1;
    }
    for (; this.#legs <= LEGS; this.#legs += 1) this.#moveToPoint(this.#legs);
    return true;
  }

  #moveToPoint(index: number): void {
    this.#move((prices) => pathOf(prices, this.#isLowFirst)[index] as number);
  }

  #move(priceOf: (prices: CandlePrices) => number): void {
    const { last, mark = last } = this.#candle;
    this.#exchange.moveThrough(
      this.#symbol,
      fixedFromNumber(priceOf(last)),
      fixedFromNumber(priceOf(mark)),
    );
  }

  #goesLowFirst(): boolean {
    return goesLowFirst(this.#exchange, this.#symbol, this.#candle.last, this.#intrabar);
  }
}
