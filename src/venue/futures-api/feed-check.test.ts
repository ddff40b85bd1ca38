import { describe, expect, it } from 'vitest';
import type { Candle } from '../../core/candle.js';
import type { Outcome } from '../../core/request.js';
import { feedCheck } from './feed-check.js';
import type { CandleQuery } from './futures-api.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 6, 2, 10);

const candleAt = (openTime: number, figures: Partial<Candle> = {}): Candle => ({
  openTime,
  open: 2,
  high: 3,
  low: 1,
  close: 2,
  volume: 5,
  ...figures,
});

/** A history in which these candles are, asked `afterMs` after START by feeds silent since START. */
function setUp(candles: readonly Candle[], afterMs: number) {
  const asked: { readonly path: string; readonly query: CandleQuery }[] = [];
  const read = (path: string) => (query: CandleQuery) => {
    asked.push({ path, query });
    const within = candles.filter(
      ({ openTime }) => openTime >= query.fromMs && openTime <= query.toMs,
    );
    const value = new Map([['BTCUSDT', within]]);
    return Promise.resolve<Outcome<typeof value>>({ kind: 'yes', value });
  };
  const api = { klines: read('klines'), markKlines: read('markKlines') };
  const moved = feedCheck(api, () => START + afterMs);
  return { asked, moved: (...streams: string[]) => moved({ streams, sinceMs: START }) };
}

describe('a silent feed', () => {
  it('of minutes missed a minute that closed since', async () => {
    const { moved } = setUp([candleAt(START)], 76_000);
    expect(await moved('kline@1m@btcusdt')).toBe(true);
  });

  it.each([
    ['the minute that is not yet in the history', START, 74_000],
    ['the minute that was pushed at the start of the silence', START - MINUTE, 120_000],
  ])('of minutes did not miss %s', async (_, openTime, afterMs) => {
    expect(await setUp([candleAt(openTime)], afterMs).moved('kline@1m@btcusdt')).toBe(false);
  });

  it('of tickers missed a price that moved, and not one that stood still', async () => {
    const moves = setUp([candleAt(START)], 80_000);
    expect(await moves.moved('btcusdt')).toBe(true);
    expect(moves.asked[0]?.query.symbols).toEqual(['BTCUSDT']);
    const still = setUp([candleAt(START, { high: 2, low: 2 })], 80_000);
    expect(await still.moved('btcusdt', 'kline@1s@btcusdt')).toBe(false);
  });

  it.each(['markKline@1m@btcusdt', 'markKline@1s@btcusdt'])(
    'of %s asks mark prices',
    async (stream) => {
      const { moved, asked } = setUp([candleAt(START)], 80_000);
      expect(await moved(stream)).toBe(true);
      expect(asked.map(({ path }) => path)).toEqual(['markKlines']);
    },
  );

  it('is not judged by what cannot be read', async () => {
    const lost = { kind: 'unknown', cause: 'gone', sent: true } as const;
    const read = () => Promise.resolve(lost);
    const moved = feedCheck({ klines: read, markKlines: read }, () => START + 600_000);
    expect(await moved({ streams: ['kline@1m@btcusdt'], sinceMs: START })).toBe(false);
  });
});
