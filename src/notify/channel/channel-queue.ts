import type { Cancel, Clock, Logger, Scheduler } from '../../core/ports.js';
import { ALERT_LEVELS } from '../alert/alert-kind.js';
import type { Notice, NoticeItem } from '../alert/notice.js';
import { DeliveryError, type NotifyChannel } from './channel.js';

/** Pauses after a failed attempt, real ms; the last one repeats. */
const RETRY_MS: readonly number[] = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000];
/** Real ms after which a notice that cannot be delivered is given up. */
export const GIVE_UP_MS = 3_600_000;
/** Items of one collapsed notice. */
const MAX_ITEMS = 50;
/** A receiver cannot ask for a longer pause. */
const MAX_RETRY_AFTER_MS = 900_000;

interface Queued {
  notice: Notice;
  attempts: number;
  /** Monotonic ms. */
  readonly since: number;
}

export interface ChannelQueueParts {
  readonly channel: NotifyChannel;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * The notices that wait for one channel. `enqueue` never waits and never throws: a stuck channel costs its
 * caller nothing. One attempt at a time; notices of one level that wait collapse into one, so that the queue is
 * bounded: two notices a level.
 */
export class ChannelQueue {
  readonly #parts: ChannelQueueParts;
  #queue: Queued[] = [];
  #isBusy = false;
  #retry: Cancel | undefined;
  #isPauseAsked = false;
  #hasFailed = false;
  #isClosed = false;
  #delivered = 0;
  readonly #onIdle: (() => void)[] = [];

  constructor(parts: ChannelQueueParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.channel.name;
  }
  get waiting(): number {
    return this.#queue.length;
  }
  get delivered(): number {
    return this.#delivered;
  }

  enqueue(notice: Notice): void {
    if (this.#isClosed || !this.#parts.channel.levels.has(notice.level)) return;
    const waiting = this.#queue.find(
      ({ notice: { level }, attempts }) => level === notice.level && attempts === 0,
    );
    if (waiting !== undefined) waiting.notice = collapsed(waiting.notice, notice);
    else {
      const since = this.#parts.clock.monotonicMs();
      this.#queue.push({ notice, attempts: 0, since });
    }
    // A page does not wait for the pause after a failed message; one that the receiver asked for holds.
    if (notice.level === 'page' && !this.#isPauseAsked) this.#cancelPause();
    this.#start();
  }

  /** Resolves when nothing waits any more, or everything was given up. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
      this.#reportIdle();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.();
    this.#queue = [];
    this.#reportIdle();
    await this.#parts.channel.close();
  }

  #cancelPause(): void {
    this.#retry?.();
    this.#retry = undefined;
  }

  /** The first attempt waits for the caller to return. */
  #start(): void {
    if (this.#isBusy || this.#retry !== undefined) return;
    this.#retry = this.#parts.scheduler.after(0, () => {
      this.#retry = undefined;
      void this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    const next = this.#next();
    if (next === undefined || this.#isClosed) return;
    this.#isBusy = true;
    next.attempts += 1;
    let pauseMs = 0;
    try {
      await this.#parts.channel.deliver(next.notice);
      this.#onDelivered(next);
    } catch (error) {
      pauseMs = this.#onFailed(next, error);
    }
    this.#isBusy = false;
    if (this.#isClosed) return;
    if (this.#queue.length === 0) this.#reportIdle();
    else
      this.#retry = this.#parts.scheduler.after(pauseMs, () => {
        this.#retry = undefined;
        void this.#attempt();
      });
  }

  /** Pages first, then the oldest. */
  #next(): Queued | undefined {
    for (const level of ALERT_LEVELS) {
      const found = this.#queue.find(({ notice }) => notice.level === level);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #remove(queued: Queued): void {
    this.#queue = this.#queue.filter((each) => each !== queued);
  }

  #onDelivered(queued: Queued): void {
    this.#remove(queued);
    this.#delivered += 1;
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#parts.logger.info({}, `notify: ${this.name} delivers again`);
  }

  /** @returns real ms until the next attempt */
  #onFailed(queued: Queued, error: unknown): number {
    const { clock, logger } = this.#parts;
    const text = error instanceof Error ? error.message : String(error);
    const { isPermanent = false, retryAfterMs } = error instanceof DeliveryError ? error : {};
    this.#isPauseAsked = retryAfterMs !== undefined;
    const isLate = clock.monotonicMs() - queued.since >= GIVE_UP_MS;
    if (isPermanent || isLate) {
      this.#remove(queued);
      const { id, items } = queued.notice;
      const keys = items.map(({ key }) => key);
      logger.error({ id, keys }, `notify: ${this.name} did not deliver a notice: ${text}`);
    } else if (!this.#hasFailed)
      logger.warn({}, `notify: ${this.name} fails, and is tried again: ${text}`);
    this.#hasFailed = true;
    if (isPermanent) return 0;
    const pause = RETRY_MS[Math.min(queued.attempts, RETRY_MS.length) - 1] ?? 0;
    return retryAfterMs === undefined ? pause : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  }

  #reportIdle(): void {
    if (this.#queue.length > 0 || this.#isBusy) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

/** The newer notice with the items of both; an item of the same key replaces the older one. */
function collapsed(older: Notice, newer: Notice): Notice {
  const items = new Map<string, NoticeItem>(older.items.map((item) => [item.key, item]));
  for (const item of newer.items) {
    const present = items.get(item.key);
    items.delete(item.key);
    const count = present === undefined ? item.count : Math.max(item.count, present.count + 1);
    items.set(item.key, { ...item, count });
  }
  const all = [...items.values()];
  const surplus = Math.max(0, all.length - MAX_ITEMS);
  return {
    ...newer,
    silent: older.silent && newer.silent,
    items: all.slice(surplus),
    omitted: older.omitted + newer.omitted + surplus,
  };
}
