import { expect } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import { add, subtract, negate, withSign, textFromFixed } from '../../src/core/fixed/fixed.js';
import { isTerminalStatus, type OrderStatus } from '../../src/core/order.js';
import type { Assumptions } from '../../src/exchange/assumptions.js';
import type { ExchangeOrder, SimulatedExchange } from '../../src/exchange/simulated-exchange.js';
import { SYMBOLS } from './commands.js';
import type { NaiveLedger } from './naive-ledger.js';
import { same } from './reference-check.js';
import { scaledOf } from '../support/builders/scaled.js';

/**
 * The status transitions of the supplement (order states). A partly filled order may retain its status
 * when its remainder is canceled (interface: Order).
 */
const ALLOWED_TRANSITIONS: Readonly<Record<string, readonly OrderStatus[]>> = {
  created: ['created', 'partially-filled', 'filled', 'canceled', 'system-canceled'],
  'partially-filled': ['partially-filled', 'filled', 'canceled', 'system-canceled'],
};

/** Invariants of an exchange under any commands, checked from outside at every event and step. */
export class ExchangeInvariants {
  readonly #exchange: SimulatedExchange;
  readonly #assumptions: Assumptions;
  readonly #naive: NaiveLedger;
  readonly #start: Readonly<Record<Currency, number>>;
  readonly #orders = new Map<string, ExchangeOrder>();
  readonly #ids = new Map<string, string>();
  readonly #signedPositions = new Map<string, number>();
  readonly #closed = new Map<string, number>();

