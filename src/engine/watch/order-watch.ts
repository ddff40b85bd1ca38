import type { Currency } from '../../core/currency.js';
import type { OrderReport } from '../../core/order.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderState } from '../../execution/order/order-state.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { Protecting } from '../../execution/protection/protecting.js';
import type { ForeignBook } from '../reconciliation/foreign-book.js';
import { reconcileOrders, type OrderVerdict } from '../reconciliation/reconcile-orders.js';
import type { UnreadableSymbols } from '../unreadable-symbols.js';
import type { SecondWriter } from './second-writer.js';

export interface OrderWatchParts {
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly protecting: Pick<Protecting, 'owns'>;
  readonly foreign: ForeignBook;
  readonly unreadable: UnreadableSymbols;
  readonly secondWriter: SecondWriter;
  readonly halt: (reason: string) => void;
}

/** Compares the venue's open orders with ours, and keeps what is not ours. */
export class OrderWatch {
  readonly #parts: OrderWatchParts;

  constructor(parts: OrderWatchParts) {
    this.#parts = parts;
  }

  /** One poll of one currency, begun at `startedAt` (monotonic ms). */
  see(orders: readonly OrderReport[], currency: Currency, startedAt: number): void {
    const { ledger, protocol, namespace, foreign, protecting, secondWriter } = this.#parts;
    const verdicts = reconcileOrders(
      {
        namespace,
        active: [...ledger.allActive()].filter(({ terms }) => terms.currency === currency),
        byClientOrderId: (id) => ledger.byClientOrderId(id),
        hasOrderId: (orderId) => ledger.hasOrderId(orderId),
        couldBe: (order, report) => protocol.couldBe(order, report),
        ownsProtection: (id) => protecting.owns(id),
        isAdopted: (id) => secondWriter.isAdopted(id),
      },
      orders,
    );
    for (const verdict of verdicts) this.#meet(verdict, startedAt);
    secondWriter.meet(
      verdicts.flatMap((verdict) => (verdict.kind === 'stray' ? [strayOf(verdict.report)] : [])),
    );
    const others = verdicts.flatMap((verdict) =>
      verdict.kind === 'foreign' || verdict.kind === 'stray' ? [verdict.report] : [],
    );
    foreign.seeOrders(currency, [...others, ...this.#kept(currency, orders)]);
  }

  /** Others' orders as they were last seen, where a row of their symbol does not read. */
  #kept(currency: Currency, listed: readonly OrderReport[]): readonly OrderReport[] {
    const { foreign, unreadable } = this.#parts;
    if (unreadable.all.size === 0) return [];
    const ids = new Set(listed.map(({ orderId }) => orderId));
    return foreign.orders.filter(
      ({ currency: of, symbol = '', orderId }) =>
        of === currency && !ids.has(orderId) && unreadable.reason(symbol) !== undefined,
    );
  }

  #meet(verdict: OrderVerdict, startedAt: number): void {
    const { protocol, secondWriter, halt } = this.#parts;
    switch (verdict.kind) {
      case 'ours':
        protocol.listed(verdict.order, verdict.report, startedAt);
        if (!verdict.order.ended) protocol.unlisted(verdict.order, false, startedAt);
        return;
      case 'missing':
        // Its row may be the one that does not read.
        if (this.#parts.unreadable.reason(verdict.order.terms.symbol) !== undefined) return;
        if (!verdict.order.ended) protocol.unlisted(verdict.order, true, startedAt);
        return;
      case 'impossible': {
        const { clientOrderId, state } = verdict.order;
        if (!secondWriter.adopts(clientOrderId)) halt(impossibleText(clientOrderId, state));
        return;
      }
      case 'stray':
      case 'over':
      case 'perhaps-ours':
      case 'protective':
      case 'foreign':
    }
  }
}

const impossibleText = (id: string, state: OrderState): string =>
  `the venue has an open order ${id}, which was proved ${state}: another bot runs with this account name ` +
  '(each state folder on a venue account needs its own `account`), or this folder is an older copy or a ' +
  `backup. Stop the other bot or give it another \`account\`; then adopt it with --adopt ${id}`;

const strayOf = ({ clientOrderId = '', orderId }: OrderReport) => ({ clientOrderId, orderId });
