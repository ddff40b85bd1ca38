import type { Channel } from './donchian-channel.js';
import {
  checkAboveZero,
  checkPeriod,
  withDefaults,
  type HighLow,
  type Indicator,
  type RangeInput,
} from './indicator.js';
import { TechnicalIndicator, unrounded } from './technical-indicators.js';

const RANGE = ['high', 'low', 'close'] as const;
const HIGH_LOW = ['high', 'low'] as const;

/** Wilder's average: (value × (period − 1) + input) / period, seeded with the mean of the first. */
export function wilder(period: number): Indicator {
  checkPeriod('wilder', period);
  return new TechnicalIndicator<number, number>({
    name: 'wilder',
    warmup: period,
    fields: undefined,
    parts: undefined,
    start({ WEMA }) {
      const inner = new WEMA({ period, values: [], format: unrounded });
      return (input) => inner.nextValue(input);
    },
  });
}

/** Wilder's true range of one candle; it needs the close before, so the first has none. */
export function trueRange(): Indicator<RangeInput> {
  return new TechnicalIndicator<RangeInput, number>({
    name: 'trueRange',
    warmup: 2,
    fields: RANGE,
    parts: undefined,
    start({ TrueRange }) {
      const inner = new TrueRange({ high: [], low: [], close: [], format: unrounded });
      // The package keeps the candle until the next; ours may be a view that moves on.
      return ({ high, low, close }) => inner.nextValue({ high, low, close } as never);
    },
  });
}

/** Of `indicators.psar`; 0.02 and 0.2 unless told. */
export interface PsarOptions {
  /** Acceleration at the start of a trend, and its growth with each new extreme. */
  readonly step: number;
  /** Largest acceleration. */
  readonly max: number;
}

/**
 * Wilder's parabolic stop-and-reverse, in prices. It takes the market for rising at the first candle
 * (the first trend of others may differ; they meet at the first turn that both make).
 */
export function psar(given: Partial<PsarOptions> = {}): Indicator<HighLow> {
  const { step, max } = withDefaults('psar', { step: 0.02, max: 0.2 }, given);
  checkAboveZero('psar', 'step', step);
  checkAboveZero('psar', 'max', max);
  return new TechnicalIndicator<HighLow, number>({
    name: 'psar',
    warmup: 1,
    fields: HIGH_LOW,
    parts: undefined,
    start({ PSAR }) {
      const inner = new PSAR({ step, max, high: [], low: [], format: unrounded });
      return ({ high, low }) => inner.nextValue({ high, low } as never);
    },
  });
}

/** Of `indicators.keltner`; 20, 10 and 2 unless told. */
export interface KeltnerOptions {
  /** Of the exponential average of closes. */
  readonly period: number;
  /** Of the average true range. */
  readonly atrPeriod: number;
  /** Half width, in average true ranges. */
  readonly multiplier: number;
}

/** Keltner's channel in the form of Raschke: EMA of closes ± multiplier × average true range. */
export function keltner(given: Partial<KeltnerOptions> = {}): Indicator<RangeInput, Channel> {
  const usual: KeltnerOptions = { period: 20, atrPeriod: 10, multiplier: 2 };
  const { period, atrPeriod, multiplier } = withDefaults('keltner', usual, given);
  checkPeriod('keltner', period);
  checkPeriod('keltner (atrPeriod)', atrPeriod);
  checkAboveZero('keltner', 'multiplier', multiplier);
  return new TechnicalIndicator<RangeInput, Channel>({
    name: 'keltner',
    warmup: Math.max(period, atrPeriod + 1),
    fields: RANGE,
    parts: ['upper', 'middle', 'lower'],
    start({ KeltnerChannels }) {
      const inner = new KeltnerChannels({
        maPeriod: period,
        atrPeriod,
        multiplier,
        useSMA: false,
        high: [],
        low: [],
        close: [],
        format: unrounded,
      });
      return ({ high, low, close }) => {
        const row = inner.nextValue({ high, low, close } as never) as Channel | undefined;
        return row && { upper: row.upper, middle: row.middle, lower: row.lower };
      };
    },
  });
}

/** Of `indicators.chandelier`; 22 and 3 unless told. */
export interface ChandelierOptions {
  /** Candles of the extremes and of the average true range. */
  readonly period: number;
  /** Distance from the extreme, in average true ranges. */
  readonly multiplier: number;
}

/** Prices, USDT. */
export interface ChandelierValue {
  /** Stop of a long position: highest high − multiplier × average true range. */
  readonly long: number;
  /** Stop of a short position: lowest low + multiplier × average true range. */
  readonly short: number;
}

/** Le Beau's chandelier exit. */
export function chandelier(
  given: Partial<ChandelierOptions> = {},
): Indicator<RangeInput, ChandelierValue> {
  const { period, multiplier } = withDefaults('chandelier', { period: 22, multiplier: 3 }, given);
  checkPeriod('chandelier', period);
  checkAboveZero('chandelier', 'multiplier', multiplier);
  return new TechnicalIndicator<RangeInput, ChandelierValue>({
    name: 'chandelier',
    warmup: period + 1,
    fields: RANGE,
    parts: ['long', 'short'],
    start({ ChandelierExit }) {
      const inner = new ChandelierExit({
        period,
        multiplier,
        high: [],
        low: [],
        close: [],
        format: unrounded,
      });
      return ({ high, low, close }) => {
        const row = inner.nextValue({ high, low, close } as never) as
          { exitLong: number; exitShort: number } | undefined;
        return row && { long: row.exitLong, short: row.exitShort };
      };
    },
  });
}

/** Of `indicators.ichimoku`; 9, 26 and 52 unless told. */
export interface IchimokuOptions {
  /** Candles of the conversion line. */
  readonly conversion: number;
  /** Candles of the base line. */
  readonly base: number;
  /** Candles of span B. */
  readonly span: number;
}

/** Prices, USDT. The spans are as they are made; charts draw them 26 candles later. */
export interface IchimokuValue {
  /** Middle of the range of the last `conversion` candles. */
  readonly conversion: number;
  /** Middle of the range of the last `base` candles. */
  readonly base: number;
  /** Middle of conversion and base line. */
  readonly spanA: number;
  /** Middle of the range of the last `span` candles. */
  readonly spanB: number;
}

/**
 * Hosoda's Ichimoku lines: middles of the range of the last `conversion`, `base` and `span` candles, and
 * span A, the middle of conversion and base. None is moved: a value belongs to its candle, so the cloud
 * under the newest candle is the value of 26 candles ago.
 */
export function ichimoku(given: Partial<IchimokuOptions> = {}): Indicator<HighLow, IchimokuValue> {
  const usual: IchimokuOptions = { conversion: 9, base: 26, span: 52 };
  const { conversion, base, span } = withDefaults('ichimoku', usual, given);
  checkPeriod('ichimoku (conversion)', conversion);
  checkPeriod('ichimoku (base)', base);
  checkPeriod('ichimoku (span)', span);
  return new TechnicalIndicator<HighLow, IchimokuValue>({
    name: 'ichimoku',
    warmup: Math.max(conversion, base, span),
    fields: HIGH_LOW,
    parts: ['conversion', 'base', 'spanA', 'spanB'],
    start({ IchimokuCloud }) {
      const inner = new IchimokuCloud({
        conversionPeriod: conversion,
        basePeriod: base,
        spanPeriod: span,
        displacement: 1,
        high: [],
        low: [],
        format: unrounded,
      });
      return ({ high, low }) =>
        inner.nextValue({ high, low } as never) as IchimokuValue | undefined;
    },
  });
}