  constructor(exchange: SimulatedExchange, assumptions: Assumptions, naive: NaiveLedger) {
    this.#exchange = exchange;
    this.#assumptions = assumptions;
    this.#naive = naive;
    this.#start = { USDT: this.#money('USDT'), INR: this.#money('INR') };
    exchange.listen((event) => {
      if (event.kind === 'order' || event.kind === 'fill') this.#onOrder(event.order);
      if (event.kind === 'close') {
        const { symbol, currency, quantity } = event.close;
        count(this.#closed, `${symbol} ${currency}`, scaledOf(quantity));
      }
      if (event.kind === 'fill') this.#onFill(event.order, scaledOf(event.execution.quantity));
      this.#checkMoney();
    });
  }

  /**
   * Checks all invariants after a command and its events.
   * @param moved the symbol whose price the command moved
   */
  check(moved: string | undefined): void {
    this.#checkMoney();
    this.#checkOrders();
    this.#checkHistory();
    for (const currency of CURRENCIES) {
      this.#checkProtectiveOrders(currency);
      this.#checkPositions(currency);
      this.#checkPassed(currency, moved);
      this.#checkFees(currency);
    }
  }

  #checkMoney(): void {
    for (const currency of CURRENCIES) {
      const { realisedPnl, fees, funding, transfers } = this.#exchange.totals(currency);
      const change = this.#money(currency) - this.#start[currency];
      same(change, add(subtract(subtract(realisedPnl, fees), funding), transfers));
      const margins = sum(this.#exchange.positions(currency), (row) => scaledOf(row.initialMargin));
      same(this.#exchange.futuresWallet(currency).locked, margins);
    }
  }

  #checkPositions(currency: Currency): void {
    for (const { symbol, side, quantity, initialMargin } of this.#exchange.positions(currency)) {
      expect(quantity > 0 && initialMargin >= 0, `${side} ${symbol}`).toBe(true);
      const signed = side === 'long' ? quantity : negate(quantity);
      same(this.#exchange.quantity(symbol, currency), signed);
      same(this.#signedPositions.get(`${symbol} ${currency}`), signed);
    }
  }

  /** No position is open beyond its liquidation price, no stop or target beyond its trigger. */
  #checkPassed(currency: Currency, moved: string | undefined): void {
    const { liquidationTrigger, stopTrigger, legBeyondMarket } = this.#assumptions;
    for (const { symbol, side, stopLoss, takeProfit } of this.#exchange.positions(currency)) {
      const prices = this.#exchange.prices(symbol);
      if (prices === undefined) continue;
      const sign = side === 'long' ? 1 : -1;
      const level = this.#naive.liquidationPrice(symbol, currency);
      const mark = textFromFixed(prices[liquidationTrigger]);
      const safe = level.lte(0) || level.minus(mark).times(sign).lt(0);
      expect(safe, `${side} ${symbol} is open at ${mark}, beyond ${level.toFixed()}`).toBe(true);
      // One assumption allows a protective order on the wrong side: the next price triggers it.
      if (legBeyondMarket === 'refused' || symbol === moved) {
        const at = prices[stopTrigger];
        const stopped = stopLoss !== undefined && withSign(sign, subtract(at, stopLoss.price)) <= 0;
        const triggered =
          takeProfit !== undefined && withSign(sign, subtract(takeProfit.price, at)) <= 0;
        same(
          [`${side} ${symbol} at ${at}`, stopped, triggered],
          [`${side} ${symbol} at ${at}`, false, false],
        );
      }
    }
  }

  /** A position has at most one live stop and one live target, besides those attached to waiting entries. */
  #checkProtectiveOrders(currency: Currency): void {
    const open = this.#exchange.openOrders(currency);
    for (const position of this.#exchange.positions(currency)) {
      for (const [role, slot] of PROTECTIVE_ORDERS) {
        const reported = position[slot];
        const protectiveOrders = open.filter(
          (order) => order.role === role && order.symbol === position.symbol,
        );
        const waiting = open.filter(
          (order) =>
            order.role === 'trade' && order.symbol === position.symbol && order[slot] !== undefined,
        );
        if (reported !== undefined) {
          const order = protectiveOrders.find(({ orderId }) => orderId === reported.orderId);
          same([order?.price, order?.positionId], [reported.price, position.positionId]);
        }
        if (this.#assumptions.legsAtClose === 'keep') continue;
        const limit = waiting.length + (reported === undefined ? 0 : 1);
        expect(protectiveOrders.length).toBeLessThanOrEqual(limit);
      }
    }
  }

  #checkOrders(): void {
    const all = this.#exchange.allOrders();
    for (const order of all) same(this.#orders.get(order.orderId)?.status, order.status);
    expect(new Set(all.map(({ orderId }) => orderId)).size).toBe(all.length);
    for (const currency of CURRENCIES) {
      const open = this.#exchange.openOrders(currency);
      const live = all.filter(
        (order) => order.currency === currency && order.endedAt === undefined,
      );
      same(
        open.map(({ orderId }) => orderId),
        live.map(({ orderId }) => orderId).reverse(),
      );
      for (const { status } of open) expect(isTerminalStatus(status)).toBe(false);
    }
  }

  /** The rows of position history add up to the quantities that fills closed. */
  #checkHistory(): void {
    const rows = CURRENCIES.flatMap((currency) => this.#exchange.positionHistory(currency));
    const sums = new Map<string, number>();
    for (const row of rows) {
      expect(row.quantity).toBeGreaterThan(0);
      count(sums, `${row.symbol} ${row.currency}`, scaledOf(row.quantity));
    }
    expect(new Set(rows.map(({ rowId }) => rowId)).size).toBe(rows.length);
    for (const symbol of SYMBOLS) {
      for (const currency of CURRENCIES) {
        const key = `${symbol} ${currency}`;
        same(sums.get(key), this.#closed.get(key));
        same(this.#exchange.quantity(symbol, currency), this.#signedPositions.get(key) ?? 0);
      }
    }
  }

  #checkFees(currency: Currency): void {
    const rows = this.#exchange.fees(currency);
    const of = (...kinds: readonly string[]): number =>
      sum(
        rows.filter(({ kind }) => kinds.includes(kind)),
        ({ amount }) => scaledOf(amount),
      );
    const { fees, funding } = this.#exchange.totals(currency);
    same([of('transaction') - of('rebate'), of('funding')], [fees, funding]);
    const ids = rows.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
  }

  #onFill(order: ExchangeOrder, quantity: number): void {
    const key = `${order.symbol} ${order.currency}`;
    const heldQuantity = this.#signedPositions.get(key) ?? 0;
    const buys = order.side === undefined ? heldQuantity < 0 : order.side === 'buy';
    count(this.#signedPositions, key, buys ? quantity : -quantity);
  }

  #onOrder(order: ExchangeOrder): void {
    const { orderId, clientOrderId, status, quantity, filledQuantity, executions } = order;
    const before = this.#orders.get(orderId);
    if (before?.endedAt !== undefined) {
      same([status, filledQuantity], [before.status, before.filledQuantity]);
    } else {
      expect(ALLOWED_TRANSITIONS[before?.status ?? 'created']).toContain(status);
    }
    expect(filledQuantity).toBeLessThanOrEqual(quantity);
    same(
      sum(executions, (execution) => scaledOf(execution.quantity)),
      filledQuantity,
    );
    if (status === 'filled') same(filledQuantity, quantity);
    if (isTerminalStatus(status)) expect(order.endedAt).toBeDefined();
    if (clientOrderId !== undefined) {
      same(this.#ids.get(clientOrderId) ?? orderId, orderId);
      this.#ids.set(clientOrderId, orderId);
    }
    this.#orders.set(orderId, order);
  }

  #money(currency: Currency): number {
    const { balance, locked } = this.#exchange.futuresWallet(currency);
    return scaledOf(add(add(this.#exchange.spotBalance(currency), balance), locked));
  }
}

const PROTECTIVE_ORDERS = [
  ['stop-loss', 'stopLoss'],
  ['take-profit', 'takeProfit'],
] as const;

const sum = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

const count = (counts: Map<string, number>, key: string, by: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + by);
};
