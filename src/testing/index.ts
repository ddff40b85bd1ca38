/**
 * Tools for tests of strategies: `import { simulate } from 'sluice/testing'`. {@link simulate} runs a strategy
 * over candles. The other exports make candles and describe the events of a simulation.
 * @module sluice/testing
 */
export { simulate } from './simulate.js';
export type { Simulation } from './simulate.js';
export type {
  EntrySettings,
  ProtectSettings,
  SettingNumber,
  SimulateOptions,
  SizeSettings,
} from './simulate-options.js';
export type { FundingRate } from '../backtest/data/funding-rates.js';
export type { InstrumentRules } from './instrument.js';
export type { BySymbol, SimulatedStreams } from './streams.js';
export {
  candlesFrom,
  candlesFromCloses,
  candlesFromCsv,
  syntheticCandles,
  testFill,
} from './candles.js';
export type { PartialCandle, CandleSpacing, SyntheticCandleSpec } from './candles.js';
export { eventLog } from './event-log.js';
export type {
  SimulatedClose,
  SimulatedEnd,
  SimulatedEvent,
  SimulatedFill,
  SimulatedIntent,
  SimulatedEventTime,
  SimulatedNote,
  SimulatedOrder,
} from './simulation-recorder.js';
export type { HostState } from '../strategy/host/strategy-host.js';
export type { HostCounts } from '../strategy/target/order-factory.js';
