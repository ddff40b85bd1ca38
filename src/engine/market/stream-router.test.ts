import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import type { Candle } from '../../core/candle.js';
import { closesAfter, wantedStreams } from './stream-router.js';

const START = 1_746_403_200_000;
const at = (openTime: number, price = 60_000): Candle => ({
  openTime,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 1,
});

const world = (): EngineRig =>
  new EngineRig({
    hosts: [
      { id: 'quiet', interval: '1m' },
      { id: 'seconds', interval: '1m', streams: ['seconds'] },
      { id: 'marks', interval: '1m', streams: ['mark', 'mark-seconds'] },
      { id: 'eth', interval: '1m', symbols: ['ETHUSDT'], streams: ['seconds', 'mark'] },
    ],
  });
const symbol = 'BTCUSDT';

describe('seconds and mark candles', () => {
  it('reach those who asked, for their symbols', () => {
    const rig = world();
    rig.happen({ kind: 'seconds', symbol, price: 'last', candle: at(START) });
    rig.happen({ kind: 'seconds', symbol, price: 'mark', candle: at(START) });
    rig.happen({ kind: 'mark-candles', symbol, candle: at(START) });
    expect(rig.hosts.map(({ heard }) => heard)).toEqual([
      [],
      [`second BTCUSDT last ${START} 60000`],
      [`second BTCUSDT mark ${START} 60000`, `mark-candle BTCUSDT ${START} 60000`],
      [],
    ]);
  });

  it('are heard once and in order of open time', () => {
    const rig = world();
    for (const openTime of [START, START, START + 2_000, START + 1_000, START + 3_000]) {
      rig.happen({ kind: 'seconds', symbol, price: 'last', candle: at(openTime) });
      rig.happen({ kind: 'mark-candles', symbol, candle: at(openTime) });
    }
    const times = rig.hosts[1]?.heard.map((told) => Number(told.split(' ')[3]) - START);
    expect(times).toEqual([0, 2_000, 3_000]);
    expect(rig.hosts[2]?.heard).toHaveLength(3);
  });

  it('are prices of now', () => {
    const rig = world();
    rig.happen({ kind: 'seconds', symbol, price: 'last', candle: at(START, 60_001) });
    rig.happen({ kind: 'seconds', symbol, price: 'mark', candle: at(START, 60_002) });
    expect(rig.engine.prices.lastPrice(symbol)?.price).toBe(d('60001'));
    expect(rig.engine.prices.markPrice(symbol)?.price).toBe(d('60002'));
  });

  it('are subscribed for the symbols of those who ask, and for nobody else', () => {
    const { hosts } = world();
    expect(wantedStreams(hosts)).toEqual({
      seconds: ['BTCUSDT', 'ETHUSDT'],
      mark: ['BTCUSDT', 'ETHUSDT'],
      markSeconds: ['BTCUSDT'],
    });
    expect(wantedStreams(hosts.slice(0, 1))).toEqual({});
  });

  it.each([
    ['second', { kind: 'seconds', symbol, price: 'last', candle: at(START) }, START + 1_000],
    ['mark candle', { kind: 'mark-candles', symbol, candle: at(START) }, START + 60_000],
  ] as const)('end when a %s has closed', (_name, happening, close) => {
    expect(closesAfter(happening, close)).toBe(false);
    expect(closesAfter(happening, close - 1)).toBe(true);
  });
});
