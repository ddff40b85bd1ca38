import type { Currency } from '../../../src/core/currency.js';
import {
  add,
  fixed,
  fixedFromNumber,
  fixedFromText,
  larger,
  negate,
  numberFromFixed,
  smaller,
  subtract,
  withSign,
  ZERO,
  type Amount,
  type Price,
  type Quantity,
} from '../../../src/core/fixed/fixed.js';
import type { Instrument } from '../../../src/core/instrument.js';
import type { OrderIntent } from '../../../src/core/intent.js';
import { sideSign } from '../../../src/core/order.js';
import type { StrategyHost } from '../../../src/strategy/host/host.js';
import type {
  NextFunding,
  PersistedState,
  OrderEnd,
  ProtectionRequest,
  StrategyPort,
  SubmitResult,
  WorkingOrder,
} from '../../../src/strategy/contract/strategy-port.js';

const START = Date.UTC(2025, 0, 1);

interface TestOrder {
  readonly key: number;
  readonly intent: OrderIntent;
}

/**
 * A venue without rules: market orders fill whole at the last close, limit orders when a later price
 * trades through them. Stops are not simulated: `simulate` of sluice/testing does.
 */
export class FakeStrategyPort implements StrategyPort {
  readonly currency: Currency;
  readonly intents: OrderIntent[] = [];
  readonly notes: string[] = [];
  readonly states = new Map<string, PersistedState>();
  readonly fundings = new Map<string, NextFunding>();
  readonly protections = new Map<string, ProtectionRequest>();
  venueTime = START;
  isDurable = false;
  /** Timers by monotonic time: a test fires them. */
  readonly monotonicTimers: { readonly delayMs: number; readonly key: string }[] = [];
  /** What the gate answers. */
  verdictFor: (intent: OrderIntent) => SubmitResult = () => 'accepted';
  wallet: Amount | undefined = fixedFromText<'USDT'>('10000');
  readonly #instruments: ReadonlyMap<string, Instrument>;
  readonly #positions = new Map<string, Quantity>();
  readonly #prices = new Map<string, number>();
  readonly #entries = new Map<string, Price>();
  readonly #timers: { readonly at: number; readonly key: string }[] = [];
  readonly #canceled = new Set<number>();
  #orders: TestOrder[] = [];
  #count = 0;

  constructor(instruments: readonly Instrument[], currency: Currency = 'USDT') {
    this.#instruments = new Map(instruments.map((each) => [each.symbol, each]));
    this.currency = currency;
  }

  instrument(symbol: string): Instrument | undefined {
    return this.#instruments.get(symbol);
  }
  position(symbol: string): Quantity {
    return this.#positions.get(symbol) ?? fixed(0);
  }
  entryPrice(symbol: string): Price | undefined {
    return this.position(symbol) === 0 ? undefined : this.#entries.get(symbol);
  }
  workingOrders(symbol: string): readonly WorkingOrder[] {
    return this.#orders
      .filter(({ intent }) => intent.terms.symbol === symbol)
      .map(({ key, intent: { terms } }) => ({
        key,
        side: terms.side,
        type: terms.type,
        reduceOnly: terms.reduceOnly,
        remaining: terms.quantity,
        ...(terms.price === undefined ? {} : { price: terms.price }),
      }));
  }
  decidedAt(key: number): number | undefined {
    return this.#orders.find((order) => order.key === key)?.intent.decidedAt;
  }
  equity(): Amount | undefined {
    return this.wallet;
  }
  funding(symbol: string): NextFunding | undefined {
    return this.fundings.get(symbol);
  }
  persisted(key: string): PersistedState | undefined {
    return this.states.get(key);
  }
  persist(key: string, { version, value, seen }: PersistedState): void {
    this.states.set(key, { version, value, ...(seen !== undefined && { seen }) });
  }
  protect(symbol: string, prices: ProtectionRequest): void {
    this.protections.set(symbol, { ...this.protections.get(symbol), ...prices });
  }
  lastPrice(symbol: string): number | undefined {
    return this.#prices.get(symbol);
  }
  submit(intent: OrderIntent): SubmitResult {
    this.intents.push(intent);
    const result = this.verdictFor(intent);
    if (result !== 'accepted') return result;
    if (intent.persistedState !== undefined)
      this.persist(intent.persistedState.key, intent.persistedState);
    this.#orders.push({ key: ++this.#count, intent });
    return 'accepted';
  }
  cancel(key: number): void {
    this.#canceled.add(key);
  }
  note(level: 'info' | 'warn' | 'error', text: string): void {
    this.notes.push(`${level}: ${text}`);
  }
  setTimer(venueTime: number, key: string): void {
    this.#timers.push({ at: venueTime, key });
  }

