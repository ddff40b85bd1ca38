import type { CloseReport, PositionReport } from '../../../src/core/account.js';
import type { OrderRef, OrderReport } from '../../../src/core/order.js';
import type { SimulatedExchange } from '../../../src/exchange/simulated-exchange.js';

/** The account as it was at one moment. */
interface View {
  /** Monotonic ms from which on it is so. */
  readonly at: number;
  readonly positions: readonly PositionReport[];
  readonly open: readonly OrderReport[];
  readonly history: readonly OrderReport[];
  readonly closes: readonly CloseReport[];
}

interface TimedReport {
  readonly at: number;
  readonly report: OrderReport;
}

const CURRENCY = 'USDT';
const EMPTY: View = { at: 0, positions: [], open: [], history: [], closes: [] };

/** What the exchange shows now, and what it has shown before. */
export class ViewHistory {
  readonly #exchange: SimulatedExchange;
  readonly #views: View[] = [EMPTY];
  readonly #orders = new Map<string, TimedReport[]>();
  readonly #ids = new Map<string, string>();
  readonly #changed = new Set<string>();
  #isDirty = false;

  constructor(exchange: SimulatedExchange) {
    this.#exchange = exchange;
    exchange.listen((event) => {
      this.#isDirty = true;
      if (event.kind === 'order' || event.kind === 'fill') this.#changed.add(event.order.orderId);
    });
  }

  /** Remembers what has changed, if anything has. */
  recordView(now: number): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const exchange = this.#exchange;
    this.#views.push({
      at: now,
      positions: [...exchange.positions(CURRENCY)],
      open: [...exchange.openOrders(CURRENCY)],
      history: [...exchange.orderHistory(CURRENCY)],
      closes: [...exchange.positionHistory(CURRENCY)],
    });
    for (const orderId of this.#changed) this.#remember(orderId, now);
    this.#changed.clear();
  }

  /** As it was then, monotonic ms. */
  at(moment: number): View {
    return this.#views.findLast(({ at }) => at <= moment) ?? EMPTY;
  }

  order(ref: OrderRef, moment: number): OrderReport | undefined {
    const orderId = 'orderId' in ref ? ref.orderId : this.#ids.get(ref.clientOrderId);
    const timedReports = this.#orders.get(orderId ?? '') ?? [];
    return timedReports.findLast(({ at }) => at <= moment)?.report;
  }

  #remember(orderId: string, at: number): void {
    const report = this.#exchange.order({ orderId });
    if (report === undefined) return;
    if (report.clientOrderId !== undefined) this.#ids.set(report.clientOrderId, orderId);
    const timedReports = this.#orders.get(orderId);
    if (timedReports === undefined) this.#orders.set(orderId, [{ at, report }]);
    else timedReports.push({ at, report });
  }
}
