import type { Channel } from '../volatility/donchian-channel.js';
import {
  checkAboveZero,
  checkPeriod,
  withDefaults,
  type HighLowInput,
  type Indicator,
  type RangeInput,
} from '../indicator.js';
import { LibraryIndicator, unrounded } from './library-indicator.js';

const RANGE = ['high', 'low', 'close'] as const;
const HIGH_LOW = ['high', 'low'] as const;

/** Wilder's average: (value × (period − 1) + input) / period, seeded with the mean of the first inputs. */
export function wilder(period: number): Indicator {
  checkPeriod('wilder', period);
  return new LibraryIndicator<number, number>({
    name: 'wilder',
    warmup: period,
    fields: undefined,
    outputFields: undefined,
    createStep({ WEMA }) {
      const inner = new WEMA({ period, values: [], format: unrounded });
      return (input) => inner.nextValue(input);
    },
  });
}

/** Wilder's true range of one candle. It needs the previous close, so the first candle has none. */
export function trueRange(): Indicator<RangeInput> {
  return new LibraryIndicator<RangeInput, number>({
    name: 'trueRange',
    warmup: 2,
    fields: RANGE,
    outputFields: undefined,
    createStep({ TrueRange }) {
      const inner = new TrueRange({ high: [], low: [], close: [], format: unrounded });
      // The package retains the candle until the next one; ours may be a reused view.
      return ({ high, low, close }) => inner.nextValue({ high, low, close } as never);
    },
  });
}

/** Options of `indicators.psar`; default 0.02 and 0.2. */
export interface PsarOptions {
  /** Acceleration at the start of a trend, and its increase with each new extreme. */
  readonly step: number;
  /** Largest acceleration. */
  readonly max: number;
}

/**
 * Wilder's parabolic stop-and-reverse, in USDT. The first trend is up. Other libraries may start
 * differently; the values agree after the first common reversal.
 */
export function psar(given: Partial<PsarOptions> = {}): Indicator<HighLowInput> {
  const { step, max } = withDefaults('psar', { step: 0.02, max: 0.2 }, given);
  checkAboveZero('psar', 'step', step);
  checkAboveZero('psar', 'max', max);
  return new LibraryIndicator<HighLowInput, number>({
    name: 'psar',
    warmup: 1,
    fields: HIGH_LOW,
    outputFields: undefined,
    createStep({ PSAR }) {
      const inner = new PSAR({ step, max, high: [], low: [], format: unrounded });
      return ({ high, low }) => inner.nextValue({ high, low } as never);
    },
  });
}

/** Options of `indicators.keltner`; default 20, 10 and 2. */
export interface KeltnerOptions {
  /** Period of the exponential average of closes. */
  readonly period: number;
  /** Period of the average true range. */
  readonly atrPeriod: number;
  /** Half width, in average true ranges. */
  readonly multiplier: number;
}

/** Keltner's channel in the form of Raschke: EMA of closes ± multiplier × average true range. */
export function keltner(given: Partial<KeltnerOptions> = {}): Indicator<RangeInput, Channel> {
  const defaults: KeltnerOptions = { period: 20, atrPeriod: 10, multiplier: 2 };
  const { period, atrPeriod, multiplier } = withDefaults('keltner', defaults, given);
  checkPeriod('keltner', period);
  checkPeriod('keltner (atrPeriod)', atrPeriod);
  checkAboveZero('keltner', 'multiplier', multiplier);
  return new LibraryIndicator<RangeInput, Channel>({
    name: 'keltner',
    warmup: Math.max(period, atrPeriod + 1),
    fields: RANGE,
    outputFields: ['upper', 'middle', 'lower'],
    createStep({ KeltnerChannels }) {
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

/** Options of `indicators.chandelier`; default 22 and 3. */
export interface ChandelierOptions {
  /** Number of candles of the extremes and of the average true range. */
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
  return new LibraryIndicator<RangeInput, ChandelierValue>({
    name: 'chandelier',
    warmup: period + 1,
    fields: RANGE,
    outputFields: ['long', 'short'],
    createStep({ ChandelierExit }) {
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

/** Options of `indicators.ichimoku`; default 9, 26 and 52. */
export interface IchimokuOptions {
  /** Number of candles of the conversion line. */
  readonly conversion: number;
  /** Number of candles of the base line. */
  readonly base: number;
  /** Number of candles of span B. */
  readonly span: number;
}

/** Prices, USDT. The spans belong to the newest candle; charts draw them 26 candles later. */
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
 * Hosoda's Ichimoku lines: the middle of the range of the last `conversion`, `base` and `span` candles,
 * and span A, the middle of conversion and base. No line is displaced: a value belongs to its candle, so
 * the cloud at the newest candle is the value of 26 candles ago.
 */
export function ichimoku(
  given: Partial<IchimokuOptions> = {},
): Indicator<HighLowInput, IchimokuValue> {
  const defaults: IchimokuOptions = { conversion: 9, base: 26, span: 52 };
  const { conversion, base, span } = withDefaults('ichimoku', defaults, given);
  checkPeriod('ichimoku (conversion)', conversion);
  checkPeriod('ichimoku (base)', base);
  checkPeriod('ichimoku (span)', span);
  return new LibraryIndicator<HighLowInput, IchimokuValue>({
    name: 'ichimoku',
    warmup: Math.max(conversion, base, span),
    fields: HIGH_LOW,
    outputFields: ['conversion', 'base', 'spanA', 'spanB'],
    createStep({ IchimokuCloud }) {
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
