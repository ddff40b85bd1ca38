import type { CloseReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { add, withSign, ZERO, type Amount, type Quantity } from '../core/fixed.js';
import type { ExchangeState } from './exchange-state.js';
import type { ExchangePosition } from './simulated-exchange.js';
import type { BookPosition } from './symbol-book.js';

/** What the account holds, as told to others. Changes nothing. */
export class AccountReads {
  readonly #state: ExchangeState;

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  position(position: BookPosition): ExchangePosition {
    const { takerFeeRate } = this.#state.options;
    const hedgeRate = this.#state.hedgeRate(position.currency);
    return position.snapshot({ takerFeeRate, hedgeRate });
  }

  positions(currency: Currency): readonly ExchangePosition[] {
    const rows: ExchangePosition[] = [];
    for (const book of this.#state.books.values()) {
      const position = book.positions.get(currency);
      if (position !== undefined) rows.push(this.position(position));
    }
    return rows;
  }

  quantity(symbol: string, currency: Currency): Quantity {
    const position = this.#state.book(symbol).positions.get(currency);
    return position === undefined
      ? (ZERO as Quantity)
      : withSign(position.longSign, position.quantity);
  }

  /** Newest open time first; closes of one position newest first. */
  positionHistory(currency: Currency): readonly CloseReport[] {
    return this.#state.closes
      .filter((close) => close.currency === currency)
      .reverse()
      .sort((a, b) => b.openedAt - a.openedAt);
  }

  equity(currency: Currency): Amount {
    const { balance, locked } = this.#state.wallets[currency];
    let equity = add(balance, locked);
    for (const book of this.#state.books.values()) {
      const position = book.positions.get(currency);
      if (position === undefined) continue;
      equity = add(equity, position.unrealised(book.last, this.#state.pnlRate(position)));
    }
    return equity;
  }
}
