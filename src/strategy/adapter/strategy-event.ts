import type { Candle } from '../../core/candle.js';
import type { FillEvent, OrderEnd } from '../contract/strategy-port.js';
import type {
  FundingView,
  PositionChange,
  SecondView,
  TickerView,
  TimerView,
} from '../contract/views.js';

/**
 * Every event that a strategy handles beside its closed candles. A closed candle has a method of its
 * own: it is the hot path of a backtest, and must not allocate.
 */
export type StrategyEvent =
  /** Every symbol's candle of this close time, venue ms, has been handled or is late. */
  | { readonly kind: 'candles-synced'; readonly closedAt: number }
  | { readonly kind: 'candle-revised'; readonly symbol: string; readonly candle: Candle }
  | { readonly kind: 'second'; readonly symbol: string; readonly second: SecondView }
  | { readonly kind: 'mark-candle'; readonly symbol: string; readonly candle: Candle }
  | { readonly kind: 'ticker'; readonly symbol: string; readonly ticker: TickerView }
  | { readonly kind: 'fill'; readonly symbol: string; readonly fill: FillEvent }
  | { readonly kind: 'order-ended'; readonly symbol: string; readonly end: OrderEnd }
  | {
      readonly kind: 'position-changed';
      readonly symbol: string;
      /** Signed base units. */
      readonly before: number;
      readonly reason: PositionChange['reason'];
    }
  | { readonly kind: 'funding'; readonly symbol: string; readonly funding: FundingView }
  /** A timer that a hook has set. */
  | { readonly kind: 'timer'; readonly symbol: string; readonly timer: TimerView }
  /** A timer that the scheduler of a stream has set. */
  | { readonly kind: 'scheduler-timer'; readonly key: string };

export type StrategyEventKind = StrategyEvent['kind'];

/** The event of one symbol. */
export type SymbolEvent = Extract<StrategyEvent, { readonly symbol: string }>;

/** Hook of each event, by the name that the author of a strategy knows. */
const HOOKS: Readonly<Record<StrategyEventKind, string>> = {
  'candles-synced': 'onCandles',
  'candle-revised': 'onRevision',
  second: 'onSecond',
  'mark-candle': 'onMarkCandle',
  ticker: 'ticker$',
  fill: 'onFill',
  'order-ended': 'onOrder',
  'position-changed': 'onPosition',
  funding: 'onFunding',
  timer: 'onTimer',
  'scheduler-timer': 'scheduler',
};

/** Name of the code that handles the event, for messages. */
export const hookOf = ({ kind }: StrategyEvent, isStream: boolean): string =>
  isStream && kind === 'position-changed' ? 'position$' : HOOKS[kind];

/** Symbol whose state the event may change; undefined: any. */
export const eventSymbolOf = (event: StrategyEvent): string | undefined =>
  'symbol' in event ? event.symbol : undefined;
