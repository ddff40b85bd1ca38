import { expect } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import { add, subtract, textFromFixed, type Amount } from '../../src/core/fixed.js';
import type { OrderTerms, Side } from '../../src/core/order.js';
import type { Assumptions } from '../../src/exchange/assumptions.js';
import type { Answer, ExchangeOrder, PlaceCommand } from '../../src/exchange/simulated-exchange.js';
import { ExchangeRig, of, type RigTerms } from './exchange-rig.js';
import { scaledOf } from './scaled.js';

export interface Wish {
  readonly quantity?: string;
  /** Makes it a limit order. */
  readonly price?: string;
  readonly reduceOnly?: boolean;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly currency?: Currency;
}

/** A rig that looks, at every event, whether money was made or lost on the way. */
export class WatchedExchange extends ExchangeRig {
  readonly told: string[] = [];

  constructor(terms: RigTerms = {}, assumptions: Partial<Assumptions> = {}) {
    super(terms, assumptions);
    const start = { USDT: this.#money('USDT'), INR: this.#money('INR') };
    this.exchange.listen((event) => {
      this.told.push(
        event.kind === 'order' ? `${event.order.role} ${event.order.status}` : event.kind,
      );
      for (const currency of CURRENCIES) expect(this.#leakSince(currency, start)).toBe(0);
    });
  }

  terms(side: Side, wish: Wish = {}): OrderTerms {
    return {
      symbol: this.symbol,
      currency: wish.currency ?? 'USDT',
      side,
      type: wish.price === undefined ? 'market' : 'limit',
      quantity: of(wish.quantity ?? '1'),
      ...(wish.price !== undefined && { price: of<'price'>(wish.price) }),
      reduceOnly: wish.reduceOnly ?? false,
      ...(wish.stopLoss !== undefined && { stopLoss: of<'price'>(wish.stopLoss) }),
      ...(wish.takeProfit !== undefined && { takeProfit: of<'price'>(wish.takeProfit) }),
    };
  }

  ask(side: Side, wish: Wish = {}, rest: Omit<PlaceCommand, 'terms'> = {}): Answer<ExchangeOrder> {
    return this.exchange.place({ terms: this.terms(side, wish), ...rest });
  }

  /** Accepted and not yet matched. */
  put(side: Side, wish: Wish = {}, rest: Omit<PlaceCommand, 'terms'> = {}): ExchangeOrder {
    return valueOf(this.ask(side, wish, rest));
  }

  /** Accepted and matched once. */
  run(side: Side, wish: Wish = {}, rest: Omit<PlaceCommand, 'terms'> = {}): ExchangeOrder {
    const { orderId } = this.put(side, wish, rest);
    this.exchange.settle();
    return this.order(orderId);
  }

  /** Signed, as text. */
  held(currency: Currency = 'USDT'): string {
    return textFromFixed(this.exchange.quantity(this.symbol, currency));
  }

  leg(role: 'stop-loss' | 'take-profit', nth = 0): ExchangeOrder {
    const leg = this.exchange.allOrders().filter((order) => order.role === role)[nth];
    if (leg === undefined) throw new Error(`no ${role} number ${nth}`);
    return leg;
  }

  #money(currency: Currency): Amount {
    const { balance, locked } = this.exchange.futuresWallet(currency);
    return add(add(this.exchange.spotBalance(currency), balance), locked);
  }

  #leakSince(currency: Currency, start: Readonly<Record<Currency, Amount>>): number {
    const { realisedPnl, fees, funding, transfers } = this.exchange.totals(currency);
    const due = add(subtract(subtract(realisedPnl, fees), funding), transfers);
    return scaledOf(subtract(subtract(this.#money(currency), start[currency]), due));
  }
}

/** The refusal, or `ok`. */
export const codeOf = (answer: Answer<unknown>): string => (answer.ok ? 'ok' : answer.code);

export function valueOf<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.code);
  return answer.value;
}
