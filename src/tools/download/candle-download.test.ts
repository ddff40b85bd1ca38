import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../../../test/support/fakes/virtual-time.js';
import { constantRandom } from '../../../test/support/fakes/manual-ports.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { MemoryLocks } from '../../../test/support/fakes/memory-locks.js';
import { DataCatalog } from '../../catalog/catalog.js';
import type { CandleDataset } from '../../catalog/dataset.js';
import type { Candle } from '../../core/candle.js';
import type { Outcome } from '../../core/request.js';
import type { KlineQuery } from '../../venue/futures-api/futures-api.js';
import { CandleDownload, type CandleDownloadOptions } from './candle-download.js';
import { planCalls } from './download-plan.js';

const START = Date.UTC(2025, 4, 1);
const MINUTE = 60_000;
const CALL = 1_440 * MINUTE;
const CALLS = 60;
const BTC: CandleDataset = { kind: 'klines', symbol: 'BTCUSDT', interval: '1m' };
const LIMITS = { candlesPerCall: 1_440, symbolsPerCall: 25 };
const RESUME = 'sluice data download --symbol BTCUSDT';

type Answer = Outcome<ReadonlyMap<string, readonly Candle[]>>;
const DOWN: Answer = { kind: 'unknown', cause: 'ECONNREFUSED', sent: false };
const LIMITED: Answer = { kind: 'unknown', cause: 'HTTP 429', sent: true, status: 429 };

/** A venue that takes 100 ms for an answer, and a download from it. */
class DownloadRig {
  readonly time = new VirtualTime(START + 100 * CALL);
  readonly notes: string[] = [];
  /** Of each call that left, ms since the start. */
  readonly callTimes: number[] = [];
  /** undefined: the candles. */
  answer: (nowMs: number) => Answer | undefined = () => undefined;
  /** Open times that the venue does not have. */
  readonly absent = new Set<number>();
  readonly catalog = new DataCatalog('/catalog', {
    files: new MemoryFiles(),
    clock: this.time,
    scheduler: this.time,
    locks: new MemoryLocks().of(),
  });

  download(options: Partial<CandleDownloadOptions> = {}): CandleDownload {
    return new CandleDownload({
      catalog: this.catalog,
      api: { klines: (query) => this.#klines(query), markKlines: (query) => this.#klines(query) },
      kind: 'klines',
      interval: '1m',
      baseUrl: 'http://venue',
      overwrite: false,
      clock: this.time,
      scheduler: this.time,
      random: constantRandom(0.5),
      nowMs: () => this.time.utcMs(),
      onProgress: () => undefined,
      onNote: (text) => void this.notes.push(text),
      pauseMs: () => 7_000,
      resumeCommand: RESUME,
      ...options,
    });
  }

  async plan(toMs = START + CALLS * CALL) {
    const held = await this.catalog.coverage(BTC);
    return planCalls({ fromMs: START, toMs }, '1m', ['BTCUSDT'], () => held, LIMITS);
  }

  async #klines({ fromMs, toMs, onCandles }: KlineQuery): Promise<Answer> {
    this.callTimes.push(this.time.monotonicMs());
    await new Promise<void>((resolve) => this.time.after(100, resolve));
    const failure = this.answer(this.time.monotonicMs());
    if (failure !== undefined) return failure;
    onCandles?.('BTCUSDT', this.#candles(fromMs, toMs));
    return { kind: 'yes', value: new Map() };
  }

  #candles(fromMs: number, toMs: number): readonly Candle[] {
    const candles: Candle[] = [];
    for (let openTime = fromMs; openTime <= toMs; openTime += MINUTE)
      if (!this.absent.has(openTime))
        candles.push({ openTime, open: 2, high: 3, low: 1, close: 2, volume: 1 });
    return candles;
  }
}

const minutes = (count: number): number => count * MINUTE;

