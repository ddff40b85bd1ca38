import type { Currency } from '../../core/currency.js';
import { absolute, subtract, withSign, type Quantity } from '../../core/fixed/fixed.js';
import type { EffectSink } from '../../execution/effects.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import { submitExit, type EngineExitParts } from '../engine-exit.js';
import type { TradingState } from '../trading-state.js';

/** Monotonic ms between two rounds. */
const RETRY_MS = 1_000;

export interface StrategyCloseParts extends EngineExitParts {
  readonly currency: Currency;
  readonly effects: EffectSink;
  readonly requests: RequestTracker;
  readonly ledger: OrderLedger;
  readonly tradingState: TradingState;
  /** The strategy has no position left. `before`: signed quantities of its symbols at the first round. */
  readonly onClosed: (strategy: string, before: ReadonlyMap<string, Quantity>) => void;
}

interface Closing {
  readonly symbols: readonly string[];
  readonly before: Map<string, Quantity>;
}

/**
 * Closes our share of the positions of stopped strategies with reduce-only market orders, round by round until
 * nothing is left.
 */
export class StrategyClose {
  readonly #parts: StrategyCloseParts;
  readonly #closing = new Map<string, Closing>();
  #exits = 0;
  #timer: string | undefined;

  constructor(parts: StrategyCloseParts) {
    this.#parts = parts;
  }

  /** Orders leave once the account is reconciled. */
  start(strategy: string, symbols: readonly string[]): void {
    if (this.#closing.has(strategy)) return;
    const { positions, currency } = this.#parts;
    const before = new Map<string, Quantity>();
    for (const symbol of symbols) {
      const quantity = positions.ownQuantity(symbol, currency);
      if (quantity !== 0) before.set(symbol, quantity);
    }
    this.#closing.set(strategy, { symbols, before });
    this.continue();
  }

  withdraw(strategy: string): void {
    this.#closing.delete(strategy);
  }

  /** One round, and the next one after a second while something is left. Called again after each reconciliation. */
  continue(): void {
    const { requests, tradingState } = this.#parts;
    if (!tradingState.isReady) return;
    for (const [strategy, closing] of [...this.#closing]) this.#round(strategy, closing);
    if (this.#closing.size === 0 || this.#timer !== undefined) return;
    this.#timer = requests.after(RETRY_MS, () => {
      this.#timer = undefined;
      this.continue();
    });
  }

  #round(strategy: string, { symbols, before }: Closing): void {
    const { tradingState, positions, currency, ledger } = this.#parts;
    if (tradingState.exitHold !== undefined) return;
    let isFlat = true;
    for (const symbol of symbols) {
      const quantity = positions.ownQuantity(symbol, currency);
      if (quantity === 0 && ledger.openOrders(symbol, currency).every(isReduction)) continue;
      isFlat = false;
      if (quantity === 0) continue;
      if (!before.has(symbol)) before.set(symbol, quantity);
      this.#close(strategy, symbol, quantity);
    }
    if (!isFlat) return;
    this.#closing.delete(strategy);
    this.#parts.onClosed(strategy, before);
  }

  #close(strategy: string, symbol: string, quantity: Quantity): void {
    const { currency, stamp, effects, ledger } = this.#parts;
    const remaining = subtract(absolute(quantity), ledger.closingQuantity(symbol, currency));
    if (remaining <= 0) return;
    const refusal = submitExit(this.#parts, {
      cause: { kind: 'timer', venueTime: stamp.venueTime, key: `close:${strategy}` },
      ordinal: this.#exits++,
      symbol,
      currency,
      quantity: withSign(quantity > 0 ? 1 : -1, remaining),
    });
    if (refusal === undefined) return;
    effects.notify({ level: 'error', text: `${strategy}: ${symbol} cannot be closed: ${refusal}` });
  }
}

/** A resting entry may still fill: the close waits for its cancel. */
const isReduction = ({ terms }: { readonly terms: { readonly reduceOnly: boolean } }): boolean =>
  terms.reduceOnly;
