import type { BootClock, Cancel, Clock, Logger, Random, Scheduler } from '../../core/ports.js';
import type { Priority } from '../../core/request.js';
import { backoffMs } from '../../transport/backoff.js';
import type { StateFile } from '../../transport/connection-budget.js';
import { isMoment, momentNow, msSince, type Moment } from '../../transport/moment.js';
import { RateBudget, type RateTier, type RateUsage } from '../../transport/rate-budget.js';
import { PRIORITIES, RESERVED, URGENT, type Tier } from './limits.js';

export interface RequestLimitsOptions {
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** Where the used windows survive a restart (hazard L4). */
  readonly file?: StateFile;
  /**
   * How long this process lives: the one before it had ended by then, whatever it had not saved. 0
   * where that is not told.
   */
  readonly processAgeMs?: number;
  /** Tells how old the file is, whatever the wall clock did meanwhile. */
  readonly boot?: BootClock;
}

/**
 * Of one tier: how often in a row it was refused, and until when (monotonic ms) it therefore rests,
 * reserved priorities first.
 */
interface Refusal {
  readonly inRow: number;
  readonly untilMs: number;
}

interface SavedUsage extends Moment {
  /** Saved at a clean end: nothing was used after it. */
  readonly closed: boolean;
  readonly usage: RateUsage;
}

/** Often, since each start after a crash pays for what it may have missed, in every window. */
const SAVE_EVERY_MS = 1_000;
/** What may have left between the last save and a crash: 10 a second, the fastest tier. */
const UNSAVED_USES = 10;
const PENALTY = { baseMs: 2_000, maxMs: 60_000 };
/** What takes risk back waits for a moment, and twice as long with each refusal in a row. */
const RESERVED_WAIT_MS = 100;
const MAX_RETRY_AFTER_MS = 300_000;

/** The venue's rate limits over the life of the account, not only of this process. */
export class RequestLimits {
  readonly #options: RequestLimitsOptions;
  readonly #budget: RateBudget<Tier, Priority>;
  readonly #restored: Promise<void>;
  #isRestored = false;
  readonly #refusals = new Map<Tier, Refusal>();
  #cancelSave: Cancel | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
    const { tiers, clock, scheduler } = options;
    this.#budget = new RateBudget({
      tiers,
      priorities: PRIORITIES,
      reserved: RESERVED,
      urgent: URGENT,
      clock,
      scheduler,
    });
    this.#restored = this.#restore().then(() => {
      this.#isRestored = true;
    });
  }

  /** See `RateBudget.acquire`. */
  async acquire(tiers: readonly Tier[], priority: Priority, signal?: AbortSignal): Promise<void> {
    await this.#restored;
    await this.#budget.acquire(tiers, priority, signal);
    this.#scheduleSave();
  }

  /** See `RateBudget.acquireNow`. Not before it is known what an earlier process used. */
  acquireNow(tiers: readonly Tier[], priority: Priority): boolean {
    if (!this.#isRestored || !this.#budget.acquireNow(tiers, priority)) return false;
    this.#scheduleSave();
    return true;
  }

  /** Tells how the venue answered: 429 stops the tiers, for as long as it says or with jitter. */
  answered(tiers: readonly Tier[], status: number, retryAfter: string | undefined): void {
    if (status === 429) this.#refused(tiers, retryAfter);
    else for (const tier of tiers) this.#refusals.delete(tier);
  }

  #refused(tiers: readonly Tier[], retryAfter: string | undefined): void {
    const { clock, random, logger } = this.#options;
    const now = clock.monotonicMs();
    const before = tiers.map((tier) => this.#refusals.get(tier) ?? { inRow: 0, untilMs: 0 });
    // Several that were under way together are one refusal.
    if (before.every(({ untilMs }) => now < untilMs)) return;
    const inRow = Math.max(...before.map((refusal) => refusal.inRow));
    const asked = retryAfterMs(retryAfter);
    const waitMs = asked ?? 500 + backoffMs(inRow, PENALTY, random);
    const reservedMs = asked ?? Math.min(waitMs, RESERVED_WAIT_MS * 2 ** inRow);
    const refusal = { inRow: inRow + 1, untilMs: now + reservedMs };
    for (const tier of tiers) this.#refusals.set(tier, refusal);
    this.#budget.penalise(tiers, waitMs, reservedMs);
    logger.warn({ tiers, waitMs }, 'The venue says that its rate limit is exceeded');
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
      ...momentNow(this.#options),
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
      if (bytes !== undefined) this.#count(savedFromText(new TextDecoder().decode(bytes)));
    } catch (error) {
      logger.warn({ cause: String(error), path: file.path }, 'The used rate limits are not known');
    }
    // A crash before the first regular save must be seen by the next start.
    await this.#save(false);
  }

  #count(saved: SavedUsage): void {
    const agedMs = msSince(saved, this.#options);
    this.#budget.restore(saved.usage, agedMs);
    const endedMs = Math.min(agedMs, this.#options.processAgeMs ?? 0);
    if (!saved.closed) this.#budget.restore(unsavedUsage(saved.usage), endedMs);
  }
}

/** A crash loses up to one interval: count it as if it had been full. */
const unsavedUsage = (usage: RateUsage): RateUsage =>
  Object.fromEntries(
    Object.entries(usage).map(([tier, windows]) => [tier, windows.map(() => [[0, UNSAVED_USES]])]),
  ) as RateUsage;

/** Seconds; a date is not used, because clocks differ. */
function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(MAX_RETRY_AFTER_MS, Number(text) * 1_000);
}

/** @throws SyntaxError when the text is not what `#save` wrote */
function savedFromText(text: string): SavedUsage {
  const value: unknown = JSON.parse(text);
  if (!isSaved(value)) throw new SyntaxError('The file does not hold used rate limits');
  return value;
}

const isSaved = (value: unknown): value is SavedUsage =>
  isMoment(value) && 'closed' in value && 'usage' in value && isUsage(value.usage);

const isUsage = (value: unknown): value is RateUsage =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((windows) => Array.isArray(windows) && windows.every(isWindow));

const isWindow = (window: unknown): boolean =>
  Array.isArray(window) &&
  window.every((used) => Array.isArray(used) && used.length === 2 && used.every(Number.isFinite));
