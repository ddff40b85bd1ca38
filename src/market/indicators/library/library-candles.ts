import type { Candle } from '../../../core/candle.js';
import type { Indicator } from '../indicator.js';
import { LibraryIndicator, unrounded } from './library-indicator.js';

/** The prices of a candle, in USDT. */
export type OhlcInput = Pick<Candle, 'open' | 'high' | 'low' | 'close'>;
const PRICES = ['open', 'high', 'low', 'close'] as const;

/**
 * Heikin-Ashi candles. The close is the mean of the four prices. The open is the middle of the previous
 * Heikin-Ashi candle, or of the first candle itself. High and low include both. No order fills at these
 * prices.
 */
export function heikinAshi(): Indicator<OhlcInput, OhlcInput> {
  return new LibraryIndicator<OhlcInput, OhlcInput>({
    name: 'heikinAshi',
    warmup: 1,
    fields: PRICES,
    outputFields: PRICES,
    createStep({ HeikinAshi }) {
      const inner = new HeikinAshi({ open: [], high: [], low: [], close: [], format: unrounded });
      return (candle) => {
        const { open, high, low, close } = inner.nextValue(candle as never) as unknown as OhlcInput;
        return { open, high, low, close };
      };
    },
  });
}

/** Candlestick patterns, by their names in the package technicalindicators. */
export type PatternName =
  | 'abandonedbaby'
  | 'bearishengulfingpattern'
  | 'bearishhammerstick'
  | 'bearishharami'
  | 'bearishharamicross'
  | 'bearishinvertedhammerstick'
  | 'bearishmarubozu'
  | 'bearishspinningtop'
  | 'bullishengulfingpattern'
  | 'bullishhammerstick'
  | 'bullishharami'
  | 'bullishharamicross'
  | 'bullishinvertedhammerstick'
  | 'bullishmarubozu'
  | 'bullishspinningtop'
  | 'darkcloudcover'
  | 'doji'
  | 'downsidetasukigap'
  | 'dragonflydoji'
  | 'eveningdojistar'
  | 'eveningstar'
  | 'gravestonedoji'
  | 'hammerpattern'
  | 'hangingman'
  | 'morningdojistar'
  | 'morningstar'
  | 'piercingline'
  | 'shootingstar'
  | 'threeblackcrows'
  | 'threewhitesoldiers'
  | 'tweezerbottom'
  | 'tweezertop';

/** Number of candles of each pattern. */
const PATTERNS: Readonly<Record<PatternName, number>> = {
  abandonedbaby: 3,
  bearishengulfingpattern: 2,
  bearishhammerstick: 1,
  bearishharami: 2,
  bearishharamicross: 2,
  bearishinvertedhammerstick: 1,
  bearishmarubozu: 1,
  bearishspinningtop: 1,
  bullishengulfingpattern: 2,
  bullishhammerstick: 1,
  bullishharami: 2,
  bullishharamicross: 2,
  bullishinvertedhammerstick: 1,
  bullishmarubozu: 1,
  bullishspinningtop: 1,
  darkcloudcover: 2,
  doji: 1,
  downsidetasukigap: 3,
  dragonflydoji: 1,
  eveningdojistar: 3,
  eveningstar: 3,
  gravestonedoji: 1,
  hammerpattern: 5,
  hangingman: 5,
  morningdojistar: 3,
  morningstar: 3,
  piercingline: 2,
  shootingstar: 5,
  threeblackcrows: 3,
  threewhitesoldiers: 3,
  tweezerbottom: 5,
  tweezertop: 5,
};

export const PATTERN_NAMES = Object.keys(PATTERNS) as readonly PatternName[];

/**
 * Whether a candlestick pattern ends with the newest candle: 1 or 0. The definitions are those of the
 * package, for which prices within 0.1 % are equal: read its source before you trade on them.
 */
export function pattern(name: PatternName): Indicator<OhlcInput> {
  if (!Object.hasOwn(PATTERNS, name)) {
    throw new RangeError(`There is no pattern ${name}; there are ${PATTERN_NAMES.join(', ')}`);
  }
  const count = PATTERNS[name];
  return new LibraryIndicator<OhlcInput, number>({
    name: `pattern (${name})`,
    warmup: count,
    fields: PRICES,
    outputFields: undefined,
    createStep(library) {
      const isPattern = library[name] as unknown as (candles: CandleLists) => boolean;
      const recent: CandleLists = { open: [], high: [], low: [], close: [] };
      return (candle) => {
        for (const field of PRICES) {
          recent[field].push(candle[field]);
          if (recent[field].length > count) recent[field].shift();
        }
        return recent.close.length === count && isPattern(recent) ? 1 : 0;
      };
    },
  });
}

type CandleLists = Record<keyof OhlcInput, number[]>;
