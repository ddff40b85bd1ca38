import type { EventTime } from '../core/events.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { Gate } from '../risk/gate.js';
import type { OrderManager } from './order/order-manager.js';
import type { Reconciliation } from './reconciliation/reconciliation.js';
import type { CircuitBreakers } from './watch/circuit-breakers.js';
import type { OrderLifetime } from './watch/order-lifetime.js';

export interface ControlCountsParts {
  readonly stamp: Readonly<EventTime>;
  readonly gate: Gate;
  readonly ledger: Pick<OrderLedger, 'unprovedCount'>;
  readonly breakers: CircuitBreakers;
  readonly orderManager: OrderManager;
  readonly orderLifetime: OrderLifetime;
  readonly reconciliation: Reconciliation;
}

/** Venue ms. */
const MINUTE_MS = 60_000;

/** Figures of the controls that count, beside the facts of the gate: read for reports, and never judged. */
export class ControlCounts {
  readonly #parts: ControlCountsParts;

  constructor(parts: ControlCountsParts) {
    this.#parts = parts;
  }

  /** R08: refused repeats of a strategy within a minute. */
  duplicates(strategyId: string): number {
    const { gate, stamp } = this.#parts;
    return gate.duplicates(strategyId, stamp.venueTime);
  }
  /** R09: approved entries within a minute. */
  get minuteEntries(): number {
    const { gate, stamp } = this.#parts;
    return gate.entriesSince(stamp.venueTime - MINUTE_MS);
  }
  /** R18: monotonic ms since the stop of a position was last seen; 0: it stands, or none is needed. */
  nakedMs(symbol: string): number {
    return this.#parts.reconciliation.protection.nakedMs(symbol);
  }
  /** R23: orders of unknown outcome. */
  get unknownOrders(): number {
    return this.#parts.ledger.unprovedCount;
  }
  /** R24: rejections of a symbol, or of the account, within their window. */
  rejections(symbol?: string): number {
    return this.#parts.breakers.rejections(symbol);
  }
  /** R25: errors of the venue within a minute. */
  get errors(): number {
    return this.#parts.breakers.errors;
  }
  /** R33: venue ms since the decision of the oldest resting entry; undefined: none rests. */
  get oldestEntryMs(): number | undefined {
    return this.#parts.orderLifetime.oldestMs;
  }
  /** R36: starts within ten minutes that never reached TRADING. */
  get failedStarts(): number {
    return this.#parts.breakers.failedStarts;
  }
  /** R37: distance of the venue's clock from this machine's, ms; undefined: not measured. */
  get skewMs(): number | undefined {
    return this.#parts.breakers.skewMs;
  }
  /** R39: entries of a strategy within ten minutes that filled with too much slippage. */
  slippedEntries(strategyId: string): number {
    return this.#parts.orderManager.slippedEntries(strategyId);
  }
}
