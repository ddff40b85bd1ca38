import type { NoticeItem } from './notice.js';

const HOUR_MS = 3_600_000;
/** Pages within any hour (issue 19: at most three pages an hour, then one collapsed). */
export const PAGES_PER_HOUR = 3;
/** Real ms that a collapsed page waits for further alerts. */
export const COLLECT_MS = 60_000;

/** Times of the last pages, ms UTC. They outlive a restart, so that a crash loop is no storm of pages. */
export interface PageTimes {
  readonly pages: readonly number[];
  /** Of the last collapsed page; 0: none. */
  readonly collapsedAt: number;
}
export const NO_PAGES: PageTimes = { pages: [], collapsedAt: 0 };

/**
 * Bounds the pages of any hour: three, then one that collapses the rest. Later alerts wait until the hour lets
 * another page pass. Nothing is lost: an alert that waits is in the next page.
 */
export class PageBudget {
  #times: PageTimes;
  readonly #held = new Map<string, NoticeItem>();
  #heldSince = 0;

  constructor(times: PageTimes) {
    this.#times = times;
  }

  get times(): PageTimes {
    return this.#times;
  }

  /**
   * Alerts of one instant have one cause as a rule: they are one page.
   * @returns the items of the page that leaves now; undefined: none leaves
   */
  step(items: readonly NoticeItem[], utcMs: number): readonly NoticeItem[] | undefined {
    if (items.length > 0 && this.#held.size === 0 && this.#takePage(utcMs)) return items;
    for (const item of items) this.#hold(item, utcMs);
    return this.#collapse(utcMs);
  }

  /** An alert has ended. @returns whether its page had not left: then no page reports it */
  withdraw(key: string): boolean {
    return this.#held.delete(key);
  }

  /** At the end of a run no alert waits: the last page has them all. */
  drain(items: readonly NoticeItem[], utcMs: number): readonly NoticeItem[] {
    for (const item of items) this.#hold(item, utcMs);
    const all = [...this.#held.values()];
    this.#held.clear();
    if (all.length > 0 && !this.#takePage(utcMs))
      this.#times = { ...this.#times, collapsedAt: utcMs };
    return all;
  }

  /** A wall clock that was set back leaves times in the future; they do not count. */
  #takePage(utcMs: number): boolean {
    const pages = this.#times.pages.filter((at) => at <= utcMs && utcMs - at < HOUR_MS);
    const isFree = pages.length < PAGES_PER_HOUR;
    this.#times = { ...this.#times, pages: isFree ? [...pages, utcMs] : pages };
    return isFree;
  }

  #hold(item: NoticeItem, utcMs: number): void {
    if (this.#held.size === 0) this.#heldSince = utcMs;
    const present = this.#held.get(item.key);
    this.#held.set(item.key, present?.state === 'raised' ? { ...item, state: 'raised' } : item);
  }

  #collapse(utcMs: number): readonly NoticeItem[] | undefined {
    if (this.#held.size === 0) return undefined;
    if (!this.#takePage(utcMs)) {
      const { collapsedAt } = this.#times;
      const isDue = collapsedAt > utcMs || utcMs - collapsedAt >= HOUR_MS;
      if (!isDue || utcMs - this.#heldSince < COLLECT_MS) return undefined;
      this.#times = { ...this.#times, collapsedAt: utcMs };
    }
    const items = [...this.#held.values()];
    this.#held.clear();
    return items;
  }
}
