/**
 * Owner of an order, a position or a charge: the id of a strategy, `operator` for manual orders of this
 * bot, or one of the two below. No id of a strategy has parentheses.
 */
export type Owner = string;

/** Another actor on the account: a person in the app, another program (Nautilus: `EXTERNAL`). */
export const EXTERNAL: Owner = '(external)';
/** No owner: transfers, gaps, and charges that no order explains. */
export const UNATTRIBUTED: Owner = '(unattributed)';

/** An order of this bot, as its journal names it. */
export interface OwnedOrder {
  readonly clientOrderId: string;
  /** Absent: the venue has not named one. */
  readonly orderId?: string;
  readonly owner: Owner;
  readonly symbol: string;
}

/** A position that a person gave to another owner. */
export interface Handover {
  /** ms UTC: after everything that happened until then. */
  readonly at: number;
  readonly symbol: string;
  readonly from: Owner;
  readonly to: Owner;
}

/** Finds the owners of orders and symbols. One strategy owns a symbol at a time. */
export class OrderOwners {
  readonly #byClientOrderId = new Map<string, Owner>();
  readonly #byOrderId = new Map<string, Owner>();
  readonly #bySymbol = new Map<string, Owner>();

  /** Oldest first. */
  readonly handovers: readonly Handover[];

  /** @param orders oldest first, of one account */
  constructor(orders: Iterable<OwnedOrder>, handovers: readonly Handover[] = []) {
    this.handovers = handovers;
    for (const { clientOrderId, orderId, owner, symbol } of orders) {
      this.#byClientOrderId.set(clientOrderId, owner);
      if (orderId !== undefined) this.#byOrderId.set(orderId, owner);
      this.#bySymbol.set(symbol, owner);
    }
    for (const { symbol, from, to } of handovers)
      if (this.#bySymbol.get(symbol) === from) this.#bySymbol.set(symbol, to);
  }

  /** `(external)` for an order that the journal does not have. */
  ofOrder({ orderId, clientOrderId }: OrderIds): Owner {
    const byId = this.#byOrderId.get(orderId);
    if (byId !== undefined || clientOrderId === undefined) return byId ?? EXTERNAL;
    return this.#byClientOrderId.get(clientOrderId) ?? EXTERNAL;
  }

  /** The owner of the newest own order of a symbol, for a position whose opening is not listed. */
  ofSymbol(symbol: string): Owner {
    return this.#bySymbol.get(symbol) ?? EXTERNAL;
  }
}

interface OrderIds {
  readonly orderId: string;
  readonly clientOrderId?: string;
}
