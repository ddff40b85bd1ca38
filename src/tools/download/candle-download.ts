import type { DataCatalog } from '../../catalog/catalog.js';
import type { CandleDataset } from '../../catalog/dataset.js';
import { unionOf, type TimeRange } from '../../catalog/coverage.js';
import type { Candle } from '../../core/candle.js';
import { StartError } from '../../core/command-errors.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import type { Cancel, Clock, Random, Scheduler } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import { backoffMs } from '../../io/net/backoff.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { FuturesApi } from '../../venue/futures-api/futures-api.js';
import type { DownloadCall } from './download-plan.js';
import { VenueOutage } from './venue-outage.js';

export interface DownloadProgress {
  readonly calls: number;
  readonly totalCalls: number;
  readonly rows: number;
  /** Of the last call, ms UTC. */
  readonly timeMs: number;
}

export interface CandleDownloadOptions {
  readonly catalog: DataCatalog;
  readonly api: Pick<FuturesApi, 'klines' | 'markKlines'>;
  readonly kind: CandleDataset['kind'];
  readonly interval: Interval;
  /** Of the venue, for the record of the sources. */
  readonly baseUrl: string;
  readonly overwrite: boolean;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** Venue time at most, ms UTC: a candle that closes later is still forming. */
  readonly nowMs: () => number;
  readonly onProgress: (progress: DownloadProgress) => void;
  /** A line about an outage of the venue, for people. */
  readonly onNote: (text: string) => void;
  /** ms that no call leaves after a 429. */
  readonly pauseMs: () => number;
  /** The command that goes on after the download has given up. */
  readonly resumeCommand: string;
}

export interface DownloadResult {
  readonly rows: number;
  readonly calls: number;
  /** 429 answers of the venue. */
  readonly rateLimited: number;
  /** Symbols without any candle in the catalogue. */
  readonly empty: readonly string[];
  readonly isComplete: boolean;
}

/** Candles that wait for a write. */
interface Staged {
  /** One part per call, each with at least one candle. */
  readonly parts: CandleColumns[];
  readonly asked: TimeRange[];
  /** The venue publishes no further candles before this time, ms UTC. */
  readonly settledMs: number;
}

const nothingStaged = (): Staged => ({ parts: [], asked: [], settledMs: Infinity });

/** At the limit of the venue an answer may take 0.8 s. */
const CONCURRENT_CALLS = 4;
/**
 * Calls between two writes. A write reads and replaces whole files, so that the steps grow with what is written:
 * 50, 50, 100, 200, 200, …: at most 350 MB of candles in memory (25 symbols of 1,440 rows of 48 bytes a call),
 * and 40 s of calls at the venue's limit that a kill costs.
 */
const CALLS_PER_WRITE = { least: 50, most: 200 };
const RETRY = { baseMs: 1_000, maxMs: 30_000 };
/** A candle appears some seconds after its close (supplement: part 2). Until then its absence proves nothing. */
const SETTLED_AFTER_MS = 60_000;

/**
 * Downloads candles into the catalogue: each call once, in the order of the plan, written every 50 to 200 calls. A venue that
 * does not answer is asked again for 30 minutes. Written candles are never downloaded again.
 */
export class CandleDownload {
  readonly #options: CandleDownloadOptions;
  readonly #staged = new Map<string, Staged>();
  #stagedCalls = 0;
  #writtenCalls = 0;
  #calls = 0;
  /** Calls for candles that have not opened at the venue. */
  #skippedCalls = 0;
  #rows = 0;
  #rateLimited = 0;
  readonly #outage: VenueOutage;
  #pausedUntilMs = -Infinity;
  #isStopped = false;
  #writing: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => (this.#wake = resolve));

  constructor(options: CandleDownloadOptions) {
    this.#options = options;
    this.#outage = new VenueOutage(options);
  }

