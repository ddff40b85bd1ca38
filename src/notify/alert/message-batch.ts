import type { NoticeItem } from './notice.js';

/** Alerts of one notice; more are counted only. */
export const MAX_ITEMS = 20;
/** Keys that wait for a notice. */
export const MAX_WAITING = 200;
/** Real ms between two messages. */
export const MESSAGE_SPACING_MS = 30_000;

export interface NoticeBatch {
  readonly items: readonly NoticeItem[];
  readonly omitted: number;
}

/** At most `MAX_ITEMS` of them. */
export const batchOf = (items: readonly NoticeItem[], dropped = 0): NoticeBatch => ({
  items: items.slice(0, MAX_ITEMS),
  omitted: Math.max(0, items.length - MAX_ITEMS) + dropped,
});

/** Messages that wait for their turn, or for the end of quiet hours. The same key collapses with a count. */
export class MessageBatch {
  readonly #waiting = new Map<string, NoticeItem>();
  #dropped = 0;
  #sentAt = Number.NEGATIVE_INFINITY;

  add(item: NoticeItem): void {
    const present = this.#waiting.get(item.key);
    if (present === undefined && this.#waiting.size >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.set(item.key, present === undefined ? item : merged(present, item));
  }

  /** @param monotonic ms of this process */
  take(monotonic: number, isHeld: boolean): NoticeBatch | undefined {
    if (isHeld || this.#waiting.size === 0) return undefined;
    if (monotonic - this.#sentAt < MESSAGE_SPACING_MS) return undefined;
    return this.drain(monotonic);
  }

  /** Everything at once, for the end of a run. */
  drain(monotonic: number): NoticeBatch | undefined {
    if (this.#waiting.size === 0) return undefined;
    const batch = batchOf([...this.#waiting.values()], this.#dropped);
    this.#waiting.clear();
    this.#dropped = 0;
    this.#sentAt = monotonic;
    return batch;
  }
}

/** Events are summed; a state is replaced by the newer one. */
const merged = (present: NoticeItem, item: NoticeItem): NoticeItem =>
  item.state === 'happened'
    ? { ...item, count: present.count + item.count, sinceMs: present.sinceMs }
    : { ...item, sinceMs: present.sinceMs };
