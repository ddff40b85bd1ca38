/**
 * What the test of a strategy is written with: `import { simulate } from 'sluice/testing'`. {@link simulate}
 * runs a strategy over candles; the rest makes candles and tells what happened.
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
export type { FundingRate } from './funding-rates.js';
export type { InstrumentRules } from './test-instrument.js';
export type { BySymbol, SimulatedStreams } from './test-streams.js';
export {
  candlesFrom,
  candlesFromCloses,
  candlesFromCsv,
  syntheticCandles,
  testFill,
} from './test-candles.js';
export type { CandleSketch, CandleSpacing, SyntheticWish } from './test-candles.js';
export { storyOf } from './test-story.js';
export type {
  SimulatedClose,
  SimulatedEnd,
  SimulatedEvent,
  SimulatedFill,
  SimulatedIntent,
  SimulatedMoment,
  SimulatedNote,
  SimulatedOrder,
} from './test-tape.js';
export type { HostState } from '../strategy/host/strategy-host.js';
export type { HostCounts } from '../strategy/order-desk.js';
