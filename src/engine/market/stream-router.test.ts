import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { Candle } from '../../core/candle.js';
import { closesAfter, requiredStreams } from './stream-router.js';

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
  it('seconds and mark candles reach their subscribers, for their symbols', () => {
    const rig = world();
    rig.handle({ kind: 'seconds', symbol, price: 'last', candle: at(START) });
    rig.handle({ kind: 'seconds', symbol, price: 'mark', candle: at(START) });
    rig.handle({ kind: 'mark-candles', symbol, candle: at(START) });
    expect(rig.hosts.map(({ eventLog }) => eventLog)).toEqual([
      [],
      [`second BTCUSDT last ${START} 60000`],
      [`second BTCUSDT mark ${START} 60000`, `mark-candle BTCUSDT ${START} 60000`],
      [],
    ]);
  });

  it('each is delivered once, in order of open time', () => {
    const rig = world();
    for (const openTime of [START, START, START + 2_000, START + 1_000, START + 3_000]) {
      rig.handle({ kind: 'seconds', symbol, price: 'last', candle: at(openTime) });
      rig.handle({ kind: 'mark-candles', symbol, candle: at(openTime) });
    }
    const times = rig.hosts[1]?.eventLog.map((entry) => Number(entry.split(' ')[3]) - START);
    expect(times).toEqual([0, 2_000, 3_000]);
    expect(rig.hosts[2]?.eventLog).toHaveLength(3);
  });

  it('they set the current prices', () => {
    const rig = world();
    rig.handle({ kind: 'seconds', symbol, price: 'last', candle: at(START, 60_001) });
    rig.handle({ kind: 'seconds', symbol, price: 'mark', candle: at(START, 60_002) });
    expect(rig.engine.prices.lastPrice(symbol)?.price).toBe(d('60001'));
    expect(rig.engine.prices.markPrice(symbol)?.price).toBe(d('60002'));
  });

  it('only the symbols of subscribers are subscribed', () => {
    const { hosts } = world();
    expect(requiredStreams(hosts)).toEqual({
      seconds: ['BTCUSDT', 'ETHUSDT'],
      mark: ['BTCUSDT', 'ETHUSDT'],
      markSeconds: ['BTCUSDT'],
    });
    expect(requiredStreams(hosts.slice(0, 1))).toEqual({});
  });

  it.each([
    ['second', { kind: 'seconds', symbol, price: 'last', candle: at(START) }, START + 1_000],
    ['mark candle', { kind: 'mark-candles', symbol, candle: at(START) }, START + 60_000],
  ] as const)('end when a %s has closed', (_name, event, close) => {
    expect(closesAfter(event, close)).toBe(false);
    expect(closesAfter(event, close - 1)).toBe(true);
  });
});
