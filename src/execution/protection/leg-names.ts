import type { Currency } from '../../core/currency.js';
import type { Price } from '../../core/fixed.js';
import { legIdOf } from '../../core/ids.js';
import type { LegSlot } from '../../core/request.js';
import type { LegName } from './protection-leg.js';

interface Named {
  readonly symbol: string;
  readonly currency: Currency;
  readonly slot: LegSlot;
  readonly price: Price;
}

/** Client order ids of legs: which are ours, and which are used up. */
export class LegNames {
  readonly #account: string;
  readonly #ours = new Set<string>();

  constructor(account: string) {
    this.#account = account;
  }

  owns(clientOrderId: string): boolean {
    return this.#ours.has(clientOrderId);
  }

  /** One that an earlier life of this process sent. */
  remember(clientOrderId: string): void {
    this.#ours.add(clientOrderId);
  }

  /** The first id for this leg that our journal has not used. */
  fresh(leg: Named, positionId: string): LegName {
    for (let generation = 1; ; generation += 1) {
      const identity = { ...leg, account: this.#account, positionId };
      const clientOrderId = legIdOf(identity, generation);
      if (this.#ours.has(clientOrderId)) continue;
      this.#ours.add(clientOrderId);
      return { clientOrderId, positionId, generation };
    }
  }
}
