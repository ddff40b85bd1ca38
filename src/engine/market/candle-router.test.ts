import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { CandleSeriesStore } from './candle-series-store.js';

const MINUTE = 60_000;
/** On a boundary of five minutes and of an hour. */
const START = 1_746_403_200_000;

describe('closed candles', () => {
  it('closed candles reach the strategies of their interval and symbol once', () => {
    const rig = new EngineRig({
      hosts: [
        { id: 'a', interval: '1m' },
        { id: 'b', interval: '1m', symbols: ['ETHUSDT'] },
      ],
    });
    rig.candle(START);
    rig.candle(START);
    rig.candle(START - MINUTE);
    rig.candle(START + MINUTE);
    expect(rig.hosts[0]?.eventLog).toEqual([
      `candle BTCUSDT 1m ${START} live`,
      `candle BTCUSDT 1m ${START + MINUTE} live`,
    ]);
    expect(rig.hosts[1]?.eventLog).toEqual([]);
  });

  it('a five-minute candle is delivered with the minute that closes it', () => {
    const rig = new EngineRig({
      hosts: [
        { id: 'one', interval: '1m' },
        { id: 'five', interval: '5m' },
      ],
    });
    const [one, five] = rig.hosts;
    const times: number[] = [];
    for (const host of rig.hosts) host.onEvent = () => times.push(host.world.venueTime);
    for (let minute = 0; minute < 14; minute += 1) {
      rig.candle(START + minute * MINUTE);
      expect(five?.eventLog).toHaveLength(Math.floor((minute + 1) / 5));
    }
    expect(one?.eventLog).toHaveLength(14);
    expect(five?.eventLog).toEqual([
      `candle BTCUSDT 5m ${START} live`,
      `candle BTCUSDT 5m ${START + 5 * MINUTE} live`,
    ]);
    expect(times[5], 'the same instant as the closing minute').toBe(START + 5 * MINUTE);
    expect(times[4]).toBe(times[5]);
  });

  it('a five-minute candle that began before the series is omitted', () => {
    const rig = new EngineRig({ hosts: [{ id: 'five', interval: '5m' }] });
    for (let minute = 2; minute < 10; minute += 1) rig.candle(START + minute * MINUTE);
    expect(rig.host.eventLog).toEqual([`candle BTCUSDT 5m ${START + 5 * MINUTE} live`]);
  });

  it('a candle sets venue time to its close, also within a batch', () => {
    const rig = new EngineRig();
    const times: number[] = [];
    rig.host.onEvent = () => times.push(rig.host.world.venueTime);
    const ohlc = { open: 1, high: 1, low: 1, close: 1, volume: 1 };
    rig.handle({
      kind: 'candles',
      symbol: 'BTCUSDT',
      interval: '1m',
      candles: [0, 1, 2].map((minute) => ({ openTime: START + minute * MINUTE, ...ohlc })),
      live: true,
    });
    expect(times).toEqual([1, 2, 3].map((minute) => START + minute * MINUTE));
  });

  it('history warms up strategies and sets no current price', () => {
    const rig = new EngineRig();
    rig.candle(START, 50_000, false);
    expect(rig.host.eventLog).toEqual([`candle BTCUSDT 1m ${START}`]);
    expect(rig.engine.facts.lastPrice('BTCUSDT')).toBeUndefined();
    rig.candle(START + MINUTE, 51_000);
    expect(rig.engine.facts.lastPrice('BTCUSDT')).toBe(d('51000'));
    expect(rig.engine.facts.lastPriceAt('BTCUSDT')).toBe(rig.monotonic);
  });

  it('candles of a symbol without a strategy are skipped', () => {
    const rig = new EngineRig({ hosts: [{ id: 'a', interval: '1m', symbols: ['ETHUSDT'] }] });
    rig.candle(START);
    expect(rig.host.eventLog).toEqual([]);
  });
});

describe('tickers', () => {
  it('tickers set both prices and reach the strategies of their symbol', () => {
    const rig = new EngineRig();
    rig.tick(60_000.5);
    rig.tick(60_001, 60_000);
    expect(rig.host.eventLog).toEqual([
      'ticker BTCUSDT 60000.5 no mark',
      'ticker BTCUSDT 60001 60000',
    ]);
    expect(rig.engine.facts.markPrice('BTCUSDT')).toBe(d('60000'));
    expect(rig.engine.facts.lastPrice('BTCUSDT')).toBe(d('60001'));
  });
});

describe('the series of a run', () => {
  it('each symbol has one series, with one aggregator per longer interval', () => {
    const series = new CandleSeriesStore('1m', [
      { symbols: ['BTCUSDT', 'ETHUSDT'], interval: '5m' },
      { symbols: ['BTCUSDT'], interval: '1m' },
      { symbols: ['BTCUSDT'], interval: '5m' },
      { symbols: ['BTCUSDT'], interval: '1h' },
    ]);
    expect([...series.symbols]).toEqual(['BTCUSDT', 'ETHUSDT']);
    const targets = (symbol: string) => series.of(symbol).aggregators.map((each) => each.target);
    expect(targets('BTCUSDT')).toEqual(['5m', '1h']);
    expect(targets('ETHUSDT')).toEqual(['5m']);
    expect(series.find('SOLUSDT')).toBeUndefined();
    expect(() => series.of('SOLUSDT')).toThrow('SOLUSDT');
  });
});
