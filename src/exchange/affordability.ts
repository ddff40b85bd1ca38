import {
  add,
  multiplyExact,
  subtract,
  ZERO,
  type Ratio,
  type Amount,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { OrderTerms } from '../core/order.js';
import { bigFromAmount } from './margin.js';
import type { Bookkeeper } from './bookkeeper.js';
import type { ExchangeState } from './exchange-state.js';
import type { SymbolBook } from './symbol-book.js';

/** What an order would do, and at which price and leverage it is judged. */
export interface Prospect {
  readonly terms: Pick<OrderTerms, 'currency' | 'side' | 'quantity'>;
  readonly book: SymbolBook;
  readonly price: Price;
  readonly leverage: Ratio;
  /** v1: the available balance counts unsettled PnL (interface, v2 order). */
  readonly unsettled: boolean;
  /** A reverse opens the other side whatever a larger opposite order does. */
  readonly reverses: boolean;
}

/** Whether the wallet can pay for what an order would open. */
export class Affordability {
  readonly #state: ExchangeState;
  readonly #bookkeeper: Bookkeeper;

  constructor(state: ExchangeState, bookkeeper: Bookkeeper) {
    this.#state = state;
    this.#bookkeeper = bookkeeper;
  }

  /** Margin and fee of what the order would open, against the available balance. */
  covers({ terms, book, price, leverage, unsettled, reverses }: Prospect): boolean {
    const { currency, side } = terms;
    const { flipMargin, oppositeExcess } = this.#state.assumptions;
    const position = book.positions.get(currency);
    const opposes = position !== undefined && (position.longSign === 1) !== (side === 'buy');
    if (opposes && oppositeExcess === 'drop' && !reverses) return true;
    const quantity = subtract(terms.quantity, opposes ? position.quantity : NONE);
    if (quantity <= 0) return true;
    const margin = this.#bookkeeper.marginOf({ currency, side, price, quantity, leverage });
    const fee = this.#bookkeeper.feeOf(multiplyExact(price, quantity), currency, false);
    const released = opposes && flipMargin === 'with-released' ? position.margin : NOTHING;
    const pnl = unsettled ? this.#unrealised(currency) : NOTHING;
    const free = add(add(this.#state.wallets[currency].balance, released), pnl);
    return bigFromAmount(free) >= margin + fee;
  }

  /** Σ of the currency's open positions, at their last prices. */
  #unrealised(currency: OrderTerms['currency']): Amount {
    let sum = NOTHING;
    for (const book of this.#state.books.values()) {
      const position = book.positions.get(currency);
      if (position === undefined) continue;
      sum = add(sum, position.unrealised(book.last, this.#state.pnlRate(position)));
    }
    return sum;
  }
}

const NONE = ZERO as Quantity;
const NOTHING = ZERO as Amount;
