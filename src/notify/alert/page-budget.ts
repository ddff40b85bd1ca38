import type { NoticeItem } from './notice.js';

const HOUR_MS = 3_600_000;
/** Pages within any hour (issue 19: at most three pages an hour, then one collapsed). */
export const PAGES_PER_HOUR = 3;
/** Real ms that a collapsed page waits for further alerts. */
export const COLLECT_MS = 60_000;

/**
 * Bounds the pages of any hour: three, then one that collapses the rest. Later alerts wait until the hour lets
 * another page pass. Nothing is lost: an alert that waits is in the next page.
 */
export class PageBudget {
  /** Monotonic ms of the pages within the last hour. */
  #pages: readonly number[] = [];
  #collapsedAt = Number.NEGATIVE_INFINITY;
  readonly #held = new Map<string, NoticeItem>();
  #heldSince = 0;

  /** @returns the pages that may leave now, each a list of its items */
  step(items: readonly NoticeItem[], monotonic: number): readonly (readonly NoticeItem[])[] {
    this.#pages = this.#pages.filter((at) => monotonic - at < HOUR_MS);
    const out: (readonly NoticeItem[])[] = [];
    for (const item of items) {
      if (this.#held.size === 0 && this.#pages.length < PAGES_PER_HOUR) {
        this.#pages = [...this.#pages, monotonic];
        out.push([item]);
      } else this.#hold(item, monotonic);
    }
    const collapsed = this.#collapse(monotonic);
    return collapsed === undefined ? out : [...out, collapsed];
  }

  /** An alert has ended. @returns whether its page had not left: then no page reports it */
  withdraw(key: string): boolean {
    return this.#held.delete(key);
  }

  #hold(item: NoticeItem, monotonic: number): void {
    if (this.#held.size === 0) this.#heldSince = monotonic;
    const present = this.#held.get(item.key);
    this.#held.set(item.key, present?.state === 'raised' ? { ...item, state: 'raised' } : item);
  }

  #collapse(monotonic: number): readonly NoticeItem[] | undefined {
    if (this.#held.size === 0) return undefined;
    if (this.#pages.length < PAGES_PER_HOUR) this.#pages = [...this.#pages, monotonic];
    else if (monotonic - this.#collapsedAt >= HOUR_MS && monotonic - this.#heldSince >= COLLECT_MS)
      this.#collapsedAt = monotonic;
    else return undefined;
    const items = [...this.#held.values()];
    this.#held.clear();
    return items;
  }
}
