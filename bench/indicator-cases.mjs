// The cases of bench:indicators: the same indicator of each library, its input, and how one number is read
// from its value. A library without such an indicator has no case.
import { createRequire } from 'node:module';

const none = { values: [], open: [], high: [], low: [], close: [], volume: [] };

const number = (value) => value;

/** name: [input, { sluice, technicalindicators, trading-signals }], each [make, read] */
export const CASES = {
  sma: [
    'close',
    {
      sluice: [({ sma }) => sma(20), number],
      technicalindicators: [({ SMA }) => new SMA({ ...none, period: 20 }), number],
      'trading-signals': [({ SMA }) => new SMA(20), number],
    },
  ],
  ema: [
    'close',
    {
      sluice: [({ ema }) => ema(20), number],
      technicalindicators: [({ EMA }) => new EMA({ ...none, period: 20 }), number],
      'trading-signals': [({ EMA }) => new EMA(20), number],
    },
  ],
  wma: [
    'close',
    {
      sluice: [({ wma }) => wma(20), number],
      technicalindicators: [({ WMA }) => new WMA({ ...none, period: 20 }), number],
      'trading-signals': [({ WMA }) => new WMA(20), number],
    },
  ],
  rsi: [
    'close',
    {
      sluice: [({ rsi }) => rsi(14), number],
      technicalindicators: [({ RSI }) => new RSI({ ...none, period: 14 }), number],
      'trading-signals': [({ RSI }) => new RSI(14), number],
    },
  ],
  macd: [
    'close',
    {
      sluice: [({ macd }) => macd(), (value) => value.histogram],
      technicalindicators: [
        ({ MACD }) =>
          new MACD({
            ...none,
            fastPeriod: 12,
            slowPeriod: 26,
            signalPeriod: 9,
            SimpleMAOscillator: false,
            SimpleMASignal: false,
          }),
        (value) => value.histogram ?? 0,
      ],
      'trading-signals': [
        ({ MACD, EMA }) => new MACD(new EMA(12), new EMA(26), new EMA(9)),
        (value) => value.histogram,
      ],
    },
  ],
  bollinger: [
    'close',
    {
      sluice: [({ bollinger }) => bollinger(), (value) => value.upper],
      technicalindicators: [
        ({ BollingerBands }) => new BollingerBands({ ...none, period: 20, stdDev: 2 }),
        (value) => value.upper,
      ],
      'trading-signals': [
        ({ BollingerBands }) => new BollingerBands(20, 2),
        (value) => value.upper,
      ],
    },
  ],
  deviation: [
    'close',
    {
      sluice: [({ deviation }) => deviation(20), number],
      technicalindicators: [({ SD }) => new SD({ ...none, period: 20 }), number],
    },
  ],
  highest: [
    'close',
    {
      sluice: [({ highest }) => highest(20), number],
      technicalindicators: [({ Highest }) => new Highest({ ...none, period: 20 }), number],
    },
  ],
  lowest: [
    'close',
    {
      sluice: [({ lowest }) => lowest(20), number],
      technicalindicators: [({ Lowest }) => new Lowest({ ...none, period: 20 }), number],
    },
  ],
  atr: [
    'candle',
    {
      sluice: [({ atr }) => atr(14), number],
      technicalindicators: [({ ATR }) => new ATR({ ...none, period: 14 }), number],
      'trading-signals': [({ ATR }) => new ATR(14), number],
    },
  ],
  donchian: [
    'candle',
    {
      sluice: [({ donchian }) => donchian(20), (value) => value.upper],
      technicalindicators: [twoExtremes, (value) => value.upper],
      'trading-signals': [
        ({ DonchianChannels }) => new DonchianChannels(20),
        (value) => value.upper,
      ],
    },
  ],
  stochastic: [
    'candle',
    {
      sluice: [({ stochastic }) => stochastic(), (value) => value.d],
      technicalindicators: [
        ({ Stochastic }) => new Stochastic({ ...none, period: 14, signalPeriod: 3 }),
        (value) => value.d ?? 0,
      ],
      'trading-signals': [
        ({ StochasticOscillator }) =>
          new StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 }),
        (value) => value.stochD,
      ],
    },
  ],
  adx: [
    'candle',
    {
      sluice: [({ adx }) => adx(14), (value) => value.adx],
      technicalindicators: [
        ({ ADX }) => new ADX({ ...none, period: 14 }),
        (value) => value.adx ?? 0,
      ],
      'trading-signals': [({ ADX }) => new ADX(14), number],
    },
  ],
  supertrend: [
    'candle',
    {
      sluice: [({ supertrend }) => supertrend(), (value) => value.line],
      'trading-signals': [
        ({ SuperTrend }) => new SuperTrend({ interval: 10, multiplier: 3 }),
        (value) => value.supertrend,
      ],
    },
  ],
  vwap: [
    'candle',
    {
      sluice: [({ vwap }) => vwap(), number],
      technicalindicators: [({ VWAP }) => new VWAP({ ...none }), number],
      'trading-signals': [({ VWAP }) => new VWAP(), number],
    },
  ],
  mfi: [
    'candle',
    {
      sluice: [({ mfi }) => mfi(14), number],
      technicalindicators: [({ MFI }) => new MFI({ ...none, period: 14 }), number],
      'trading-signals': [({ MFI }) => new MFI(14), number],
    },
  ],
  obv: [
    'candle',
    {
      sluice: [({ obv }) => obv(), number],
      technicalindicators: [({ OBV }) => new OBV({ ...none }), number],
      'trading-signals': [({ OBV }) => new OBV(2), number],
    },
  ],
  adl: [
    'candle',
    {
      sluice: [({ adl }) => adl(), number],
      technicalindicators: [({ ADL }) => new ADL({ ...none }), number],
      'trading-signals': [({ AD }) => new AD(), number],
    },
  ],
  forceIndex: [
    'candle',
    {
      sluice: [({ forceIndex }) => forceIndex(13), number],
      technicalindicators: [({ ForceIndex }) => new ForceIndex({ ...none, period: 13 }), number],
      'trading-signals': [({ ForceIndex }) => new ForceIndex(13), number],
    },
  ],
  cci: [
    'candle',
    {
      sluice: [({ cci }) => cci(20), number],
      technicalindicators: [({ CCI }) => new CCI({ ...none, period: 20 }), number],
      'trading-signals': [({ CCI }) => new CCI(20), number],
    },
  ],
  trix: [
    'close',
    {
      sluice: [({ trix }) => trix(15), number],
      technicalindicators: [({ TRIX }) => new TRIX({ ...none, period: 15 }), number],
      'trading-signals': [({ TRIX }) => new TRIX(15, 9), (value) => value.trix ?? value],
    },
  ],
  stochasticRsi: [
    'close',
    {
      sluice: [({ stochasticRsi }) => stochasticRsi(), (value) => value.d],
      technicalindicators: [
        ({ StochasticRSI }) =>
          new StochasticRSI({
            ...none,
            rsiPeriod: 14,
            stochasticPeriod: 14,
            kPeriod: 3,
            dPeriod: 3,
          }),
        (value) => value.d ?? 0,
      ],
      'trading-signals': [({ StochasticRSI }) => new StochasticRSI(14), number],
    },
  ],
  dema: [
    'close',
    {
      sluice: [({ dema }) => dema(20), number],
      'trading-signals': [({ DEMA }) => new DEMA(20), number],
    },
  ],
  tema: [
    'close',
    {
      sluice: [({ tema }) => tema(20), number],
      'trading-signals': [({ TEMA }) => new TEMA(20), number],
    },
  ],
  hma: [
    'close',
    {
      sluice: [({ hma }) => hma(20), number],
      'trading-signals': [({ HMA }) => new HMA(20), number],
    },
  ],
};

