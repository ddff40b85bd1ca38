import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  divide,
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

/** Open positions at their mark prices. Amounts are in the wallet's currency. */
export interface MarkedPositions {
  readonly unrealised: Amount;
  readonly notional: Amount;
}

/** Mark prices that are older than the last price by this, monotonic ms, are stale. */
const MARK_LAG_MS = 3_000;

/** Values open positions at the mark price, and at the last price where the mark is unknown or stale. */
export class AccountEquity {
  readonly #parts: AccountEquityParts;

  constructor(parts: AccountEquityParts) {
    this.#parts = parts;
  }

  /** undefined while a price of a held symbol, or the rate of the wallet's currency, is not known. */
  markedPositions(): MarkedPositions | undefined {
    const { currency, positions, isTraded } = this.#parts;
    let unrealised = ZERO as Usdt;
    let notional = ZERO as Usdt;
    for (const { symbol, currency: held, quantity } of positions.openPositions()) {
      if (held !== currency) continue;
      const price = this.price(symbol);
      // A person's position on a symbol without prices counts once the venue books it.
      if (price === undefined && !isTraded(symbol)) continue;
      if (price === undefined) return undefined;
      unrealised = add(unrealised, positions.unrealised(symbol, currency, price));
      notional = add(notional, multiply<'USDT'>(absolute(quantity), price));
    }
    const own = { unrealised: this.fromUsdt(unrealised), notional: this.fromUsdt(notional) };
    if (own.unrealised === undefined || own.notional === undefined) return undefined;
    return { unrealised: own.unrealised, notional: own.notional };
  }

  /** Mark price; the last price where the mark is unknown or stale. */
  price(symbol: string): Price | undefined {
    const mark = this.#parts.prices.markPrice(symbol);
    const last = this.#parts.prices.lastPrice(symbol);
    if (mark === undefined) return last?.price;
    return last !== undefined && last.at - mark.at > MARK_LAG_MS ? last.price : mark.price;
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
