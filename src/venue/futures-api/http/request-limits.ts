import type { BootClock, Cancel, Clock, Logger, Random, Scheduler } from '../../../core/ports.js';
import type { Priority } from '../../../core/request.js';
import { backoffMs } from '../../../io/net/backoff.js';
import type { StateFile } from '../../../io/net/connection-budget.js';
import {
  isClockReading,
  readClocks,
  msSince,
  type ClockReading,
} from '../../../io/net/clock-reading.js';
import { RateBudget, type RateTier, type RateUsage } from '../../../io/net/rate-budget.js';
import {
  PRIORITIES,
  RESERVED_PRIORITIES,
  URGENT_PRIORITIES,
  type RateTierName,
} from './api-limits.js';

export interface RequestLimitsOptions {
  readonly tiers: Readonly<Record<RateTierName, RateTier>>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** Keeps the used windows over a restart (hazard L4). */
  readonly file?: StateFile;
  /**
   * Age of this process. The previous one had ended by then, so its unsaved requests are at least this
   * old. Default: 0.
   */
  readonly processAgeMs?: number;
  /** Dates the file independently of wall clock changes. */
  readonly boot?: BootClock;
  /** Used a moment ago by another client of this process for the same account. */
  readonly earlierUsage?: RateUsage;
}

/** The 429 answers of one tier in a row, and the monotonic ms until reserved priorities may send again. */
interface Refusal {
  readonly inRow: number;
  readonly untilMs: number;
}

interface SavedUsage extends ClockReading {
  /** Saved at a clean end: nothing was used after it. */
  readonly closed: boolean;
  readonly usage: RateUsage;
}

/** Short, because a start after a crash counts the longest unsaved interval in every window. */
const SAVE_EVERY_MS = 1_000;
/** Requests that may follow the last save before a crash: 10 per second, the fastest tier. */
const MAX_UNSAVED_REQUESTS = 10;
const PENALTY = { baseMs: 2_000, maxMs: 60_000 };
/** First pause of requests that reduce risk; it doubles with each 429 in a row. */
const RESERVED_WAIT_MS = 100;
const MAX_RETRY_AFTER_MS = 300_000;

