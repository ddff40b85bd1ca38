import { fixedFromNumber, type Price } from '../core/fixed.js';
import type { SimulatedExchange } from './simulated-exchange.js';

/**
 * Which way the price is taken to have gone inside a candle, of which only four prices are known.
 *
 * - `pessimistic`: the extreme that hurts the open position first (low for a long, high for a short;
 *   when flat, the one nearer to the open).
 * - `nearest`: the extreme nearer to the open first.
 * - `optimistic`: the extreme that helps the open position first.
 */
export type IntrabarPath = 'pessimistic' | 'nearest' | 'optimistic';

/** Market data: USDT. */
export interface CandlePrices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/**
 * Walks one candle over the exchange.
 *
 * 1. The price jumps to the open: stops that the gap passed fill at the open, market orders that wait
 *    fill there too. `onOpen` lets what those fills cause be placed and matched at the same open.
 * 2. Where anything can still happen, the price sweeps through both extremes in the order of `path`
 *    and on to the close: stops and limits fill at their own prices.
 * 3. The last price is the close. The mark price is the last price throughout.
 */
export function walkCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: CandlePrices,
  path: IntrabarPath,
  onOpen: () => void,
): void {
  openCandle(exchange, symbol, candle, onOpen);
  finishCandle(exchange, symbol, candle, path);
}

/** The first step alone, for who has something to tell before the rest. */
export function openCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: CandlePrices,
  onOpen: () => void,
): void {
  const open = price(candle.open);
  exchange.jump(symbol, open, open);
  exchange.settle(symbol);
  onOpen();
}

/** The steps after the open. */
export function finishCandle(
  exchange: SimulatedExchange,
  symbol: string,
  candle: CandlePrices,
  path: IntrabarPath,
): void {
  if (exchange.isActive(symbol)) {
    const lowFirst = goesLowFirst(exchange, symbol, candle, path);
    sweep(exchange, symbol, lowFirst ? candle.low : candle.high);
    sweep(exchange, symbol, lowFirst ? candle.high : candle.low);
    sweep(exchange, symbol, candle.close);
    return;
  }
  const close = price(candle.close);
  exchange.jump(symbol, close, close);
}

function goesLowFirst(
  exchange: SimulatedExchange,
  symbol: string,
  { open, high, low }: CandlePrices,
  path: IntrabarPath,
): boolean {
  const nearest = open - low <= high - open;
  if (path === 'nearest') return nearest;
  const held = exchange.quantity(symbol, 'USDT') || exchange.quantity(symbol, 'INR');
  if (held === 0) return nearest;
  return path === 'pessimistic' ? held > 0 : held < 0;
}

function sweep(exchange: SimulatedExchange, symbol: string, to: number): void {
  const at = price(to);
  exchange.sweep(symbol, at, at);
}

const price = (value: number): Price => fixedFromNumber(value);
