import type { ExchangeState } from '../exchange-state.js';
import type { Matcher } from '../order/matcher.js';
import type { PriceMover } from './price-mover.js';
import type { ExchangeOrderState, SymbolState } from './symbol-state.js';

/** Matches accepted orders for the first time: fills are asynchronous (interface: order create v2). */
export class PendingMatcher {
  readonly #state: ExchangeState;
  readonly #matcher: Matcher;
  readonly #priceMover: PriceMover;

  constructor(state: ExchangeState, matcher: Matcher, priceMover: PriceMover) {
    this.#state = state;
    this.#matcher = matcher;
    this.#priceMover = priceMover;
  }

  matchPending(symbolStates: readonly SymbolState[]): void {
    let matched: boolean;
    do {
      matched = false;
      // A listener may place on a symbol that was matched before.
      for (const symbolState of symbolStates) matched = this.#matchOnce(symbolState) || matched;
    } while (matched);
  }

  matchSymbol(symbolState: SymbolState): void {
    let hasMatched = true;
    while (hasMatched) hasMatched = this.#matchOnce(symbolState);
  }

  /** Listeners may place orders, which match at the same price. */
  #matchOnce(symbolState: SymbolState): boolean {
    const { unmatched } = symbolState;
    if (symbolState.last === 0 || unmatched.length === 0) return false;
    let waiting: ExchangeOrderState[] | undefined;
    let matched = false;
    for (let order = unmatched.shift(); order !== undefined; order = unmatched.shift()) {
      const before = order.remaining;
      this.#firstMatch(order);
      this.#priceMover.triggerAtPrice(symbolState);
      this.#state.eventQueue.flush();
      if (order.open && order.type === 'market') (waiting ??= []).push(order);
      matched ||= order.type === 'limit' || !order.open || order.remaining !== before;
    }
    // The rest of a market order waits for the volume of the next candle, unless a listener has canceled it.
    if (waiting !== undefined) unmatched.push(...waiting.filter(({ open }) => open));
    return matched;
  }

  /** A limit order that crosses takes at the last price; any other rests. */
  #firstMatch(order: ExchangeOrderState): void {
    const { symbolState, type } = order;
    if (type === 'market') {
      this.#matcher.fillAtMarket(order);
    } else if (order.crosses(symbolState.last) || this.#isOrphanedReduceOnly(order)) {
      this.#matcher.fill(order, symbolState.last, false);
      if (order.open && type === 'limit') symbolState.addResting(order);
    } else {
      symbolState.addResting(order);
    }
  }

  /** The position of the reduce-only order has closed; resting, the order would reduce the next one. */
  #isOrphanedReduceOnly({ symbolState, currency, reduceOnly, side }: ExchangeOrderState): boolean {
    if (!reduceOnly || this.#state.assumptions.reduceOnlyAtClose === 'keep') return false;
    const position = symbolState.positions.get(currency);
    return position === undefined || (position.longSign === 1) === (side === 'buy');
  }
}
