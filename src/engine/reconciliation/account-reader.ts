import type { AccountSnapshot } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { RequestTracker } from '../../execution/request-tracker.js';

export interface AccountReaderParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly onSnapshot: (snapshot: AccountSnapshot) => void;
}

/** Reads of the account beside its polls, where the next poll would come too late. */
export class AccountReader {
  readonly #parts: AccountReaderParts;

  constructor(parts: AccountReaderParts) {
    this.#parts = parts;
  }

  readPositions(): void {
    const { currency, requests, stamp, onSnapshot } = this.#parts;
    const startedAt = stamp.monotonic;
    requests.enqueue<'read-positions'>({
      request: { kind: 'read-positions', currency },
      priority: 'verify',
      onReply: (outcome) => {
        if (outcome.kind !== 'yes') return;
        const { value: positions, unreadable = [] } = outcome;
        onSnapshot({ kind: 'positions', currency, startedAt, positions, unreadable });
      },
    });
  }

  /** One list covers all resting orders; each order that it may lack is queried by its id. */
  readOrders(): void {
    const { currency, requests, ledger, stamp, protocol, onSnapshot } = this.#parts;
    const startedAt = stamp.monotonic;
    protocol.queryUnlisted();
    if (![...ledger.allOpenOrders()].some(({ state }) => state === 'accepted')) return;
    requests.enqueue<'read-open-orders'>({
      request: { kind: 'read-open-orders', currency },
      priority: 'verify',
      onReply: (outcome) => {
        if (outcome.kind !== 'yes') return;
        const { value: orders, unreadable = [] } = outcome;
        onSnapshot({ kind: 'open-orders', currency, startedAt, orders, unreadable });
      },
    });
  }
}
