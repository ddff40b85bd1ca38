import { fixed, SCALE, subtract, withSign, type Price, type Ratio } from '../core/fixed/fixed.js';
import { sideSign, type Side } from '../core/order.js';
import { compareProducts } from './product-text.js';

/** Venue ms within which so many entries with too much slippage stop a strategy. */
export const SLIPPED_WITHIN_MS = 10 * 60_000;
export const MAX_SLIPPED_ENTRIES = 3;
const WHOLE_BPS = fixed<'ratio'>(10_000 * SCALE);

/** A fill of an entry. */
export interface EntryFill {
  readonly strategyId: string;
  /** Fills of one order count once. */
  readonly orderKey: number;
  readonly side: Side;
  readonly price: Price;
  /** Price of the decision; of a resting order, its own price. */
  readonly reference: Price;
  /** Venue ms. */
  readonly at: number;
}

interface SlippedEntry {
  readonly orderKey: number;
  readonly at: number;
}

/**
 * R39: entries that filled at much worse prices than those of their decisions. Exits do not count: they must
 * leave at any price.
 */
export class FillSlippage {
  readonly #slipped = new Map<string, SlippedEntry[]>();

  /** @returns whether the strategy must stop: it is its third such entry within ten minutes */
  onFill(fill: EntryFill, limitBps: Ratio): boolean {
    const { strategyId, orderKey, at } = fill;
    if (!isBeyond(fill, limitBps)) return false;
    const earlier = (this.#slipped.get(strategyId) ?? []).filter(
      (entry) => entry.orderKey !== orderKey && at - entry.at < SLIPPED_WITHIN_MS,
    );
    const entries = [...earlier, { orderKey, at }];
    this.#slipped.set(strategyId, entries);
    return entries.length >= MAX_SLIPPED_ENTRIES;
  }

  /** Entries with too much slippage within the ten minutes before a venue time. */
  count(strategyId: string, now: number): number {
    const entries = this.#slipped.get(strategyId) ?? [];
    return entries.filter(({ at }) => now - at < SLIPPED_WITHIN_MS).length;
  }
}

function isBeyond({ side, price, reference }: EntryFill, limitBps: Ratio): boolean {
  const worse = withSign(sideSign(side), subtract(price, reference));
  return compareProducts(worse, WHOLE_BPS, limitBps, reference) > 0;
}
