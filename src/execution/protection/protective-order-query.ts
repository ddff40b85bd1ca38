import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { OrderRef, OrderReport } from '../../core/order.js';
import { outcomeForSymbol, type Outcome } from '../../core/request.js';
import { backoffDelay, VERIFY_BACKOFF_MS } from '../constants.js';
import type { ProtectiveOrderEvidence } from './decide-protective-order.js';
import type { OperationParts } from '../operation/operation-parts.js';
import { activeOperationOf, type ManagedProtectiveOrder } from './managed-protective-order.js';

/** One reading: positions first, then the order. */
export interface ProtectiveOrderReading {
  readonly row: PositionReport;
  readonly order: ProtectiveOrderEvidence['order'];
  /** Monotonic ms at which the read of positions began. */
  readonly startedAt: number;
}

export interface ProtectiveOrderQueryHandlers {
  readonly onRead: (managed: ManagedProtectiveOrder, read: ProtectiveOrderReading) => void;
  /** Positions show none, and the tracked position is flat. */
  readonly onPositionGone: (managed: ManagedProtectiveOrder) => void;
}

/** Reads the state of a protective order at the venue. */
export class ProtectiveOrderQuery {
  readonly #parts: OperationParts & {
    readonly isFlat: (symbol: string, currency: Currency) => boolean;
  };
  readonly #handlers: ProtectiveOrderQueryHandlers;

  constructor(
    parts: OperationParts & {
      readonly isFlat: (symbol: string, currency: Currency) => boolean;
    },
    handlers: ProtectiveOrderQueryHandlers,
  ) {
    this.#parts = parts;
    this.#handlers = handlers;
  }

  query(managed: ManagedProtectiveOrder, delayMs: number): void {
    this.#parts.requests.after(delayMs, () => {
      if (managed.operation !== undefined) this.#readPositions(managed);
    });
  }

  queryAgain(managed: ManagedProtectiveOrder): void {
    this.query(managed, backoffDelay(VERIFY_BACKOFF_MS, managed.queries));
    managed.queries += 1;
  }

  #readPositions(managed: ManagedProtectiveOrder): void {
    const { requests, engine, isFlat } = this.#parts;
    const { symbol, currency } = managed;
    const startedAt = engine.stamp.monotonic;
    requests.enqueue<'read-positions'>({
      request: { kind: 'read-positions', currency },
      priority: 'protect',
      onReply: (reply) => {
        const outcome = outcomeForSymbol(reply, symbol);
        const rows = outcome.kind === 'yes' ? outcome.value : [];
        const row = rows.find((each) => each.symbol === symbol);
        if (row !== undefined) this.#readOrder(managed, row, startedAt);
        else if (outcome.kind === 'yes' && isFlat(symbol, currency))
          this.#handlers.onPositionGone(managed);
        else this.queryAgain(managed);
      },
    });
  }

  /** Reads the order that the row names, else the one of our own id if it may exist. */
  #readOrder(managed: ManagedProtectiveOrder, row: PositionReport, startedAt: number): void {
    const reference = referenceOf(managed, row);
    if (reference === undefined) {
      this.#handlers.onRead(managed, { row, order: undefined, startedAt });
      return;
    }
    this.#parts.requests.enqueue<'find-order'>({
      request: { kind: 'find-order', order: reference },
      priority: 'protect',
      onReply: (outcome) => {
        const order = orderOf(outcome);
        if (order === 'not-found') managed.notFoundCount += 1;
        this.#handlers.onRead(managed, { row, order, startedAt });
      },
    });
  }
}

function referenceOf(managed: ManagedProtectiveOrder, row: PositionReport): OrderRef | undefined {
  const orderId = row[managed.slot]?.orderId;
  if (orderId !== undefined) return { orderId };
  const { id } = managed;
  if (id === undefined || activeOperationOf(managed).state === 'looking') return undefined;
  return { clientOrderId: id.clientOrderId };
}

/** Only an explicit 404 counts as "not found". */
function orderOf(outcome: Outcome<OrderReport>): OrderReport | 'not-found' | 'unclear' {
  if (outcome.kind === 'yes') return outcome.value;
  return outcome.kind === 'no' && outcome.code === 'order-not-found' ? 'not-found' : 'unclear';
}
