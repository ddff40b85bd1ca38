import fc from 'fast-check';
import { Subject } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { Candle } from '../../core/candle.js';
import type { Logger, Scheduler } from '../../core/ports.js';
import type { CandleRange, MarketMessage } from '../../venue/venue.js';
import { candleFeed$, emptyCandleFeedCounts, type MarketFeedEvent } from './candle-feed.js';

const MINUTE = 60_000;
const START = Date.UTC(2025, 4, 5);
const SYMBOL = 'BTCUSDT';

const truthAt = (openTime: number): Candle => {
  const price = 100 + ((openTime / MINUTE) % 89);
  return { openTime, open: price, high: price + 2, low: price - 2, close: price + 1, volume: 7 };
};
const minute = (index: number): Candle => truthAt(START + index * MINUTE);

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Timers in order of their time, then of their creation. */
class ManualScheduler implements Scheduler {
  nowMs = 0;
  #timers: Timer[] = [];

  get pending(): number {
    return this.#timers.length;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.nowMs + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Promises settle between any two timers. */
  async advance(ms: number): Promise<void> {
    const end = this.nowMs + ms;
    await settle();
    for (;;) {
      const next = this.#timers.reduce<Timer | undefined>(
        (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
        undefined,
      );
      if (next === undefined || next.at > end) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.nowMs = next.at;
      next.run();
      await settle();
    }
    this.nowMs = end;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

interface WorldOptions {
  readonly symbols?: readonly string[];
  /** Whether REST answers the n-th request. */
  readonly restWorks?: (request: number) => boolean;
  /** Minutes (index) without a candle at the venue. */
  readonly absent?: ReadonlySet<number>;
  readonly restLagMs?: number;
  /** Error of the feed's estimate of venue time, ms. */
  readonly clockErrorMs?: number;
}

/** A venue whose clock follows the scheduler from START. Minute −1 is the last of the warm-up. */
function worldOf(options: WorldOptions = {}) {
  const { restWorks = () => true, absent = new Set<number>(), restLagMs = 5_000 } = options;
  const { symbols = [SYMBOL], clockErrorMs = 0 } = options;
  const scheduler = new ManualScheduler();
  const message$ = new Subject<MarketMessage>();
  const requests: CandleRange[] = [];
  const logged: string[] = [];
  const log = (_fields: unknown, message: string): void => void logged.push(message);
  const logger: Logger = { debug: () => undefined, info: log, warn: log, error: log };
  const now = (): number => START + scheduler.nowMs;
  const fetch = (range: CandleRange): Promise<readonly Candle[]> => {
    requests.push(range);
    if (!restWorks(requests.length - 1)) return Promise.reject(new Error('503'));
    const candles: Candle[] = [];
    for (let at = range.fromMs; at < range.toMs; at += MINUTE) {
      const served = at + MINUTE + restLagMs <= now();
      if (served && !absent.has((at - START) / MINUTE)) candles.push(truthAt(at));
    }
    return Promise.resolve(candles);
  };
  const counts = emptyCandleFeedCounts();
  const happenings: MarketFeedEvent[] = [];
  const state = { completed: false };
  const subscription = candleFeed$({
    message$,
    symbols,
    fetch,
    venueNow: () => now() + clockErrorMs,
    lastOpenTime: new Map(symbols.map((symbol) => [symbol, START - MINUTE])),
    scheduler,
    logger,
    counts,
  }).subscribe({
    next: (happening) => {
      if (happening.kind === 'candles') {
        for (const { openTime } of happening.candles) {
          // P18: no candle before its close, except for the tolerance of the estimated clock.
          expect(openTime + MINUTE).toBeLessThanOrEqual(now() + Math.max(0, clockErrorMs) + 2_000);
        }
      }
      happenings.push(happening);
    },
    complete: () => (state.completed = true),
  });
  const push = (candle: Candle, symbol = SYMBOL): void =>
    message$.next({ kind: 'candle', symbol, candle });
  return {
    scheduler,
    message$,
    requests,
    logged,
    counts,
    happenings,
    state,
    subscription,
    push,
    up: () => message$.next({ kind: 'up' }),
    down: () => message$.next({ kind: 'down', reason: 'lost' }),
    delivered: (symbol = SYMBOL): Candle[] =>
      happenings.flatMap((happening) =>
        happening.kind === 'candles' && happening.symbol === symbol ? happening.candles : [],
      ),
    states: (): boolean[] =>
      happenings.flatMap((happening) => (happening.kind === 'feed' ? [happening.up] : [])),
  };
}

const minutes = (count: number): Candle[] => Array.from({ length: count }, (_, i) => minute(i));

describe('candles of the stream', () => {
  test('candles in order pass at once without a request', async () => {
    const world = worldOf();
    world.up();
    for (let index = 0; index < 5; index++) {
      await world.scheduler.advance(MINUTE);
      world.push(minute(index));
    }
    expect(world.delivered()).toEqual(minutes(5));
    expect(world.requests).toEqual([]);
    expect(world.happenings[1]).toEqual({
      kind: 'candles',
      symbol: SYMBOL,
      interval: '1m',
      candles: [minute(0)],
      live: true,
    });
  });

  test('second and mark candles pass in order without a request', () => {
    const world = worldOf();
    const candle = { ...minute(-2), openTime: START - 2_000 };
    for (const kind of ['second', 'mark-second', 'mark-candle', 'second'] as const) {
      world.message$.next({ kind, symbol: SYMBOL, candle });
    }
    expect(world.happenings).toEqual([
      { kind: 'seconds', symbol: SYMBOL, price: 'last', candle },
      { kind: 'seconds', symbol: SYMBOL, price: 'mark', candle },
      { kind: 'mark-candles', symbol: SYMBOL, candle },
    ]);
    expect(world.requests).toEqual([]);
  });

  test('candles of an unknown symbol are ignored', () => {
    const world = worldOf();
    world.push(minute(0), 'XYZUSDT');
    expect(world.happenings).toEqual([]);
  });

  test('repeated candles are dropped and counted; other values are a revision, never a second candle', async () => {
    const world = worldOf();
    await world.scheduler.advance(MINUTE);
    world.push(minute(0));
    world.push(minute(0));
    world.push({ ...minute(0), volume: 8 });
    world.push(minute(-30));
    expect(world.delivered()).toEqual([minute(0)]);
    expect(world.counts).toMatchObject({ duplicates: 1, revisions: 1, late: 1 });
    expect(world.logged).toEqual([expect.stringContaining('other values')]);
  });

  test('candles behind a gap wait until REST has filled it', async () => {
    const world = worldOf();
    await world.scheduler.advance(2 * MINUTE + 10_000);
    world.push(minute(1));
    expect(world.delivered()).toEqual([]);
    await settle();
    expect(world.requests).toEqual([
      { symbol: SYMBOL, interval: '1m', fromMs: START, toMs: START + MINUTE },
    ]);
    expect(world.delivered()).toEqual(minutes(2));
    expect(world.counts.repaired).toBe(1);
  });

  test('candles of the stream that fill the gap make the REST response superfluous', async () => {
    const world = worldOf();
    await world.scheduler.advance(2 * MINUTE);
    world.push(minute(1));
    world.push(minute(0));
    expect(world.delivered()).toEqual(minutes(2));
    await settle();
    expect(world.delivered()).toEqual(minutes(2));
    expect(world.counts.repaired).toBe(0);
  });

  test('invalid candles are dropped, and REST is queried for that minute', async () => {
    const world = worldOf();
    await world.scheduler.advance(MINUTE);
    world.push({ openTime: START, open: 0, high: 0, low: 0, close: 101, volume: 0 });
    expect(world.delivered()).toEqual([]);
    expect(world.counts.invalid).toBe(1);
    await world.scheduler.advance(10_000);
    expect(world.delivered()).toEqual([minute(0)]);
  });

  test('candles off the minute or far in the future are dropped', async () => {
    const world = worldOf();
    await world.scheduler.advance(MINUTE);
    world.push({ ...minute(0), openTime: START + 1 });
    world.push(minute(60));
    await world.scheduler.advance(10_000);
    world.push(minute(0));
    expect(world.counts.invalid).toBe(2);
    expect(world.delivered()).toEqual([minute(0)]);
  });

  test('candles before their close wait for it, and the newest values win', async () => {
    const world = worldOf();
    await world.scheduler.advance(30_000);
    world.push({ ...minute(0), close: 99 });
    world.push(minute(0));
    expect(world.delivered()).toEqual([]);
    await world.scheduler.advance(27_000);
    expect(world.delivered()).toEqual([]);
    await world.scheduler.advance(3_000);
    expect(world.delivered()).toEqual([minute(0)]);
  });

  test('candles pass under a clock that lags by minutes: a later one proves that earlier ones closed', async () => {
    const world = worldOf({ clockErrorMs: -3 * MINUTE });
    for (let index = 0; index < 6; index++) {
      await world.scheduler.advance(MINUTE);
      world.push(minute(index));
    }
    expect(world.delivered()).toEqual(minutes(5));
  });

  test('candles beyond the limit behind a gap are fetched from REST; none is lost', async () => {
    let works = false;
    const world = worldOf({ restWorks: () => works });
    await world.scheduler.advance(MINUTE);
    for (let index = 1; index < 122; index++) {
      await world.scheduler.advance(MINUTE);
      world.push(minute(index));
    }
    works = true;
    expect(world.counts.overflows).toBe(1);
    // Earlier than the check for silence.
    await world.scheduler.advance(45_000);
    expect(world.delivered()).toEqual(minutes(122));
  });
});

describe('repair', () => {
  test('the repair retries with growing pauses until REST answers', async () => {
    const world = worldOf({ restWorks: (request) => request >= 4 });
    await world.scheduler.advance(2 * MINUTE);
    world.push(minute(1));
    // Pauses of 0.5, 1, 2 and 4 s: the fifth request comes after 7.5 s.
    await world.scheduler.advance(7_400);
    expect(world.requests).toHaveLength(4);
    await world.scheduler.advance(200);
    expect(world.delivered()).toEqual(minutes(2));
    // One line for an outage, however long.
    expect(world.logged.filter((line) => line.includes('repair failed'))).toHaveLength(1);
  });

  test('the repair sends one request at a time', async () => {
    const world = worldOf();
    await world.scheduler.advance(2 * MINUTE);
    world.push(minute(1));
    world.up();
    world.push(minute(1));
    await Promise.resolve();
    expect(world.requests).toHaveLength(1);
  });

  test('the repair waits for a minute that REST does not serve yet', async () => {
    const world = worldOf({ restLagMs: 20_000 });
    await world.scheduler.advance(MINUTE);
    world.up();
    await world.scheduler.advance(10_000);
    expect(world.delivered()).toEqual([]);
    await world.scheduler.advance(30_000);
    expect(world.delivered()).toEqual([minute(0)]);
  });

  test('the repair skips a minute without a candle only after REST had time to serve it', async () => {
    const world = worldOf({ absent: new Set([1, 2]) });
    for (const index of [0, 3, 4]) {
      await world.scheduler.advance((index === 0 ? 1 : index === 3 ? 3 : 1) * MINUTE);
      world.push(minute(index));
    }
    expect(world.delivered()).toEqual([minute(0)]);
    await world.scheduler.advance(3 * MINUTE);
    expect(world.delivered().slice(0, 3)).toEqual([minute(0), minute(3), minute(4)]);
    expect(world.counts.absent).toBe(2);
    expect(world.logged).toContain('The venue has no candles for these minutes; they are skipped');
  });

  test('a silent stream starts a repair', async () => {
    const world = worldOf();
    await world.scheduler.advance(MINUTE + 74_000);
    expect(world.requests).toEqual([]);
    await world.scheduler.advance(2_000);
    expect(world.delivered()).toEqual(minutes(2));
    await world.scheduler.advance(20 * MINUTE);
    expect(world.delivered().length).toBeGreaterThanOrEqual(19);
    expect(world.delivered()).toEqual(minutes(world.delivered().length));
  });
});

describe('the state of the stream', () => {
  test('the stream is up at once when no candle is missing', () => {
    const world = worldOf();
    world.up();
    expect(world.states()).toEqual([true]);
  });

  test('the stream is up after a reconnect only when every symbol has caught up', async () => {
    const world = worldOf({ symbols: [SYMBOL, 'ETHUSDT'] });
    world.up();
    world.down();
    await world.scheduler.advance(MINUTE + 10_000);
    world.up();
    expect(world.states()).toEqual([true, false]);
    await settle();
    expect(world.delivered()).toEqual([minute(0)]);
    expect(world.delivered('ETHUSDT')).toEqual([minute(0)]);
    expect(world.happenings.at(-1)).toMatchObject({ kind: 'feed', up: true });
  });

  test('the stream is eventually up even if one symbol cannot be repaired', async () => {
    const world = worldOf({ restWorks: () => false });
    await world.scheduler.advance(MINUTE);
    world.up();
    await world.scheduler.advance(3_000);
    expect(world.states()).toEqual([]);
    await world.scheduler.advance(30_000);
    expect(world.states()).toEqual([true]);
    expect(world.logged).toContain('The stream is up but candles are still missing');
  });

  test('a reconnect queries REST at once, so failures during the outage do not report the stream up early', async () => {
    let works = false;
    const world = worldOf({ restWorks: () => works });
    world.down();
    await world.scheduler.advance(20 * MINUTE + 10_000);
    works = true;
    world.up();
    expect(world.states()).toEqual([false]);
    await settle();
    expect(world.delivered()).toEqual(minutes(20));
    expect(world.happenings.at(-1)).toMatchObject({ kind: 'feed', up: true });
  });

  test('the stream is down when the connection is lost again during the catch-up', async () => {
    const world = worldOf();
    await world.scheduler.advance(MINUTE + 10_000);
    world.up();
    world.down();
    await world.scheduler.advance(10_000);
    expect(world.states()).toEqual([false]);
    expect(world.delivered()).toEqual([minute(0)]);
  });
});

test('tickers pass through', () => {
  const world = worldOf();
  const rows = [{ symbol: SYMBOL, last: 101 }];
  world.message$.next({ kind: 'tickers', rows });
  expect(world.happenings).toEqual([{ kind: 'tickers', rows }]);
});

test('the end of the subscription ends all timers and events', async () => {
  const world = worldOf({ restWorks: () => false });
  await world.scheduler.advance(MINUTE);
  world.push(minute(3));
  await settle();
  world.subscription.unsubscribe();
  await settle();
  expect(world.scheduler.pending).toBe(0);
});

test('the feed ends with the stream', () => {
  const world = worldOf();
  world.message$.complete();
  expect(world.state.completed).toBe(true);
  expect(world.scheduler.pending).toBe(0);
});

test('a REST response after the end is dropped', async () => {
  const world = worldOf();
  await world.scheduler.advance(3 * MINUTE);
  const before = world.happenings.length;
  world.push(minute(5));
  world.subscription.unsubscribe();
  await settle();
  expect(world.happenings.length).toBe(before);
});

test('a symbol without a last open time is an assertion error', () => {
  expect(() => worldOf({ symbols: [] })).not.toThrow();
  const world = worldOf();
  const errors: unknown[] = [];
  candleFeed$({
    message$: world.message$,
    symbols: ['ETHUSDT'],
    fetch: () => Promise.resolve([]),
    venueNow: () => START,
    lastOpenTime: new Map(),
    scheduler: world.scheduler,
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    },
  }).subscribe({ error: (error: unknown) => errors.push(error) });
  expect(String(errors[0])).toContain('The warm-up of ETHUSDT ended somewhere');
});

test('P18: a stream that loses, repeats, reorders, corrupts or interrupts candles delivers those of REST', async () => {
  const frame = fc.record({
    fate: fc.constantFrom('sent', 'sent', 'sent', 'dropped', 'doubled', 'zeroed', 'held', 'cut'),
    delayMs: fc.nat(50_000),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { minLength: 1, maxLength: 30 }),
      fc.array(fc.boolean(), { maxLength: 20 }),
      fc.integer({ min: -30_000, max: 1_500 }),
      async (frames, restFates, clockErrorMs) => {
        const world = worldOf({
          clockErrorMs,
          restWorks: (request) => restFates[request] ?? true,
        });
        const held: Candle[] = [];
        world.up();
        for (const [index, { fate, delayMs }] of frames.entries()) {
          await world.scheduler.advance((index + 1) * MINUTE + delayMs - world.scheduler.nowMs);
          const candle = minute(index);
          if (fate === 'held') held.push(candle);
          if (fate === 'zeroed') world.push({ ...candle, open: 0, high: 0, low: 0, volume: 0 });
          if (fate === 'cut') world.down();
          if (fate === 'sent' || fate === 'doubled') world.push(candle);
          if (fate === 'doubled') world.push(candle);
          if (fate === 'sent' && delayMs % 3 === 0)
            held
              .splice(0)
              .reverse()
              .forEach((it) => world.push(it));
          if (fate === 'cut') await world.scheduler.advance(delayMs % 7_000);
          if (fate === 'cut') world.up();
        }
        await world.scheduler.advance(10 * MINUTE);
        const delivered = world.delivered();
        expect(delivered).toEqual(minutes(delivered.length));
        expect(delivered.length).toBeGreaterThanOrEqual(frames.length);
        expect(world.states().at(-1)).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});
