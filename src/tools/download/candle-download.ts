import type { DataCatalog } from '../../catalog/catalog.js';
import type { CandleDataset } from '../../catalog/dataset.js';
import { unionOf, type TimeRange } from '../../catalog/coverage.js';
import type { Candle } from '../../core/candle.js';
import { StartError } from '../../core/command-errors.js';
import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { Clock, Random, Scheduler } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import { backoffMs } from '../../io/net/backoff.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { FuturesApi } from '../../venue/futures-api/futures-api.js';
import type { DownloadCall } from './download-plan.js';

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
  readonly candles: Candle[];
  readonly answered: TimeRange[];
}

/** At the limit of the venue an answer may take 0.8 s. */
const CONCURRENT_CALLS = 4;
/** Calls between two writes: about 60 MB of candles in memory. */
const CALLS_PER_WRITE = 50;
const RETRY = { baseMs: 1_000, maxMs: 30_000 };

/**
 * Downloads candles into the catalogue: each call once, in the order of the plan, written every 50 calls. A venue that
 * does not answer is asked again for as long as it takes. Written candles are never downloaded again.
 */
export class CandleDownload {
  readonly #options: CandleDownloadOptions;
  readonly #staged = new Map<string, Staged>();
  #stagedCalls = 0;
  #calls = 0;
  #rows = 0;
  #rateLimited = 0;
  #downSinceMs: number | undefined;
  #isStopped = false;
  #writing: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => (this.#wake = resolve));

  constructor(options: CandleDownloadOptions) {
    this.#options = options;
  }

  /** Ends the download after the candles that have arrived are written. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** @throws StartError when the venue refuses a call, CatalogError and system errors when a write fails */
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
    const isComplete = this.#calls === calls.length;
    return {
      rows: this.#rows,
      calls: this.#calls,
      rateLimited: this.#rateLimited,
      empty: [...this.#staged.keys()],
      isComplete,
    };
  }

  async #download(call: DownloadCall, totalCalls: number): Promise<void> {
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
    if (this.#stagedCalls >= CALLS_PER_WRITE) await this.#write();
  }

  /** undefined: the download was stopped meanwhile. @throws StartError for a call that the venue refuses */
  async #answerOf(call: DownloadCall): Promise<ReadonlyMap<string, readonly Candle[]> | undefined> {
    const { api, kind, interval, random } = this.#options;
    const query = { ...call, interval, toMs: call.toMs - 1_000 };
    for (let attempt = 0; !this.#isStopped; attempt += 1) {
      const asked = kind === 'klines' ? api.klines(query) : api.markKlines(query);
      const outcome = await Promise.race([asked, this.#stopped]);
      if (outcome === undefined) return undefined;
      if (outcome.kind === 'yes') {
        this.#noteReturn();
        return outcome.value;
      }
      if (outcome.status === 429) {
        this.#rateLimited += 1;
        continue;
      }
      throwIfRefused(outcome);
      const waitMs = RETRY.baseMs + backoffMs(attempt, RETRY, random);
      this.#noteOutage(outcome.cause, waitMs);
      await Promise.race([this.#pause(waitMs), this.#stopped]);
    }
    return undefined;
  }

  #pause(waitMs: number): Promise<void> {
    return new Promise((resolve) => this.#options.scheduler.after(waitMs, resolve));
  }

  #noteOutage(cause: string, waitMs: number): void {
    const { clock, onNote } = this.#options;
    if (this.#downSinceMs !== undefined) return;
    this.#downSinceMs = clock.monotonicMs();
    onNote(
      `the venue does not answer (${cause}); the download waits and tries again, first in ${Math.ceil(waitMs / 1_000)} s; Ctrl-C keeps what it has`,
    );
  }

  #noteReturn(): void {
    if (this.#downSinceMs === undefined) return;
    const seconds = Math.round((this.#options.clock.monotonicMs() - this.#downSinceMs) / 1_000);
    this.#downSinceMs = undefined;
    this.#options.onNote(`the venue answers again after ${seconds} s; the download goes on`);
  }

  #stage(call: DownloadCall, answer: ReadonlyMap<string, readonly Candle[]>): void {
    const { interval, nowMs } = this.#options;
    const closedMs = Math.min(call.toMs, nowMs());
    this.#stagedCalls += 1;
    for (const symbol of call.symbols) {
      const staged = this.#staged.get(symbol) ?? { candles: [], answered: [] };
      this.#staged.set(symbol, staged);
      for (const candle of answer.get(symbol) ?? []) {
        const { openTime } = candle;
        if (openTime < call.fromMs || closeTimeOf(interval, openTime) > closedMs) continue;
        staged.candles.push(candle);
        this.#rows += 1;
      }
      if (closedMs > call.fromMs) staged.answered.push({ fromMs: call.fromMs, toMs: closedMs });
    }
  }

  /** One write at a time. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeStaged());
    return this.#writing;
  }

  async #writeStaged(): Promise<void> {
    this.#stagedCalls = 0;
    const { catalog, kind, interval, baseUrl, overwrite } = this.#options;
    for (const symbol of [...this.#staged.keys()]) {
      const dataset: CandleDataset = { kind, symbol, interval };
      const { candles, answered } = this.#staged.get(symbol) ?? { candles: [], answered: [] };
      // A symbol that the venue does not list gets no file; its ranges wait for a first candle.
      if (candles.length === 0 && (await catalog.coverage(dataset)) === undefined) continue;
      this.#staged.delete(symbol);
      candles.sort((one, other) => one.openTime - other.openTime);
      for (const range of unionOf(answered)) {
        const rows = candles.filter(
          ({ openTime }) => openTime >= range.fromMs && openTime < range.toMs,
        );
        const source = { text: baseUrl, sha256: null, answered: range };
        await catalog.write(dataset, CandleColumns.from(rows), source, { overwrite });
      }
    }
  }
}

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
