import type { Currency } from '../../core/currency.js';
import {
  add,
  larger,
  smaller,
  subtract,
  ZERO,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { Side } from '../../core/order.js';
import type { Exposure, SymbolExposure } from '../../risk/exposure.js';
import type { ExternalActivity } from '../reconciliation/external-activity.js';

/**
 * Exposure that the gate counts: our own orders and positions, and the external ones. Where the last
 * poll differs from our position, both count until one is proved (hazard G5).
 */
export class AccountExposure implements Exposure {
  readonly #ledger: OrderLedger;
  readonly #positions: PositionLedger;
  readonly #external: ExternalActivity;

  constructor(parts: {
    readonly ledger: OrderLedger;
    readonly positions: PositionLedger;
    readonly external: ExternalActivity;
  }) {
    this.#ledger = parts.ledger;
    this.#positions = parts.positions;
    this.#external = parts.external;
  }

  /** Our own orders only: the limit on open orders guards against our own runaway. */
  get orderCount(): number {
    return this.#ledger.orderCount;
  }

  of(symbol: string, currency: Currency): SymbolExposure {
    const own = this.#ledger.of(symbol, currency);
    const reported = this.#positions.reportedQuantity(symbol, currency) ?? own.position;
    const { low, high } = this.#external.exposureRange(symbol, currency);
    if (reported === own.position && low === 0 && high === 0) return own;
    const up = larger(NONE, subtract(reported, larger(NONE, own.position)));
    const down = larger(NONE, subtract(smaller(NONE, own.position), reported));
    return {
      ...own,
      maxPosition: add(add(own.maxPosition, up), high),
      minPosition: add(subtract(own.minPosition, down), low),
    };
  }

  /** Every symbol that `of` shows with exposure. An external order without a symbol counts in each of them. */
  symbols(currency: Currency): readonly string[] {
    const own = this.#ledger.symbols(currency);
    const held = this.#positions.exposedSymbols(currency);
    const external = this.#external.symbols(currency);
    if (held.length === 0 && external.length === 0) return own;
    if (own.length <= 1 && held.length === 1 && external.length === 0) {
      if (own.length === 0 || own[0] === held[0]) return held;
    }
    return [...new Set([...own, ...held, ...external])];
  }

  bestPrice(symbol: string, currency: Currency, side: Side): Price | undefined {
    return this.#ledger.bestPrice(symbol, currency, side);
  }
}

const NONE = ZERO as Quantity;
