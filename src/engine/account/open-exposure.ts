import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OwnPosition, PositionLedger } from '../../execution/position-ledger.js';
import {
  ownShareOf,
  type RecoveredPosition,
} from '../../execution/recovery/recovered-positions.js';
import type { Reconciliation } from '../reconciliation/reconciliation.js';

export interface LeftOpen {
  /** Our own share of each open position. */
  readonly positions: readonly OwnPosition[];
  /** Every order of ours that has not ended. */
  readonly orders: readonly OwnOrder[];
}

export interface OpenExposureParts {
  readonly ledger: OrderLedger;
  readonly positions: PositionLedger;
  readonly reconciliation: Pick<Reconciliation, 'unconfirmedPositions'>;
}

/** Open positions and orders for a person: positions are those of the journal until a read of the venue confirms them. */
export class OpenExposure {
  readonly #parts: OpenExposureParts;

  constructor(parts: OpenExposureParts) {
    this.#parts = parts;
  }

  /** Positions of the journal that no read of the venue has confirmed yet; undefined: one has. */
  get unconfirmed(): readonly RecoveredPosition[] | undefined {
    return this.#parts.reconciliation.unconfirmedPositions;
  }

  /** Open positions with the share of others; signed quantities. */
  get positions(): readonly Pick<RecoveredPosition, 'symbol' | 'currency' | 'quantity'>[] {
    return this.unconfirmed ?? [...this.#parts.positions.openPositions()];
  }

  get own(): LeftOpen {
    const { ledger, positions } = this.#parts;
    const unconfirmed = this.unconfirmed?.map((position) => ({
      ...position,
      quantity: ownShareOf(position),
    }));
    return {
      positions: unconfirmed?.filter(({ quantity }) => quantity !== 0) ?? positions.ownPositions(),
      orders: [...ledger.allOpenOrders()],
    };
  }
}
