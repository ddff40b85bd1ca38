import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../core/candle.js';
import { CandleColumns } from '../candles/candle-columns.js';
import type { Indicator } from './indicator.js';
import { indicators, type Indicators } from './indicators.js';
import { PATTERN_NAMES } from './library/library-candles.js';

/** A random walk with flat stretches, in whole cents. */
function walk(count: number): readonly Candle[] {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
  let last = 1_000;
  return Array.from({ length: count }, (_, index) => {
    const open = last;
    const isStill = index % 40 > 32;
    const close = isStill ? open : Math.round((open + (random() - 0.5) * 20) * 100) / 100;
    last = close;
    const reach = isStill ? 0 : 5;
    return {
      openTime: index * 3_600_000,
      open,
      high: Math.max(open, close) + random() * reach,
      low: Math.min(open, close) - random() * reach,
      close,
      volume: isStill ? 0 : 1 + Math.floor(random() * 100),
    };
  });
}

type Any = Indicator<unknown, unknown>;
type Form = 'numbers' | 'candles';

const every: readonly [keyof Indicators, Form, () => unknown, number][] = [
  ['sma', 'numbers', () => indicators.sma(7), 7],
  ['mean', 'numbers', () => indicators.mean(7), 7],
  ['ema', 'numbers', () => indicators.ema(7), 7],
  ['wma', 'numbers', () => indicators.wma(7), 7],
  ['dema', 'numbers', () => indicators.dema(7), 13],
  ['tema', 'numbers', () => indicators.tema(7), 19],
  ['hma', 'numbers', () => indicators.hma(9), 11],
  ['wilder', 'numbers', () => indicators.wilder(7), 7],
  ['highest', 'numbers', () => indicators.highest(7), 7],
  ['lowest', 'numbers', () => indicators.lowest(7), 7],
  ['deviation', 'numbers', () => indicators.deviation(7), 7],
  ['bollinger', 'numbers', () => indicators.bollinger(), 20],
  ['rsi', 'numbers', () => indicators.rsi(7), 8],
  ['stochasticRsi', 'numbers', () => indicators.stochasticRsi(), 32],
  ['macd', 'numbers', () => indicators.macd(), 34],
  ['trix', 'numbers', () => indicators.trix(7), 20],
  ['roc', 'numbers', () => indicators.roc(7), 8],
  ['kst', 'numbers', () => indicators.kst(), 53],
  ['donchian', 'candles', () => indicators.donchian(7), 7],
  ['keltner', 'candles', () => indicators.keltner(), 20],
  ['trueRange', 'candles', () => indicators.trueRange(), 2],
  ['atr', 'candles', () => indicators.atr(7), 8],
  ['adx', 'candles', () => indicators.adx(7), 14],
  ['stochastic', 'candles', () => indicators.stochastic(), 18],
  ['supertrend', 'candles', () => indicators.supertrend(), 11],
  ['vwap', 'candles', () => indicators.vwap(), 1],
  ['mfi', 'candles', () => indicators.mfi(7), 8],
  ['obv', 'candles', () => indicators.obv(), 1],
  ['adl', 'candles', () => indicators.adl(), 1],
  ['forceIndex', 'candles', () => indicators.forceIndex(7), 8],
  ['cci', 'candles', () => indicators.cci(7), 7],
  ['williamsR', 'candles', () => indicators.williamsR(7), 7],
  ['awesomeOscillator', 'candles', () => indicators.awesomeOscillator(), 34],
  ['psar', 'candles', () => indicators.psar(), 1],
  ['chandelier', 'candles', () => indicators.chandelier(), 23],
  ['ichimoku', 'candles', () => indicators.ichimoku(), 52],
  ['heikinAshi', 'candles', () => indicators.heikinAshi(), 1],
  ['pattern', 'candles', () => indicators.pattern('bullishengulfingpattern'), 2],
];

const candles = walk(200);
const inputsOf = (form: Form): readonly unknown[] =>
  form === 'numbers' ? candles.map(({ close }) => close) : candles;
const columnsOf = (form: Form): never =>
  (form === 'numbers'
    ? Float64Array.from(candles, ({ close }) => close)
    : CandleColumns.from(candles)) as never;

