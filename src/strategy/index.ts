/** The face for strategies: `import { defineStrategy, z } from 'sluice/strategy'`. */
export { z } from 'zod';
export { defineStrategy } from './definition.js';
export type {
  CallbackSetup,
  CallbackStrategy,
  FillView,
  Indicators,
  InstrumentView,
  MarketStream,
  OrderEndView,
  OrderView,
  PositionView,
  SecondView,
  StrategyContext,
  StrategyDefinition,
  StrategyHooks,
  StrategyView,
  StreamSetup,
  StreamStrategy,
  TickerView,
  WalletView,
} from './definition.js';
export type { EnterWish, Intent, LimitWish } from './intent.js';
export type { Candle } from '../core/candle.js';
export type { Interval } from '../core/interval.js';
export type { Side } from '../core/order.js';
export { candlesFromCloses, simulate, testInstrument } from './testing.js';
export type { SimulatedStreams } from './simulated-streams.js';
export type { SimulatedOrder, SimulateOptions, Simulation } from './testing.js';