/** technicalindicators has no Donchian channel: its highest and lowest, side by side. */
function twoExtremes({ Highest, Lowest }) {
  const highest = new Highest({ ...none, period: 20 });
  const lowest = new Lowest({ ...none, period: 20 });
  return {
    nextValue({ high, low }) {
      const [upper, lower] = [highest.nextValue(high), lowest.nextValue(low)];
      return upper === undefined ? undefined : { upper, middle: (upper + lower) / 2, lower };
    },
  };
}

/** @returns the library, and how one of its indicators takes an input */
export async function libraryOf(name, packages) {
  if (name === 'sluice') {
    const { indicators } = await import('../dist/src/market/indicators/indicators.js');
    return { library: indicators, method: 'next' };
  }
  if (name === 'technicalindicators') {
    const library = createRequire(import.meta.url)('technicalindicators');
    return { library, method: 'nextValue' };
  }
  const path = createRequire(packages).resolve('trading-signals');
  return { library: await import(path), method: 'add' };
}

/** A walk around 1e5 with candles of a minute: the same numbers for everybody, whole cents. */
export function candlesOf(count) {
  let seed = 42;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return (seed >>> 0) / 4_294_967_296;
  };
  const cents = (price) => Math.round(price * 100) / 100;
  let last = 100_000;
  return Array.from({ length: count }, (_, index) => {
    const open = last;
    const close = cents(Math.max(1_000, open + (random() - 0.5) * 100));
    last = close;
    return {
      openTime: 1_746_403_200_000 + index * 60_000,
      open,
      high: cents(Math.max(open, close) + random() * 30),
      low: cents(Math.min(open, close) - random() * 30),
      close,
      volume: 1 + Math.floor(random() * 1_000) / 10,
    };
  });
}
