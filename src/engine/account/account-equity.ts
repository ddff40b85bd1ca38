import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  divide,
  fixedFromNumber,
  multiply,
  ZERO,
  type Amount,
  type Price,
  type Usdt,
} from '../../core/fixed/fixed.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { PriceCache } from '../market/price-cache.js';
import type { HedgeRate } from './hedge-rate.js';

export interface AccountEquityParts {
  readonly currency: Currency;
  readonly positions: PositionLedger;
  readonly prices: PriceCache;
  readonly hedgeRate: Pick<HedgeRate, 'current'>;
  /** Whether a configured strategy or session trades it, so that prices of it arrive. */
  readonly isTraded: (symbol: string) => boolean;
}

/** Mark prices that are older than the last price by this, monotonic ms, are stale. */
const MARK_LAG_MS = 3_000;

/** Values open positions at the mark price. Amounts are in the wallet's currency. */
export class AccountEquity {
  readonly #parts: AccountEquityParts;

  constructor(parts: AccountEquityParts) {
    this.#parts = parts;
  }

  /** Unrealised PnL; undefined while a price of a held symbol, or the rate of the wallet's currency, is not known. */
  unrealised(): Amount | undefined {
    const { currency, positions } = this.#parts;
    let total = ZERO as Usdt;
    for (const position of positions.tracked) {
      if (position.quantity === 0 || position.currency !== currency) continue;
      const price = this.price(position.symbol);
      if (price !== undefined) total = add(total, position.unrealised(price));
      else if (this.#counts(position.symbol)) return undefined;
    }
    return this.fromUsdt(total);
  }

  /** Value of the positions, both sides above 0; undefined as in `unrealised`. */
  notional(): Amount | undefined {
    const { currency, positions } = this.#parts;
    let total = ZERO as Usdt;
    for (const { symbol, currency: held, quantity } of positions.openPositions()) {
      if (held !== currency) continue;
      const price = this.price(symbol);
      if (price !== undefined) total = add(total, multiply<'USDT'>(absolute(quantity), price));
      else if (this.#counts(symbol)) return undefined;
    }
    return this.fromUsdt(total);
  }

  /** Mark price; the last price where the mark is unknown or stale. */
  price(symbol: string): Price | undefined {
    const price = this.#parts.prices.find(symbol);
    if (price === undefined) return undefined;
    const { last, mark, lastAt, markAt } = price;
    // A price of 0 or below is invalid, as NaN is.
    const isMarkValid = mark > 0 && !(last > 0 && lastAt - markAt > MARK_LAG_MS);
    const valid = isMarkValid ? mark : last;
    return valid > 0 ? fixedFromNumber(valid) : undefined;
  }

  /** A person's position on a symbol without prices counts once the venue books it. */
  #counts(symbol: string): boolean {
    return this.#parts.isTraded(symbol);
  }

  fromUsdt(amount: Usdt): Amount | undefined {
    const { currency, hedgeRate } = this.#parts;
    if (currency === 'USDT' || amount === 0) return amount;
    const rate = hedgeRate.current;
    return rate === undefined ? undefined : multiply(amount, rate);
  }

  toUsdt(amount: Amount): Usdt | undefined {
    const { currency, hedgeRate } = this.#parts;
    if (currency === 'USDT') return amount as Usdt;
    const rate = hedgeRate.current;
    return rate === undefined || rate <= 0 ? undefined : divide(amount, rate);
  }
}
