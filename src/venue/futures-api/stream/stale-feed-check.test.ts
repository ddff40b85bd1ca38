import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../core/candle.js';
import type { Outcome } from '../../../core/request.js';
import { createStaleFeedCheck } from './stale-feed-check.js';
import type { KlineQuery } from '../futures-api.js';

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

/** A history with these candles, read `afterMs` after START for feeds silent since START. */
function setUp(candles: readonly Candle[], afterMs: number) {
  const queries: { readonly path: string; readonly query: KlineQuery }[] = [];
  const read = (path: string) => (query: KlineQuery) => {
    queries.push({ path, query });
    const within = candles.filter(
      ({ openTime }) => openTime >= query.fromMs && openTime <= query.toMs,
    );
    const value = new Map([['BTCUSDT', within]]);
    return Promise.resolve<Outcome<typeof value>>({ kind: 'yes', value });
  };
  const api = { klines: read('klines'), markKlines: read('markKlines') };
  const moved = createStaleFeedCheck(api, () => START + afterMs);
  return { queries, moved: (...streams: string[]) => moved({ streams, sinceMs: START }) };
}

describe('a silent feed', () => {
  it('a feed of minutes has missed a minute that closed since', async () => {
    const { moved } = setUp([candleAt(START)], 76_000);
    expect(await moved('kline@1m@btcusdt')).toBe(true);
  });

  it.each([
    ['the minute that is not yet in the history', START, 74_000],
    ['the minute that was pushed at the start of the silence', START - MINUTE, 120_000],
  ])('a feed of minutes has not missed %s', async (_, openTime, afterMs) => {
    expect(await setUp([candleAt(openTime)], afterMs).moved('kline@1m@btcusdt')).toBe(false);
  });

  it('a feed of tickers has missed a moved price, but not a constant one', async () => {
    const moves = setUp([candleAt(START)], 80_000);
    expect(await moves.moved('btcusdt')).toBe(true);
    expect(moves.queries[0]?.query.symbols).toEqual(['BTCUSDT']);
    const still = setUp([candleAt(START, { high: 2, low: 2 })], 80_000);
    expect(await still.moved('btcusdt', 'kline@1s@btcusdt')).toBe(false);
  });

  it.each(['markKline@1m@btcusdt', 'markKline@1s@btcusdt'])(
    'the check of %s reads mark prices',
    async (stream) => {
      const { moved, queries } = setUp([candleAt(START)], 80_000);
      expect(await moved(stream)).toBe(true);
      expect(queries.map(({ path }) => path)).toEqual(['markKlines']);
    },
  );

  it('an unreadable history proves nothing', async () => {
    const lost = { kind: 'unknown', cause: 'gone', sent: true } as const;
    const read = () => Promise.resolve(lost);
    const moved = createStaleFeedCheck({ klines: read, markKlines: read }, () => START + 600_000);
    expect(await moved({ streams: ['kline@1m@btcusdt'], sinceMs: START })).toBe(false);
  });
});
