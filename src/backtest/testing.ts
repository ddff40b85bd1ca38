/** The face for tests of strategies: `import { simulate } from 'sluice/testing'`. */
export { candlesFromCloses, testInstrument } from '../strategy/testing.js';
export { simulate } from './simulate.js';
export type { SimulateOptions, Simulation } from './simulate.js';
export { candlesFrom, candlesFromCsv, syntheticCandles, testFill } from './test-candles.js';
export type { CandleSketch, CandleSpacing, SyntheticWish } from './test-candles.js';
export { storyOf } from './test-story.js';
export type {
  SimulatedClose,
  SimulatedEnd,
  SimulatedEvent,
  SimulatedFill,
  SimulatedIntent,
  SimulatedNote,
  SimulatedOrder,
} from './test-tape.js';
