/**
 * The contract of a strategy: `import { defineStrategy, z } from 'sluice/strategy'`. Begin with
 * {@link defineStrategy}; `z` is zod, for parameters.
 *
 * - Callback form: {@link CallbackStrategy} makes {@link StrategyHooks}, which are called with a
 *   {@link StrategyContext}; {@link CallbackSetup} is what `create` is given.
 * - Stream form: {@link StreamStrategy} makes a stream of {@link Intent} of a {@link StreamSetup}.
 * - {@link Indicators} are all indicators, {@link SizeWish} sizes from code, {@link StateDefinition} what
 *   survives a restart.
 *
 * Prices are USDT, quantities base units, times ms UTC as the venue counts them. Its tests:
 * `sluice/testing`.
 * @module sluice/strategy
 */
export { z } from 'zod';
export { defineStrategy } from './definition.js';
export type {
  CallbackSetup,
  CallbackStrategy,
  Indicators,
  IntervalsOf,
  MarketStream,
  StrategyContext,
  StrategyDefinition,
  StrategyHead,
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
export type {
  CancelIntent,
  EnterWish,
  Intent,
  LimitWish,
  ProtectWish,
  SymbolIntent,
  TargetIntent,
  TargetQuantityIntent,
  WishIntent,
} from './intent.js';
export type { SizeWish } from './size/size-wish.js';
export type { CandleFeed, CandleSource, Fed, Feed } from '../market/indicators/feed.js';
export type { PositionMove } from '../core/account.js';
export type { Candle, CandlePrice } from '../core/candle.js';
export type { Currency } from '../core/currency.js';
export type { Interval } from '../core/interval.js';
export type { OrderType, Side } from '../core/order.js';
export type { OfCandles, OfNumbers } from '../market/indicators/indicators.js';
export type {
  HighLow,
  Indicator,
  InputColumns,
  OutputColumns,
  RangeInput,
} from '../market/indicators/indicator.js';
export type { AccumulationDistribution } from '../market/indicators/accumulation-distribution.js';
export type {
  AverageDirectionalIndex,
  DirectionalValue,
} from '../market/indicators/average-directional-index.js';
export type { AverageTrueRange } from '../market/indicators/average-true-range.js';
export type { BollingerBands, BollingerOptions } from '../market/indicators/bollinger-bands.js';
export type { CommodityChannelIndex } from '../market/indicators/commodity-channel-index.js';
export type { Channel, DonchianChannel } from '../market/indicators/donchian-channel.js';
export type { ExponentialMovingAverage } from '../market/indicators/exponential-moving-average.js';
export type { ForceIndex } from '../market/indicators/force-index.js';
export type { HullMovingAverage } from '../market/indicators/hull-moving-average.js';
export type { PatternName, Prices } from '../market/indicators/library-candles.js';
export type {
  AwesomeOptions,
  KstOptions,
  KstValue,
} from '../market/indicators/library-oscillators.js';
export type {
  ChandelierOptions,
  ChandelierValue,
  IchimokuOptions,
  IchimokuValue,
  KeltnerOptions,
  PsarOptions,
} from '../market/indicators/library-trends.js';
export type { MoneyFlowIndex, VolumeInput } from '../market/indicators/money-flow-index.js';
export type {
  MacdOptions,
  MacdValue,
  MovingAverageConvergence,
} from '../market/indicators/moving-average-convergence.js';
export type {
  DoubleExponential,
  TripleExponential,
  Trix,
} from '../market/indicators/multiple-smoothing.js';
export type { CloseVolume, OnBalanceVolume } from '../market/indicators/on-balance-volume.js';
export type { RelativeStrengthIndex } from '../market/indicators/relative-strength-index.js';
export type { RollingDeviation } from '../market/indicators/rolling-deviation.js';
export type { RollingHighest, RollingLowest } from '../market/indicators/rolling-extreme.js';
export type { SessionVwap, VwapInput, VwapOptions } from '../market/indicators/session-vwap.js';
export type { SimpleMovingAverage } from '../market/indicators/simple-moving-average.js';
export type {
  Stochastic,
  StochasticOptions,
  StochasticValue,
} from '../market/indicators/stochastic.js';
export type { StochasticRsi, StochasticRsiOptions } from '../market/indicators/stochastic-rsi.js';
export type {
  Supertrend,
  SupertrendOptions,
  SupertrendValue,
} from '../market/indicators/supertrend.js';
export type { WeightedMovingAverage } from '../market/indicators/weighted-moving-average.js';
