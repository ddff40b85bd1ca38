import { describe, expect, it } from 'vitest';
import type { Candle } from '../../core/candle.js';
import type { Logger } from '../../core/ports.js';
import { SecondAndMarkStreams } from './second-and-mark-streams.js';

const NOW = Date.UTC(2025, 4, 5);
const at = (openTime: number): Candle => ({
  openTime,
  open: 100,
  high: 101,
  low: 99,
  close: 100,
  volume: 1,
});

function streams() {
  const warned: unknown[] = [];
  const silent = (): void => undefined;
  const logger: Logger = {
    debug: silent,
    info: silent,
    warn: (fields) => void warned.push(fields['fault']),
    error: silent,
  };
  const extra = new SecondAndMarkStreams({ venueNow: () => NOW, logger });
  return { extra, warned };
}

describe('seconds and mark candles of the feed', () => {
  it('second and mark candles become events of their kind and price', () => {
    const { extra } = streams();
    const candle = at(NOW - 60_000);
    const symbol = 'BTCUSDT';
    expect(extra.accept({ kind: 'second', symbol, candle })).toEqual([
      { kind: 'seconds', symbol, price: 'last', candle },
    ]);
    expect(extra.accept({ kind: 'mark-second', symbol, candle })).toEqual([
      { kind: 'seconds', symbol, price: 'mark', candle },
    ]);
    expect(extra.accept({ kind: 'mark-candle', symbol, candle })).toEqual([
      { kind: 'mark-candles', symbol, candle },
    ]);
  });

  it('repeated and late candles are dropped, and gaps remain', () => {
    const { extra } = streams();
    const events = [-9, -9, -5, -6, -4].flatMap((second) =>
      extra.accept({ kind: 'second', symbol: 'BTCUSDT', candle: at(NOW + second * 1_000) }),
    );
    expect(events.map(({ candle }) => (candle.openTime - NOW) / 1_000)).toEqual([-9, -5, -4]);
    const other = extra.accept({ kind: 'second', symbol: 'ETHUSDT', candle: at(NOW - 9_000) });
    expect(other).toHaveLength(1);
  });

  it('invalid candles are dropped and do not block valid ones', () => {
    const { extra, warned } = streams();
    const take = (candle: Candle) => extra.accept({ kind: 'mark-second', symbol: 'A', candle });
    expect(take(at(NOW + 3_600_000))).toEqual([]);
    expect(take({ ...at(NOW), low: 0 })).toEqual([]);
    expect(take(at(NOW))).toHaveLength(1);
    expect(warned).toEqual(['its open time is ahead', 'low is not above 0']);
  });
});
