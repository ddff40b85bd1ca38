import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { KeptCell } from '../host/state-cell.js';
import type { FundingView, PositionChange, SecondView, TimerView } from '../views.js';
import type { FillEvent, OrderEnd } from '../world.js';

/** What the host drives: the two ways to write a strategy, behind one face. */
export interface StrategyForm {
  /** That it sees beside the strategy's own, longest first. */
  readonly intervals: readonly Interval[];
  /** For each interval, the own one among them. */
  readonly needs: readonly WarmUpNeed[];
  /** Whether anybody listens: causes and views are made only then. */
  readonly hearsFills: boolean;
  readonly hearsOrders: boolean;
  /** Close times, when every symbol's candle has come. */
  readonly hearsRounds: boolean;
  /** Tickers, and positions that move. */
  readonly hearsMarket: boolean;
  readonly hearsPositions: boolean;
  /** Durable states that a hook of this symbol may have changed; without one, all. */
  cells(symbol?: string): readonly KeptCell[];
  /** Each of these may throw what the strategy throws. Before anything else, history included. */
  open(): void;
  start(): void;
  candle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void;
  /** The candles of its own interval that closed then have been told, or are too late. */
  round(closedAt: number): void;
  /** Of the symbol's candle that closed then; undefined where there is none. */
  closeAt(symbol: string, closedAt: number): number | undefined;
  revision(symbol: string, candle: Candle): void;
  second(symbol: string, second: SecondView): void;
  markCandle(symbol: string, candle: Candle): void;
  ticker(symbol: string, last: number, mark: number | undefined): void;
  fill(fill: FillEvent): void;
  ended(end: OrderEnd): void;
  /** `before`: signed base units. */
  moved(symbol: string, before: number, reason: PositionChange['reason']): void;
  funding(funding: FundingView): void;
  timer(key: string): void;
  /** A timer that a hook has set. */
  due(symbol: string, timer: TimerView): void;
  stop(): void;
  /** Silence: nothing of the strategy runs after it. */
  close(): void;
}
