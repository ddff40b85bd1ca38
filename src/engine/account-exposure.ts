import type { Currency } from '../core/currency.js';
import { add, larger, subtract, ZERO, type Quantity } from '../core/fixed.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { PositionBook } from '../execution/position-book.js';
import type { Exposure, SymbolExposure } from '../risk/exposure.js';
import type { ForeignBook } from './reconciliation/foreign-book.js';

/**
 * What the gate counts: our own orders and positions, and beside them what others have open. Where the
 * last poll shows another position than we believe, both count until one is proved (hazard G5).
 */
export class AccountExposure implements Exposure {
  readonly #ledger: OrderLedger;
  readonly #positions: PositionBook;
  readonly #foreign: ForeignBook;

  constructor(parts: {
    readonly ledger: OrderLedger;
    readonly positions: PositionBook;
    readonly foreign: ForeignBook;
  }) {
    this.#ledger = parts.ledger;
    this.#positions = parts.positions;
    this.#foreign = parts.foreign;
  }

  /** Ours alone: a limit on how many orders rest is against our own running away. */
  get orders(): number {
    return this.#ledger.orders;
  }

  of(symbol: string, currency: Currency): SymbolExposure {
    const own = this.#ledger.of(symbol, currency);
    const claimed = this.#positions.claimed(symbol, currency) ?? own.position;
    const { low, high } = this.#foreign.reach(symbol, currency);
    if (claimed === own.position && low === 0 && high === 0) return own;
    const up = larger(ZERO as Quantity, subtract(claimed, own.position));
    const down = larger(ZERO as Quantity, subtract(own.position, claimed));
    return {
      ...own,
      longest: add(add(own.longest, up), high),
      shortest: add(subtract(own.shortest, down), low),
    };
  }
}
