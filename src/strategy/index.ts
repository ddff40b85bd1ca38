/** The face for strategies: `import { defineStrategy, z } from 'sluice/strategy'`. */
export { z } from 'zod';
export { defineStrategy } from './definition.js';
export type {
  CallbackSetup,
  CallbackStrategy,
  Indicators,
  MarketStream,
  StrategyContext,
  StrategyDefinition,
  StrategyHooks,
  StateDefinition,
  StrategyView,
  StreamSetup,
  StreamStrategy,
  WarmUp,
} from './definition.js';
export type {
  CandleHistory,
  CandleRound,
  FillView,
  FundingView,
  InstrumentView,
  OrderEndView,
  OrderView,
  PositionChange,
  PositionView,
  SecondView,
  TickerView,
  TimerView,
  WalletView,
} from './views.js';
export type { EnterWish, Intent, LimitWish, ProtectWish } from './intent.js';
export type { SizeWish } from './size-wish.js';
export type { CandleFeed, CandleSource, Fed, Feed } from '../market/indicators/feed.js';
export type { Candle } from '../core/candle.js';
export type { Interval } from '../core/interval.js';
export type { Side } from '../core/order.js';
export { candlesFromCloses, simulate, testInstrument } from './testing.js';
export type { SimulatedStreams } from './simulated-streams.js';
export type { SimulatedOrder, SimulateOptions, Simulation } from './testing.js';
