import { fixedFromNumber, type Price } from '../../core/fixed/fixed.js';
import type { PricePoint, SimulatedExchange } from '../simulated-exchange.js';

/**
 * Assumed path of the price inside a candle, since a candle has only four prices.
 *
 * - `pessimistic`: first the extreme that hurts the open position: low for a long, high for a short,
 *   the one nearer to the open when flat.
 * - `nearest`: first the extreme nearer to the open.
 * - `optimistic`: first the extreme that helps the open position.
 */
export type IntrabarPath = 'pessimistic' | 'nearest' | 'optimistic';

/** USDT. */
export interface CandlePrices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** A candle of last prices, and the candle of mark prices of the same time if there is one. */
export interface MarketCandle {
  readonly last: CandlePrices;
  /** Unset: the mark price equals the last price throughout. */
  readonly mark?: CandlePrices | undefined;
}

/**
 * Moves the exchange through one candle.
 *
 * 1. The price gaps to the open: passed stops and pending market orders fill at the open. `onOpen`
 *    lets orders placed because of those fills match at the same open.
 * 2. If an order or position is open, the price moves through both extremes in the order of `path`
 *    and then to the close: stops and limits fill at their own prices.
 * 3. The last price is the close.
 *
 * The mark price reaches its extremes together with the last price.
 * @returns whether another order of prices may change the result
 */
export function simulateCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: MarketCandle,
  path: IntrabarPath,
  onOpen: () => void,
): boolean {
  openCandle(exchange, symbol, candle, onOpen);
  return finishCandle(exchange, symbol, candle, path);
}

/** Step 1 alone, for callers that emit events between the open and the rest. */
export function openCandle(
  exchange: SimulatedExchange,
  symbol: string,
  { last, mark }: MarketCandle,
  onOpen: () => void,
): void {
  const open = price(last.open);
  exchange.gapTo(symbol, open, mark === undefined ? open : price(mark.open));
  exchange.matchPending(symbol);
  onOpen();
}

/** Steps 2 and 3. @returns as `simulateCandle` */
export function finishCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: MarketCandle,
  path: IntrabarPath,
): boolean {
  const close = pointAt(candle, 'close');
  if (!exchange.isActive(symbol)) {
    exchange.gapTo(symbol, close.last, close.mark);
    return false;
  }
  return exchange.moveThroughCandle(symbol, {
    low: pointAt(candle, 'low'),
    high: pointAt(candle, 'high'),
    close,
    isLowFirst: goesLowFirst(exchange, symbol, candle.last, path),
  });
}

/** Whether the assumed path of a candle reaches its low before its high. */
export function goesLowFirst(
  exchange: SimulatedExchange,
  symbol: string,
  { open, high, low }: CandlePrices,
  path: IntrabarPath,
): boolean {
  const nearest = open - low <= high - open;
  if (path === 'nearest') return nearest;
  const positionQuantity = exchange.quantity(symbol, 'USDT') || exchange.quantity(symbol, 'INR');
  if (positionQuantity === 0) return nearest;
  return path === 'pessimistic' ? positionQuantity > 0 : positionQuantity < 0;
}

function pointAt({ last, mark }: MarketCandle, at: keyof CandlePrices): PricePoint {
  const lastPrice = price(last[at]);
  return { last: lastPrice, mark: mark === undefined ? lastPrice : price(mark[at]) };
}

const price = (value: number): Price => fixedFromNumber(value);
