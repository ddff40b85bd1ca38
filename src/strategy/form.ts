import type { Candle } from '../core/candle.js';
import type { CandleColumns } from '../market/candle-columns.js';
import type { SecondView } from './definition.js';
import type { FillEvent, OrderEnd } from './world.js';

/** What the host drives: the two ways to write a strategy, behind one face. */
export interface StrategyForm {
  readonly warmupCandles: number;
  /** Whether anybody listens: causes and views are made only then. */
  readonly hearsFills: boolean;
  readonly hearsOrders: boolean;
  /** Tickers, and positions that move. */
  readonly hearsMarket: boolean;
  /** Each of these may throw what the strategy throws. Before anything else, history included. */
  open(): void;
  start(): void;
  candle(symbol: string, candles: CandleColumns, index: number): void;
  second(symbol: string, second: SecondView): void;
  markCandle(symbol: string, candle: Candle): void;
  ticker(symbol: string, last: number, mark: number | undefined): void;
  fill(fill: FillEvent): void;
  ended(end: OrderEnd): void;
  moved(symbol: string): void;
  timer(key: string): void;
  stop(): void;
  /** Silence: nothing of the strategy runs after it. */
  close(): void;
}