const numbersOf = (value: unknown): readonly number[] =>
  typeof value === 'number' ? [value] : Object.values(value as Record<string, number>);

/** The numbers of a column form, row by row. */
function rowsOf(columns: unknown): (readonly number[])[] {
  const list = columns instanceof Float64Array ? [columns] : Object.values(columns as object);
  return candles.map((_, row) => list.map((column) => (column as Float64Array)[row] ?? NaN));
}

it('the table covers every indicator of the facade, 30 or more', () => {
  expect(every.map(([name]) => name).sort()).toEqual(Object.keys(indicators).sort());
  expect(every.length).toBeGreaterThanOrEqual(30);
});

it('docs/indicators.md describes every indicator', () => {
  const table = readFileSync('docs/indicators.md', 'utf8');
  const listed = [...table.matchAll(/`(\w+)\([^`]*\)`/g)].map(([, name]) => name);
  for (const [name] of every) expect(listed).toContain(name);
});

describe.each(every)('%s', (name, form, make, warmup) => {
  const create = (): Any => make() as Any;
  const inputs = inputsOf(form);

  it('the value is undefined during the warm-up and finite afterwards', () => {
    const one = create();
    expect(one.warmup).toBe(warmup);
    expect(one.name).toContain(name);
    expect(one.value).toBeUndefined();
    const values = inputs.map((input) => one.next(input));
    expect(values.findIndex((value) => value !== undefined)).toBe(warmup - 1);
    const known = values.slice(warmup - 1).filter((value) => value !== undefined);
    // Only a session without volume has no price.
    if (name !== 'vwap') expect(known.length).toBe(inputs.length - warmup + 1);
    for (const value of known)
      for (const part of numbersOf(value)) {
        expect(Number.isFinite(part)).toBe(true);
      }
  });

  it('next, value, its fields and update give the same value', () => {
    const [one, other] = [create(), create()];
    for (const input of inputs) {
      const value = one.next(input);
      other.update(input);
      expect(one.value).toEqual(value);
      expect(other.value).toEqual(value);
      const isOwn = typeof value === 'object' && value !== null && !('step' in one);
      if (!isOwn) continue;
      for (const [part, number] of Object.entries(value)) {
        if (part in one) expect((one as unknown as Record<string, unknown>)[part]).toBe(number);
      }
    }
  });

  it('over gives the same values and does not change the state', () => {
    const [one, bystander] = [create(), create()];
    for (const input of inputs.slice(0, 60)) bystander.update(input);
    const before = bystander.value;
    const rows = rowsOf(bystander.over(columnsOf(form)));
    expect(bystander.value).toEqual(before);
    inputs.forEach((input, row) => {
      const value = one.next(input);
      if (value === undefined) for (const part of rows[row] ?? []) expect(part).toBeNaN();
      else expect(rows[row]).toEqual(numbersOf(value));
    });
  });

  it('reset restores the initial state', () => {
    const one = create();
    const first = inputs.map((input) => one.next(input));
    one.reset();
    expect(one.value).toBeUndefined();
    expect(inputs.map((input) => one.next(input))).toEqual(first);
  });

  it('a reused candle view is not retained', () => {
    if (form === 'numbers') return;
    const view: Record<string, number> = {};
    const [one, other] = [create(), create()];
    for (const candle of candles) {
      Object.assign(view, candle);
      expect(one.next(view)).toEqual(other.next(candle));
    }
  });

  const spoiled: readonly unknown[] =
    form === 'numbers'
      ? [NaN, Infinity, -Infinity, undefined, '5']
      : [NaN, Infinity, undefined].map((bad) => ({
          openTime: bad,
          open: bad,
          high: bad,
          low: bad,
          close: bad,
          volume: bad,
        }));

  it('an input that is not finite is refused by name and does not change the state', () => {
    const [disturbed, calm] = [create(), create()];
    for (const input of inputs.slice(0, 60)) {
      for (const bad of spoiled) {
        expect(() => disturbed.next(bad)).toThrow(RangeError);
        expect(() => disturbed.next(bad)).toThrow(`${disturbed.name} takes finite numbers, not`);
      }
      expect(disturbed.next(input)).toEqual(calm.next(input));
    }
  });

  it('a column with a NaN is refused with its row', () => {
    const columns = columnsOf(form) as Float64Array | CandleColumns;
    const holed = columns instanceof Float64Array ? [columns] : [columns.high, columns.close];
    for (const column of holed) column[57] = NaN;
    expect(() => create().over(columns as never)).toThrow('not NaN in row 57');
  });

  it('columns in shared memory give columns in shared memory', () => {
    const shared = (column: Float64Array): Float64Array => {
      const copy = new Float64Array(new SharedArrayBuffer(8 * candles.length));
      copy.set(column.subarray(0, candles.length));
      return copy;
    };
    const columns = columnsOf(form) as Float64Array | CandleColumns;
    const input =
      columns instanceof Float64Array
        ? shared(columns)
        : {
            openTime: shared(columns.openTime),
            open: shared(columns.open),
            high: shared(columns.high),
            low: shared(columns.low),
            close: shared(columns.close),
            volume: shared(columns.volume),
          };
    const result = create().over(input as never);
    const list = result instanceof Float64Array ? [result] : Object.values(result as object);
    for (const column of list) {
      expect((column as Float64Array).buffer).toBeInstanceOf(SharedArrayBuffer);
    }
  });
});

describe('columns', () => {
  it('columns of one indicator are inputs of another, which skips their warm-up', () => {
    const closes = Float64Array.from(candles, ({ close }) => close);
    const smooth = indicators.sma(5).over(indicators.rsi(14).over(closes));
    expect(smooth.findIndex((value) => !Number.isNaN(value))).toBe(14 + 4);
    const [rsi, mean] = [indicators.rsi(14), indicators.sma(5)];
    const streamed = Array.from(closes, (close) => {
      const value = rsi.next(close);
      return (value === undefined ? undefined : mean.next(value)) ?? NaN;
    });
    expect([...smooth]).toEqual(streamed);
  });

  it('columns longer than the series count only its rows', () => {
    const columns = new CandleColumns(1_024);
    for (const candle of candles) columns.push(candle);
    expect(columns.close.length).toBeGreaterThan(candles.length);
    expect(indicators.atr(14).over(columns).length).toBe(candles.length);
  });

  it('columns with infinities that cancel out are refused with row and field', () => {
    const high = Float64Array.of(3, 3, Infinity);
    const low = Float64Array.of(1, 1, -Infinity);
    expect(() => indicators.donchian(2).over({ high, low })).toThrow(
      'donchian takes finite numbers, not Infinity in row 2 of high',
    );
    expect(() => indicators.awesomeOscillator().over({ high, low })).toThrow(
      'not Infinity in row 2 of high',
    );
  });

  it('columns of different lengths are refused by name', () => {
    const [high, low] = [new Float64Array(3), new Float64Array(2)];
    expect(() => indicators.donchian(2).over({ high, low })).toThrow('low has 2 rows of 3');
  });
});

describe('refused options', () => {
  it.each([0, -1, 1.5, NaN, Infinity, 1e12])('a period of %s is refused', (bad) => {
    const ofPeriod = [
      'sma',
      'ema',
      'wma',
      'dema',
      'tema',
      'hma',
      'wilder',
      'highest',
      'lowest',
    ] as const;
    const more = ['deviation', 'rsi', 'trix', 'roc', 'donchian', 'atr', 'adx', 'mfi'] as const;
    const last = ['forceIndex', 'cci', 'williamsR'] as const;
    for (const name of [...ofPeriod, ...more, ...last]) {
      expect(() => indicators[name](bad)).toThrow(`The period of ${name} is a whole number`);
    }
    expect(() => indicators.stochastic({ smooth: bad })).toThrow('stochastic (smooth)');
    expect(() => indicators.supertrend({ period: bad })).toThrow('supertrend');
    expect(() => indicators.keltner({ atrPeriod: bad })).toThrow('keltner (atrPeriod)');
    expect(() => indicators.kst({ signal: bad })).toThrow('kst');
  });

  it('a multiplier that is not above 0 is refused', () => {
    expect(() => indicators.bollinger({ deviations: 0 })).toThrow('The deviations of bollinger');
    expect(() => indicators.supertrend({ multiplier: NaN })).toThrow(
      'The multiplier of supertrend',
    );
    expect(() => indicators.psar({ step: -1 })).toThrow('The step of psar');
  });

  it('an unknown option is refused', () => {
    const options = { interval: '1h' } as object;
    expect(() => indicators.macd(options)).toThrow(
      'macd has no option interval; it has fast, slow, signal',
    );
    expect(() => indicators.pattern('dojo' as never)).toThrow('There is no pattern dojo');
    expect(() => indicators.vwap({ session: '2d' as never })).toThrow('The session of vwap');
  });
});

describe('known faults of technicalindicators', () => {
  it('every pattern accepts a flat market and is 0 or 1', () => {
    const flat = { open: 5, high: 5, low: 5, close: 5 };
    for (const name of PATTERN_NAMES) {
      const one = indicators.pattern(name);
      for (let count = 0; count < 6; count++) one.next(flat);
      expect([0, 1], name).toContain(one.value);
    }
  });

  it('a bullish engulfing is found', () => {
    const one = indicators.pattern('bullishengulfingpattern');
    expect(one.next({ open: 10, high: 11, low: 7, close: 8 })).toBeUndefined();
    expect(one.next({ open: 7, high: 13, low: 6, close: 12 })).toBe(1);
    expect(one.next({ open: 12, high: 13, low: 11, close: 12.5 })).toBe(0);
  });

  it('a flat market gives the middle of the range or undefined, never NaN', () => {
    const flat = { openTime: 0, open: 0.1, high: 0.1, low: 0.1, close: 0.1, volume: 0 };
    const last = (one: Any, input: unknown): unknown => {
      for (let count = 0; count < 100; count++) one.update(input);
      return one.value;
    };
    expect(last(indicators.williamsR(14) as Any, flat)).toBe(-50);
    expect(last(indicators.cci(14) as Any, flat)).toBe(0);
    expect(last(indicators.mfi(14) as Any, flat)).toBe(50);
    expect(last(indicators.adx(14) as Any, flat)).toEqual({ adx: 0, plus: 0, minus: 0 });
    expect(last(indicators.stochastic() as Any, flat)).toEqual({ k: 50, d: 50 });
    expect(last(indicators.deviation(14) as Any, 0.1)).toBe(0);
    expect(last(indicators.kst() as Any, 0.1)).toEqual({ kst: 0, signal: 0 });
    expect(last(indicators.adl() as Any, flat)).toBe(0);
  });

  it('a rate of change refuses a price of 0', () => {
    expect(() => indicators.roc(3).next(0)).toThrow('roc takes prices above 0, not 0');
    expect(() => indicators.kst().next(-1)).toThrow('kst takes prices above 0');
  });
});

describe('vwap', () => {
  const at = (openTime: number, price: number, volume: number): Candle => ({
    openTime,
    open: price,
    high: price,
    low: price,
    close: price,
    volume,
  });
  const DAY = 86_400_000;

  it('vwap restarts with the session and is undefined until the session has volume', () => {
    const vwap = indicators.vwap();
    expect(vwap.next(at(0, 10, 1))).toBe(10);
    expect(vwap.next(at(60_000, 20, 3))).toBe(17.5);
    expect(vwap.next(at(DAY, 30, 0))).toBeUndefined();
    expect(vwap.next(at(DAY + 60_000, 40, 2))).toBe(40);
  });

  it('vwap refuses a candle of a past session and a volume below 0', () => {
    const vwap = indicators.vwap({ session: '1h' });
    vwap.next(at(DAY, 10, 1));
    expect(() => vwap.next(at(DAY - 1, 10, 1))).toThrow('in the order of time');
    expect(() => vwap.next(at(DAY + 1, 10, -1))).toThrow('volumes from 0');
    expect(vwap.next(at(DAY + 2, 20, 1))).toBe(15);
  });
});