  /** Ends the download after the candles that have arrived are written. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /**
   * @throws StartError when the venue refuses a call or gives no candles for 30 minutes, CatalogError and system
   * errors when a write fails
   */
  async run(calls: readonly DownloadCall[]): Promise<DownloadResult> {
    const queue = calls.values();
    const work = async (): Promise<void> => {
      for (const call of queue) {
        if (this.#isStopped) return;
        await this.#download(call, calls.length);
      }
    };
    try {
      const workers = Array.from({ length: CONCURRENT_CALLS }, () => work());
      await Promise.all(workers);
    } finally {
      this.stop();
      await this.#write();
    }
    const isComplete = this.#calls + this.#skippedCalls === calls.length;
    return {
      rows: this.#rows,
      calls: this.#calls,
      rateLimited: this.#rateLimited,
      empty: [...this.#staged.keys()],
      isComplete,
    };
  }

  async #download(call: DownloadCall, totalCalls: number): Promise<void> {
    // The plan ends at the clock of this machine, and a sandbox may live in another year.
    if (call.fromMs >= this.#options.nowMs()) {
      this.#skippedCalls += 1;
      return;
    }
    const answer = await this.#answerOf(call);
    if (answer === undefined) return;
    this.#stage(call, answer);
    this.#calls += 1;
    this.#options.onProgress({
      calls: this.#calls,
      totalCalls,
      rows: this.#rows,
      timeMs: call.toMs,
    });
    const { least, most } = CALLS_PER_WRITE;
    const step = Math.min(most, Math.max(least, this.#writtenCalls));
    if (this.#stagedCalls >= step) await this.#write();
  }

  /** undefined: the download was stopped meanwhile. @throws StartError for a call that the venue refuses */
  async #answerOf(call: DownloadCall): Promise<ReadonlyMap<string, CandleColumns> | undefined> {
    const { api, kind, interval, random } = this.#options;
    for (let attempt = 0; !this.#isStopped; attempt += 1) {
      await this.#pauseUntilAllowed();
      const answer = new Map<string, CandleColumns>();
      const onCandles = (symbol: string, candles: readonly Candle[]): void => {
        answer.set(symbol, this.#closedCandles(call, candles));
      };
      const query = { ...call, interval, toMs: call.toMs - 1_000, onCandles };
      const asked = kind === 'klines' ? api.klines(query) : api.markKlines(query);
      const outcome = await Promise.race([asked, this.#stopped]);
      if (outcome === undefined) return undefined;
      if (outcome.kind === 'yes') {
        this.#outage.ended();
        return answer;
      }
      if (outcome.status === 429) {
        this.#onRateLimited();
        continue;
      }
      throwIfRefused(outcome);
      const waitMs = RETRY.baseMs + backoffMs(attempt, RETRY, random);
      this.#outage.failed(`the venue does not answer (${outcome.cause})`, waitMs);
      await this.#pause(waitMs);
    }
    return undefined;
  }

  /** A 429 during a pause belongs to a call that left before it. */
  #onRateLimited(): void {
    this.#rateLimited += 1;
    const { clock, pauseMs } = this.#options;
    const now = clock.monotonicMs();
    if (now < this.#pausedUntilMs) return;
    const waitMs = pauseMs();
    this.#pausedUntilMs = now + waitMs;
    this.#outage.failed('the venue says that its rate limit is used up (429)', waitMs);
  }

  async #pauseUntilAllowed(): Promise<void> {
    const { clock } = this.#options;
    for (let left = this.#pausedUntilMs - clock.monotonicMs(); left > 0 && !this.#isStopped;) {
      await this.#pause(left);
      left = this.#pausedUntilMs - clock.monotonicMs();
    }
  }

  /** Until the time is over, or the download is stopped. */
  async #pause(waitMs: number): Promise<void> {
    let cancel: Cancel = () => undefined;
    const over = new Promise<void>((resolve) => {
      cancel = this.#options.scheduler.after(waitMs, resolve);
    });
    await Promise.race([over, this.#stopped]);
    cancel();
  }

  /** Columns at once: an object for each candle would live until the next write. */
  #closedCandles({ fromMs, toMs }: DownloadCall, candles: readonly Candle[]): CandleColumns {
    const { interval, nowMs } = this.#options;
    const now = nowMs();
    const columns = new CandleColumns(candles.length);
    for (const candle of candles) {
      const { openTime } = candle;
      if (openTime < fromMs || openTime >= toMs) continue;
      if (closeTimeOf(interval, openTime) <= now) columns.push(candle);
    }
    return columns;
  }

  #stage(call: DownloadCall, answer: ReadonlyMap<string, CandleColumns>): void {
    const { interval, nowMs } = this.#options;
    const now = nowMs();
    const settledMs = openTimeOf(interval, now - SETTLED_AFTER_MS);
    this.#stagedCalls += 1;
    for (const symbol of call.symbols) {
      const before: Staged = this.#staged.get(symbol) ?? nothingStaged();
      const { parts, asked } = before;
      const settled = Math.min(before.settledMs, settledMs);
      this.#staged.set(symbol, { parts, asked, settledMs: settled });
      const columns = answer.get(symbol);
      if (columns !== undefined && columns.length > 0) {
        parts.push(columns);
        this.#rows += columns.length;
      }
      asked.push({ fromMs: call.fromMs, toMs: call.toMs });
    }
  }

  /** One write at a time. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeStaged());
    return this.#writing;
  }

  async #writeStaged(): Promise<void> {
    this.#writtenCalls += this.#stagedCalls;
    this.#stagedCalls = 0;
    const { catalog, kind, interval } = this.#options;
    for (const [symbol, staged] of [...this.#staged]) {
      const dataset: CandleDataset = { kind, symbol, interval };
      // A symbol that the venue does not list gets no file; its ranges wait for a first candle.
      if (staged.parts.length === 0 && (await catalog.coverage(dataset)) === undefined) continue;
      this.#staged.delete(symbol);
      await this.#writeSymbol(dataset, staged);
    }
  }

  async #writeSymbol(dataset: CandleDataset, { parts, asked, settledMs }: Staged): Promise<void> {
    const { catalog, baseUrl, overwrite } = this.#options;
    const candles = CandleColumns.join(
      parts.sort((one, other) => firstTime(one) - firstTime(other)),
    );
    for (const { fromMs, toMs } of unionOf(asked)) {
      const rows = candles.within(fromMs, toMs);
      const settled = { fromMs, toMs: Math.min(toMs, settledMs) };
      const isAnswered = settled.fromMs < settled.toMs;
      if (rows.length === 0 && !isAnswered) continue;
      const source = { text: baseUrl, sha256: null, ...(isAnswered && { answered: settled }) };
      await catalog.write(dataset, rows, source, { overwrite });
    }
  }
}

const firstTime = ({ openTime }: CandleColumns): number => openTime[0] ?? Infinity;

/** @throws StartError when a repetition would be refused too */
function throwIfRefused(
  outcome: Exclude<Outcome<unknown>, { readonly kind: 'yes' }>,
): asserts outcome is Extract<typeof outcome, { readonly kind: 'unknown' }> {
  if (outcome.kind === 'no')
    throw new StartError(`the venue refuses the candles: ${outcome.text} (HTTP ${outcome.status})`);
  const { status } = outcome;
  if (status !== undefined && status >= 400 && status < 500 && status !== 408)
    throw new StartError(
      `the venue has no candles at this address: ${outcome.cause} (HTTP ${status}); check --base-url`,
    );
}
