import { fixedFromNumber, type Price } from '../../core/fixed/fixed.js';
import type { SimulatedExchange } from '../simulated-exchange.js';

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

/**
 * Moves the exchange through one candle.
 *
 * 1. The price gaps to the open: passed stops and pending market orders fill at the open. `onOpen`
 *    lets orders placed because of those fills match at the same open.
 * 2. If an order or position is open, the price moves through both extremes in the order of `path`
 *    and then to the close: stops and limits fill at their own prices.
 * 3. The last price is the close. The mark price equals the last price throughout.
 */
export function simulateCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: CandlePrices,
  path: IntrabarPath,
  onOpen: () => void,
): void {
  openCandle(exchange, symbol, candle, onOpen);
  finishCandle(exchange, symbol, candle, path);
}

/** Step 1 alone, for callers that emit events between the open and the rest. */
export function openCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: CandlePrices,
  onOpen: () => void,
): void {
  const open = price(candle.open);
  exchange.gapTo(symbol, open, open);
  exchange.matchPending(symbol);
  onOpen();
}

/** Steps 2 and 3. */
export function finishCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: CandlePrices,
  path: IntrabarPath,
): void {
  if (exchange.isActive(symbol)) {
    const lowFirst = goesLowFirst(exchange, symbol, candle, path);
    moveThroughTo(exchange, symbol, lowFirst ? candle.low : candle.high);
    moveThroughTo(exchange, symbol, lowFirst ? candle.high : candle.low);
    moveThroughTo(exchange, symbol, candle.close);
    return;
  }
  const close = price(candle.close);
  exchange.gapTo(symbol, close, close);
}

function goesLowFirst(
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

function moveThroughTo(exchange: SimulatedExchange, symbol: string, to: number): void {
  const at = price(to);
  exchange.moveThrough(symbol, at, at);
}

const price = (value: number): Price => fixedFromNumber(value);
