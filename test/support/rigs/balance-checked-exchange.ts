import { expect } from 'vitest';
import { CURRENCIES, type Currency } from '../../../src/core/currency.js';
import { add, subtract, textFromFixed, type Amount } from '../../../src/core/fixed/fixed.js';
import type { OrderTerms, Side } from '../../../src/core/order.js';
import type { Assumptions } from '../../../src/exchange/assumptions.js';
import type {
  ExchangeResult,
  ExchangeOrder,
  PlaceCommand,
} from '../../../src/exchange/simulated-exchange.js';
import { ExchangeRig, of, type RigTerms } from './exchange-rig.js';
import { scaledOf } from '../builders/scaled.js';

export interface OrderSpec {
  readonly quantity?: string;
  /** Makes it a limit order. */
  readonly price?: string;
  readonly reduceOnly?: boolean;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly currency?: Currency;
}

/** A rig that looks, at every event, whether money was made or lost on the way. */
export class BalanceCheckedExchange extends ExchangeRig {
  readonly eventLog: string[] = [];

  constructor(terms: RigTerms = {}, assumptions: Partial<Assumptions> = {}) {
    super(terms, assumptions);
    const start = { USDT: this.#money('USDT'), INR: this.#money('INR') };
    this.exchange.listen((event) => {
      this.eventLog.push(
        event.kind === 'order' ? `${event.order.role} ${event.order.status}` : event.kind,
      );
      for (const currency of CURRENCIES) expect(this.#unexplainedBalance(currency, start)).toBe(0);
    });
  }

  terms(side: Side, spec: OrderSpec = {}): OrderTerms {
    return {
      symbol: this.symbol,
      currency: spec.currency ?? 'USDT',
      side,
      type: spec.price === undefined ? 'market' : 'limit',
      quantity: of(spec.quantity ?? '1'),
      ...(spec.price !== undefined && { price: of<'price'>(spec.price) }),
      reduceOnly: spec.reduceOnly ?? false,
      ...(spec.stopLoss !== undefined && { stopLoss: of<'price'>(spec.stopLoss) }),
      ...(spec.takeProfit !== undefined && { takeProfit: of<'price'>(spec.takeProfit) }),
    };
  }

  tryPlace(
    side: Side,
    spec: OrderSpec = {},
    rest: Omit<PlaceCommand, 'terms'> = {},
  ): ExchangeResult<ExchangeOrder> {
    return this.exchange.place({ terms: this.terms(side, spec), ...rest });
  }

  /** Accepted and not yet matched. */
  place(side: Side, spec: OrderSpec = {}, rest: Omit<PlaceCommand, 'terms'> = {}): ExchangeOrder {
    return valueOf(this.tryPlace(side, spec, rest));
  }

  /** Accepted and matched once. */
  placeAndMatch(
    side: Side,
    spec: OrderSpec = {},
    rest: Omit<PlaceCommand, 'terms'> = {},
  ): ExchangeOrder {
    const { orderId } = this.place(side, spec, rest);
    this.exchange.matchPending();
    return this.order(orderId);
  }

  /** Signed, as text. */
  signedPosition(currency: Currency = 'USDT'): string {
    return textFromFixed(this.exchange.quantity(this.symbol, currency));
  }

  protectiveOrder(role: 'stop-loss' | 'take-profit', nth = 0): ExchangeOrder {
    const protectiveOrder = this.exchange.allOrders().filter((order) => order.role === role)[nth];
    if (protectiveOrder === undefined) throw new Error(`no ${role} number ${nth}`);
    return protectiveOrder;
  }

  #money(currency: Currency): Amount {
    const { balance, locked } = this.exchange.futuresWallet(currency);
    return add(add(this.exchange.spotBalance(currency), balance), locked);
  }

  #unexplainedBalance(currency: Currency, start: Readonly<Record<Currency, Amount>>): number {
    const { realisedPnl, fees, funding, transfers } = this.exchange.totals(currency);
    const due = add(subtract(subtract(realisedPnl, fees), funding), transfers);
    return scaledOf(subtract(subtract(this.#money(currency), start[currency]), due));
  }
}

/** The refusal, or `ok`. */
export const codeOf = (answer: ExchangeResult<unknown>): string => (answer.ok ? 'ok' : answer.code);

export function valueOf<T>(answer: ExchangeResult<T>): T {
  if (!answer.ok) throw new Error(answer.code);
  return answer.value;
}