  setTimerAfter(delayMs: number, key: string): void {
    this.monotonicTimers.push({ delayMs, key });
  }
  get monotonic(): number {
    return this.venueTime - START;
  }

  price(symbol: string, last: number): void {
    this.#prices.set(symbol, last);
  }

  /** As a stop or an operator would. */
  setPosition(symbol: string, quantity: Quantity, entryPrice?: Price): void {
    this.#positions.set(symbol, quantity);
    if (entryPrice !== undefined) this.#entries.set(symbol, entryPrice);
  }

  /** Moves the clock and fires each timer of the host at its time. */
  advance(venueTime: number, host: StrategyHost): void {
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= venueTime).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.venueTime = Math.max(this.venueTime, due.at);
      host.onTimer(due.key);
      this.settle(host);
    }
    this.venueTime = venueTime;
  }

  /** Cancels what was asked for and fills what can fill, until nothing moves. */
  settle(host: StrategyHost): void {
    for (;;) {
      const order = this.#orders.find((each) => this.#ends(each));
      if (order === undefined) return;
      if (this.#canceled.has(order.key)) this.end(order.key, 'canceled', host);
      else this.#fill(order, host);
    }
  }

  /** Ends an order without a fill. */
  end(
    key: number,
    end: OrderEnd['end'],
    host: StrategyHost,
    reason?: string,
    forNow = false,
  ): void {
    const order = this.#orders.find((each) => each.key === key);
    if (order === undefined) throw new RangeError(`There is no working order ${key}`);
    this.#orders = this.#orders.filter((each) => each !== order);
    const filledQuantity = fixed<'quantity'>(0);
    const base = {
      key,
      intent: order.intent,
      end,
      filledQuantity,
      ...(forNow && { isTransient: true }),
    };
    host.onOrderEnded(reason === undefined ? base : { ...base, reason });
  }

  #ends({ key, intent: { terms } }: TestOrder): boolean {
    if (this.#canceled.has(key) || terms.price === undefined) return true;
    const last = this.#prices.get(terms.symbol);
    if (last === undefined) return false;
    return (numberFromFixed(terms.price) - last) * sideSign(terms.side) > 0;
  }

  #fill({ key, intent }: TestOrder, host: StrategyHost): void {
    const { symbol, side, type, quantity, price: limit, reduceOnly } = intent.terms;
    const price = limit ?? fixedFromNumber<'price'>(this.#prices.get(symbol) ?? 0);
    const before = this.position(symbol);
    const fillableQuantity = larger(ZERO as Quantity, withSign(sideSign(side), negate(before)));
    const filled = reduceOnly ? smaller(quantity, fillableQuantity) : quantity;
    this.#positions.set(symbol, add(before, withSign(sideSign(side), filled)));
    if (!reduceOnly && before === 0) this.#entries.set(symbol, price);
    this.#orders = this.#orders.filter((each) => each.key !== key);
    const time = this.venueTime;
    if (filled > 0) host.onFill({ symbol, side, type, quantity: filled, price, key, time });
    const end = subtract(quantity, filled) === 0 ? 'filled' : 'canceled';
    host.onOrderEnded({ key, intent, end, filledQuantity: filled });
  }
}