/** The venue's rate limits, across restarts of the process. */
export class RequestLimits {
  readonly #options: RequestLimitsOptions;
  readonly #budget: RateBudget<RateTierName, Priority>;
  readonly #restored: Promise<void>;
  #isRestored = false;
  readonly #refusals = new Map<RateTierName, Refusal>();
  #cancelSave: Cancel | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
    const { tiers, clock, scheduler } = options;
    this.#budget = new RateBudget({
      tiers,
      priorities: PRIORITIES,
      reserved: RESERVED_PRIORITIES,
      urgent: URGENT_PRIORITIES,
      clock,
      scheduler,
    });
    this.#restored = this.#restore().then(() => {
      this.#budget.restore(options.earlierUsage ?? {}, 0);
      this.#isRestored = true;
    });
  }

  /** See `RateBudget.acquire`. */
  async acquire(
    tiers: readonly RateTierName[],
    priority: Priority,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#restored;
    await this.#budget.acquire(tiers, priority, signal);
    this.#scheduleSave();
  }

  /** See `RateBudget.tryAcquire`. False until the usage of the previous process is loaded. */
  tryAcquire(tiers: readonly RateTierName[], priority: Priority): boolean {
    if (!this.#isRestored || !this.#budget.tryAcquire(tiers, priority)) return false;
    this.#scheduleSave();
    return true;
  }

  /** Call for each answer. A 429 pauses the tiers for `retryAfter` seconds, or a backoff with jitter. */
  onResponse(tiers: readonly RateTierName[], status: number, retryAfter: string | undefined): void {
    if (status === 429) this.#onRateLimited(tiers, retryAfter);
    else for (const tier of tiers) this.#refusals.delete(tier);
  }

  #onRateLimited(tiers: readonly RateTierName[], retryAfter: string | undefined): void {
    const { clock, random, logger } = this.#options;
    const now = clock.monotonicMs();
    const before = tiers.map((tier) => this.#refusals.get(tier) ?? { inRow: 0, untilMs: 0 });
    // A 429 during a pause belongs to a request sent before it, and counts once.
    if (before.every(({ untilMs }) => now < untilMs)) return;
    const inRow = Math.max(...before.map((refusal) => refusal.inRow));
    const requestedMs = retryAfterMs(retryAfter);
    const waitMs = requestedMs ?? 500 + backoffMs(inRow, PENALTY, random);
    const reservedMs = requestedMs ?? Math.min(waitMs, RESERVED_WAIT_MS * 2 ** inRow);
    const refusal = { inRow: inRow + 1, untilMs: now + reservedMs };
    for (const tier of tiers) this.#refusals.set(tier, refusal);
    this.#budget.penalise(tiers, waitMs, reservedMs);
    logger.warn({ tiers, waitMs }, 'The venue says that its rate limit is exceeded');
  }

  get usage(): RateUsage {
    return this.#budget.export();
  }

  async close(): Promise<void> {
    this.#budget.close();
    this.#cancelSave?.();
    await this.#restored;
    await this.#saving;
    await this.#save(true);
  }

  #scheduleSave(): void {
    if (this.#options.file === undefined || this.#cancelSave !== undefined) return;
    this.#cancelSave = this.#options.scheduler.after(SAVE_EVERY_MS, () => {
      this.#cancelSave = undefined;
      this.#saving = this.#saving.then(() => this.#save(false));
    });
  }

  async #save(closed: boolean): Promise<void> {
    const { file, logger } = this.#options;
    if (file === undefined) return;
    const saved: SavedUsage = {
      ...readClocks(this.#options),
      closed,
      usage: this.#budget.export(),
    };
    try {
      await file.files.replace(file.path, new TextEncoder().encode(JSON.stringify(saved)));
    } catch (error) {
      logger.warn({ cause: String(error), path: file.path }, 'The used rate limits are not saved');
    }
  }

  async #restore(): Promise<void> {
    const { file, logger } = this.#options;
    if (file === undefined) return;
    try {
      const bytes = await file.files.read(file.path);
      if (bytes !== undefined) this.#restoreUsage(savedFromText(new TextDecoder().decode(bytes)));
    } catch (error) {
      logger.warn({ cause: String(error), path: file.path }, 'The used rate limits are not known');
    }
    // The next start must detect a crash before the first regular save.
    await this.#save(false);
  }

  #restoreUsage(saved: SavedUsage): void {
    const agedMs = msSince(saved, this.#options);
    this.#budget.restore(saved.usage, agedMs);
    const endedMs = Math.min(agedMs, this.#options.processAgeMs ?? 0);
    if (!saved.closed) this.#budget.restore(unsavedUsage(saved.usage), endedMs);
  }
}

/** A crash loses up to one save interval, which counts as fully used. */
const unsavedUsage = (usage: RateUsage): RateUsage =>
  Object.fromEntries(
    Object.entries(usage).map(([tier, windows]) => [
      tier,
      windows.map(() => [[0, MAX_UNSAVED_REQUESTS]]),
    ]),
  ) as RateUsage;

/** The pause of a Retry-After header in seconds, ms. An HTTP date is ignored, because clocks differ. */
export function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(MAX_RETRY_AFTER_MS, Number(text) * 1_000);
}

/** @throws SyntaxError unless `#save` wrote the text */
function savedFromText(text: string): SavedUsage {
  const value: unknown = JSON.parse(text);
  if (!isSaved(value)) throw new SyntaxError('The file does not hold used rate limits');
  return value;
}

const isSaved = (value: unknown): value is SavedUsage =>
  isClockReading(value) && 'closed' in value && 'usage' in value && isUsage(value.usage);

const isUsage = (value: unknown): value is RateUsage =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((windows) => Array.isArray(windows) && windows.every(isWindow));

const isWindow = (window: unknown): boolean =>
  Array.isArray(window) &&
  window.every((used) => Array.isArray(used) && used.length === 2 && used.every(Number.isFinite));
