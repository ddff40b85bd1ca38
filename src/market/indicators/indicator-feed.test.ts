import { describe, expect, it } from 'vitest';
import type { Candle } from '../../core/candle.js';
import { CandleColumns } from '../candles/candle-columns.js';
import type { HostFedIndicator } from './indicator-feed.js';
import { createIndicators, indicators } from './indicators.js';

const candle = (open: number, high: number, low: number, close: number): Candle => ({
  openTime: 0,
  open,
  high,
  low,
  close,
  volume: 7,
});

function hosted() {
  const fed: HostFedIndicator[] = [];
  return { fed, indicators: createIndicators((one) => fed.push(one)) };
}

describe('an indicator with a feed', () => {
  it('the indicator is registered with its feed and its warm-up', () => {
    const { fed, indicators: own } = hosted();
    own.rsi(14, { on: 'close', interval: '1h' });
    own.atr(5, { symbol: 'ETHUSDT' });
    own.obv({});
    expect(fed.map(({ name, warmup, feed }) => ({ name, warmup, feed }))).toEqual([
      { name: 'rsi', warmup: 15, feed: { interval: '1h', symbol: undefined } },
      { name: 'atr', warmup: 6, feed: { interval: undefined, symbol: 'ETHUSDT' } },
      { name: 'obv', warmup: 1, feed: { interval: undefined, symbol: undefined } },
    ]);
  });

  it('the value follows the updates of the host', () => {
    const { fed, indicators: own } = hosted();
    const mean = own.sma(2, { interval: '1h' });
    const bands = own.bollinger({ period: 2 }, { interval: '1h' });
    expect(mean.value).toBeUndefined();
    for (const close of [4, 8]) for (const one of fed) one.update(candle(4, 9, 3, close));
    expect(mean.value).toBe(6);
    expect(bands.value).toEqual({ upper: 10, middle: 6, lower: 2 });
    expect(bands.upper).toBe(10);
    for (const one of fed) one.reset();
    expect([mean.value, bands.value]).toEqual([undefined, undefined]);
  });

  it.each([
    ['open', 1],
    ['high', 9],
    ['low', 0],
    ['close', 2],
    ['volume', 7],
    ['hl2', 4.5],
    ['hlc3', 11 / 3],
    ['ohlc4', 3],
    [(one: Candle) => one.high - one.low, 9],
  ] as const)('a feed on %s passes that number of the candle', (on, expected) => {
    const { fed, indicators: own } = hosted();
    const newest = own.sma(1, { on });
    fed[0]?.update(candle(1, 9, 0, 2));
    expect(newest.value).toBe(expected);
  });

  it('over computes the columns of whole candles', () => {
    const { fed, indicators: own } = hosted();
    own.sma(2, { on: 'hl2' });
    own.donchian(2, { on: 'close' });
    const columns = CandleColumns.from([candle(1, 4, 2, 3), candle(3, 8, 6, 7)]);
    expect(fed[0]?.over(columns)).toEqual(Float64Array.of(NaN, 5));
    expect(fed[1]?.over(columns)).toMatchObject({ upper: Float64Array.of(NaN, 8) });
  });

  it('next throws for an indicator with a feed', () => {
    const { indicators: own } = hosted();
    const mean = own.sma(2, { interval: '1h' }) as unknown as { next(input: number): void };
    expect(() => {
      mean.next(1);
    }).toThrow('This sma is fed by the host: read its value');
  });

  it('an error of the host reaches the caller of the factory', () => {
    const own = createIndicators(({ feed }) => {
      throw new RangeError(`no ${feed.interval ?? ''} candles here`);
    });
    expect(() => own.sma(2, { interval: '1w' })).toThrow('no 1w candles here');
  });

  it('a candle that is not finite is refused by name', () => {
    const { fed, indicators: own } = hosted();
    own.ema(2, { on: 'hl2' });
    own.atr(2, {});
    expect(() => fed[0]?.update(candle(1, NaN, 1, 1))).toThrow('ema takes finite numbers');
    expect(() => fed[1]?.update(candle(1, NaN, 1, 1))).toThrow('not NaN as the high of a candle');
  });
});

describe('an invalid feed', () => {
  const { indicators: own } = hosted();

  it.each<[string, () => unknown]>([
    ['sma can be fed on open, high', () => own.sma(2, { on: 'middle' as never })],
    ['The feed of sma has no every', () => own.sma(2, { every: '1h' } as never)],
    ['atr takes whole candles at their close', () => own.atr(2, { on: 'high' as never })],
    ["A feed of sma is an object such as { on: 'close'", () => own.sma(2, '1h' as never)],
    ['sma has a feed, but no host feeds it here', () => indicators.sma(2, { on: 'close' })],
  ])('the error is: %s', (message, make) => {
    expect(make).toThrow(message);
  });
});
