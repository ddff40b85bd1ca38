/**
 * The contract of a strategy: `import { defineStrategy, z } from 'sluice/strategy'`. Begin with
 * {@link defineStrategy}; `z` is zod, for parameters.
 *
 * - Callback form: {@link CallbackStrategy} creates {@link StrategyHooks}, which are called with a
 *   {@link StrategyContext}; {@link CallbackSetup} is the argument of `create`.
 * - Stream form: {@link StreamStrategy} turns a {@link StreamSetup} into a stream of {@link Intent}.
 * - {@link Indicators} are all indicators, {@link SizeSpec} sizes from code, {@link StateDefinition} the
 *   state that survives a restart.
 *
 * Prices are USDT, quantities base units, times ms UTC of the venue's clock. For tests of strategies:
 * `sluice/testing`.
 * @module sluice/strategy
 */
export { z } from 'zod';
export { defineStrategy } from './contract/definition.js';
export type { CallbackSetup, StrategyHooks, WarmUp } from './contract/hooks.js';
export type {
  CallbackStrategy,
  IntervalsOf,
  MarketStream,
  StrategyDefinition,
  StrategyDefinitionBase,
  StateDefinition,
  StreamStrategy,
} from './contract/definition.js';
export type { Indicators } from '../market/indicators/indicators.js';
export type { StrategyContext, StrategyView } from './contract/strategy-context.js';
export type { StreamSetup } from './contract/stream-setup.js';
export type {
  CandleHistory,
  SyncedCandles,
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
} from './contract/views.js';
export type {
  CancelIntent,
  EnterRequest,
  Intent,
  LimitRequest,
  ProtectRequest,
  SymbolIntent,
  TargetIntent,
  TargetQuantityIntent,
  RequestIntent,
} from './contract/intent.js';
export type { SizeSpec } from './target/size/size-spec.js';
export type {
  CandleIndicatorFeed,
  CandleSource,
  ReadOnlyIndicator,
  IndicatorFeed,
} from '../market/indicators/indicator-feed.js';
export type { PositionChangeReason } from '../core/account.js';
export type { Candle, CandlePrice } from '../core/candle.js';
export type { Currency } from '../core/currency.js';
export type { Interval } from '../core/interval.js';
export type { OrderType, Side } from '../core/order.js';
export type {
  CandleIndicatorFactory,
  NumberIndicatorFactory,
} from '../market/indicators/indicator-factory.js';
export type {
  HighLowInput,
  Indicator,
  InputColumns,
  OutputColumns,
  RangeInput,
} from '../market/indicators/indicator.js';
export type { AccumulationDistribution } from '../market/indicators/volume/accumulation-distribution.js';
export type {
  AverageDirectionalIndex,
  DirectionalValue,
} from '../market/indicators/trend/average-directional-index.js';
export type { AverageTrueRange } from '../market/indicators/volatility/average-true-range.js';
export type {
  BollingerBands,
  BollingerOptions,
} from '../market/indicators/volatility/bollinger-bands.js';
export type { CommodityChannelIndex } from '../market/indicators/oscillator/commodity-channel-index.js';
export type { Channel, DonchianChannel } from '../market/indicators/volatility/donchian-channel.js';
export type { ExponentialMovingAverage } from '../market/indicators/moving-average/exponential-moving-average.js';
export type { ForceIndex } from '../market/indicators/volume/force-index.js';
export type { HullMovingAverage } from '../market/indicators/moving-average/hull-moving-average.js';
export type { PatternName, OhlcInput } from '../market/indicators/library/library-candles.js';
export type {
  AwesomeOptions,
  KstOptions,
  KstValue,
} from '../market/indicators/library/library-oscillators.js';
export type {
  ChandelierOptions,
  ChandelierValue,
  IchimokuOptions,
  IchimokuValue,
  KeltnerOptions,
  PsarOptions,
} from '../market/indicators/library/library-trends.js';
export type {
  MoneyFlowIndex,
  VolumeInput,
} from '../market/indicators/oscillator/money-flow-index.js';
export type {
  MacdOptions,
  MacdValue,
  MovingAverageConvergenceDivergence,
} from '../market/indicators/moving-average/macd.js';
export type {
  DoubleExponentialMovingAverage,
  TripleExponentialMovingAverage,
  Trix,
} from '../market/indicators/moving-average/multiple-exponential-averages.js';
export type {
  CloseVolumeInput,
  OnBalanceVolume,
} from '../market/indicators/volume/on-balance-volume.js';
export type { RelativeStrengthIndex } from '../market/indicators/oscillator/relative-strength-index.js';
export type { RollingStandardDeviation } from '../market/indicators/volatility/rolling-deviation.js';
export type {
  RollingHighest,
  RollingLowest,
} from '../market/indicators/volatility/rolling-extreme.js';
export type {
  SessionVwap,
  VwapInput,
  VwapOptions,
} from '../market/indicators/volume/session-vwap.js';
export type { SimpleMovingAverage } from '../market/indicators/moving-average/simple-moving-average.js';
export type {
  Stochastic,
  StochasticOptions,
  StochasticValue,
} from '../market/indicators/oscillator/stochastic.js';
export type {
  StochasticRsi,
  StochasticRsiOptions,
} from '../market/indicators/oscillator/stochastic-rsi.js';
export type {
  Supertrend,
  SupertrendOptions,
  SupertrendValue,
} from '../market/indicators/volatility/supertrend.js';
export type { WeightedMovingAverage } from '../market/indicators/moving-average/weighted-moving-average.js';
