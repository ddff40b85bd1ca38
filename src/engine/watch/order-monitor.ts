import type { Currency } from '../../core/currency.js';
import type { OrderReport } from '../../core/order.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderState } from '../../execution/order/order-state.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { ProtectiveOrderManager } from '../../execution/protection/protective-order-manager.js';
import type { ExternalActivity } from '../reconciliation/external-activity.js';
import { reconcileOrders, type OrderVerdict } from '../reconciliation/reconcile-orders.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';
import type { SecondWriterDetector } from './second-writer-detector.js';

export interface OrderMonitorParts {
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly protectiveOrders: Pick<ProtectiveOrderManager, 'owns'>;
  readonly external: ExternalActivity;
  readonly unreadable: UnreadableSymbols;
  readonly secondWriter: SecondWriterDetector;
  readonly halt: (reason: string) => void;
}

/** Compares the venue's open orders with ours, and records the external ones. */
export class OrderMonitor {
  readonly #parts: OrderMonitorParts;

  constructor(parts: OrderMonitorParts) {
    this.#parts = parts;
  }

  /** One poll of one currency, begun at monotonic ms `startedAt`. */
  onOpenOrders(orders: readonly OrderReport[], currency: Currency, startedAt: number): void {
    const { ledger, protocol, namespace, external, protectiveOrders, secondWriter } = this.#parts;
    const verdicts = reconcileOrders(
      {
        namespace,
        active: [...ledger.allOpenOrders()].filter(({ terms }) => terms.currency === currency),
        known: (id) => ledger.known(id),
        hasOrderId: (orderId) => ledger.hasOrderId(orderId),
        mayBeOrder: (order, report) => protocol.mayBeOrder(order, report),
        ownsProtection: (id) => protectiveOrders.owns(id),
        isAdopted: (id) => secondWriter.isAdopted(id),
      },
      orders,
    );
    for (const verdict of verdicts) this.#apply(verdict, startedAt);
    secondWriter.onStrayOrders(
      verdicts.flatMap((verdict) => (verdict.kind === 'stray' ? [strayOf(verdict.report)] : [])),
    );
    const externalOrders = verdicts.flatMap((verdict) =>
      verdict.kind === 'foreign' || verdict.kind === 'stray' ? [verdict.report] : [],
    );
    external.setOrders(currency, [
      ...externalOrders,
      ...this.#unreadableExternalOrders(currency, orders),
    ]);
  }

  /** Last known external orders of symbols with an unreadable row. */
  #unreadableExternalOrders(
    currency: Currency,
    listed: readonly OrderReport[],
  ): readonly OrderReport[] {
    const { external, unreadable } = this.#parts;
    if (unreadable.all.size === 0) return [];
    const ids = new Set(listed.map(({ orderId }) => orderId));
    return external.orders.filter(
      ({ currency: of, symbol = '', orderId }) =>
        of === currency && !ids.has(orderId) && unreadable.reason(symbol) !== undefined,
    );
  }

  #apply(verdict: OrderVerdict, startedAt: number): void {
    const { protocol, secondWriter, halt } = this.#parts;
    switch (verdict.kind) {
      case 'ours':
        protocol.onListed(verdict.order, verdict.report, startedAt);
        if (!verdict.order.ended) protocol.onOpenOrders(verdict.order, false, startedAt);
        return;
      case 'missing':
        // Its row may be the unreadable one.
        if (this.#parts.unreadable.reason(verdict.order.terms.symbol) !== undefined) return;
        if (!verdict.order.ended) protocol.onOpenOrders(verdict.order, true, startedAt);
        return;
      case 'impossible': {
        const { clientOrderId, state } = verdict.order;
        if (!secondWriter.adoptIfInHistory(clientOrderId))
          halt(impossibleText(clientOrderId, state));
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
