import type { OrderReport } from '../../core/order.js';
import { outcomeForSymbol, type Outcome, type Priority } from '../../core/request.js';
import { HISTORY_LIMIT, HISTORY_SLACK_MS } from '../constants.js';
import { describeOutcome } from '../journal/journal.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { OwnOrder } from './own-order.js';

export interface HistorySearchResult {
  /** The row with the order's client id. */
  readonly own: OrderReport | undefined;
  /** Rows made since the order was decided; undefined: history of its symbol cannot be read. */
  readonly history: readonly OrderReport[] | undefined;
  /** For the journal: what history shows. */
  readonly evidence: string;
  /** Monotonic ms at which the search began. */
  readonly startedAt: number;
}

/** Searches order history, whose rows carry the client id, for an order that a lookup did not find. */
export class OrderHistorySearch {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  /** @param onResult not called when the order has ended meanwhile */
  search(
    order: OwnOrder,
    priority: Priority,
    onResult: (result: HistorySearchResult) => void,
  ): void {
    const { engine } = this.#parts;
    const startedAt = engine.stamp.monotonic;
    const { currency } = order.terms;
    const from = order.intent.decidedAt - HISTORY_SLACK_MS;
    const changedSince = engine.historyUncheckedSince(currency);
    order.queryInFlight = true;
    this.#parts.requests.enqueue<'read-order-history'>({
      request: {
        kind: 'read-order-history',
        currency,
        limit: HISTORY_LIMIT,
        from,
        ...(changedSince !== undefined && { changedSince }),
      },
      priority,
      ready: () => !order.ended,
      onReply: (outcome) => {
        order.queryInFlight = false;
        if (!order.ended) onResult(resultOf(order, outcome, from, startedAt));
      },
    });
  }
}

function resultOf(
  order: OwnOrder,
  outcome: Outcome<readonly OrderReport[]>,
  from: number,
  startedAt: number,
): HistorySearchResult {
  const rows = outcome.kind === 'yes' ? outcome.value : [];
  const own = rows.find((report) => report.clientOrderId === order.clientOrderId);
  const ofSymbol = outcomeForSymbol(outcome, order.terms.symbol);
  const history = ofSymbol.kind === 'yes' ? ofSymbol.value.filter(madeSince(from)) : undefined;
  const missing = history === undefined ? describeOutcome(ofSymbol, 'found') : 'no row of it';
  return { own, history, evidence: own === undefined ? missing : 'has its row', startedAt };
}

const madeSince =
  (from: number) =>
  ({ createdAt = Number.POSITIVE_INFINITY }: OrderReport): boolean =>
    createdAt >= from;