describe('a download from a venue that fails', () => {
  test('ten minutes without an answer are waited for, with a word each minute, and the range is whole', async () => {
    const rig = new DownloadRig();
    rig.answer = (now) => (now > 500 && now < 500 + minutes(10) ? DOWN : undefined);
    const result = await rig.time.resolve(rig.download().run(await rig.plan()), minutes(20));
    expect(result).toMatchObject({ rows: CALLS * 1_440, calls: CALLS, isComplete: true });
    expect(rig.notes[0]).toContain('the venue does not answer (ECONNREFUSED)');
    expect(rig.notes.filter((note) => note.includes('min now')).length).toBeGreaterThanOrEqual(8);
    expect(rig.notes.at(-1)).toMatch(/^the venue answers again after 6\d\d s/);
    // Four calls at a time, at intervals of at most 31 s.
    expect(rig.callTimes.length - CALLS).toBeLessThan(200);
    expect((await rig.catalog.coverage(BTC))?.gaps).toEqual([]);
  });

  test('candles that have not opened at the venue are not asked for', async () => {
    const rig = new DownloadRig();
    const download = rig.download({ nowMs: () => START + 2.5 * CALL });
    const result = await rig.time.resolve(download.run(await rig.plan()), minutes(5));
    expect(result).toMatchObject({ calls: 3, rows: 2.5 * 1_440, isComplete: true });
    expect(rig.callTimes).toHaveLength(3);
  });

  test('Ctrl-C in an outage ends it at once, and the catalogue has what arrived', async () => {
    const rig = new DownloadRig();
    rig.answer = (now) => (now > 500 ? DOWN : undefined);
    const download = rig.download();
    const running = download.run(await rig.plan());
    await rig.time.run(minutes(3));
    download.stop();
    const result = await rig.time.resolve(running, 1_000);
    expect(result).toMatchObject({ isComplete: false, calls: 20 });
    expect(await rig.catalog.coverage(BTC)).toMatchObject({ rows: 20 * 1_440 });
    expect(await rig.plan()).toHaveLength(CALLS - 20);
  });

  test('30 minutes without an answer end it with the command that goes on, and nothing is lost', async () => {
    const rig = new DownloadRig();
    rig.answer = (now) => (now > 500 ? DOWN : undefined);
    const running = rig.download().run(await rig.plan());
    await expect(rig.time.resolve(running, minutes(60))).rejects.toThrow(
      /no candles of the venue for 3\d min \(the venue does not answer \(ECONNREFUSED\)\).* go on later: sluice data download --symbol BTCUSDT$/,
    );
    expect(await rig.catalog.coverage(BTC)).toMatchObject({ rows: 20 * 1_440 });
    rig.answer = () => undefined;
    const rest = await rig.plan();
    await rig.time.resolve(rig.download().run(rest), minutes(5));
    expect(rest).toHaveLength(CALLS - 20);
    expect(await rig.plan()).toEqual([]);
  });

  test('after a 429 no call leaves for the time that the venue asks for', async () => {
    const rig = new DownloadRig();
    let refused: number | undefined;
    rig.answer = (now) => {
      if (refused !== undefined || now < 450) return undefined;
      refused = now;
      return LIMITED;
    };
    const result = await rig.time.resolve(rig.download().run(await rig.plan()), minutes(5));
    expect(result).toMatchObject({ rateLimited: 1, isComplete: true, rows: CALLS * 1_440 });
    const since = refused ?? 0;
    const later = rig.callTimes.filter((time) => time > since);
    expect(later[0]).toBe(since + 7_000);
    expect(rig.notes[0]).toContain('its rate limit is used up (429)');
  });

  test('a venue that answers 429 for ever is given up, too', async () => {
    const rig = new DownloadRig();
    rig.answer = () => LIMITED;
    const running = rig.download().run(await rig.plan());
    await expect(rig.time.resolve(running, minutes(60))).rejects.toThrow('(429)');
  });

  test('a candle that closed within the last minute and is not there yet is asked for again', async () => {
    const rig = new DownloadRig();
    const now = rig.time.utcMs();
    const lateMs = now - MINUTE;
    const quietMs = now - minutes(30);
    for (const openTime of [lateMs, quietMs]) rig.absent.add(openTime);
    await rig.time.resolve(rig.download().run(await rig.plan(now)), minutes(5));
    const [open, ...others] = await rig.plan(now);
    expect(others).toEqual([]);
    expect(open?.toMs).toBe(now);
    rig.absent.delete(lateMs);
    await rig.time.resolve(rig.download().run(await rig.plan(now)), minutes(5));
    const covered = await rig.catalog.coverage(BTC);
    expect(covered?.gaps).toEqual([{ fromMs: quietMs, toMs: quietMs + MINUTE, missing: 1 }]);
    expect(await rig.plan(now)).toEqual([]);
  });
});
