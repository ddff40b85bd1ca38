import {
  add,
  isAtLeast,
  subtract,
  ZERO,
  type Ratio,
  type Amount,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { Bookkeeper } from './bookkeeper.js';
import type { ExchangeState } from '../exchange-state.js';
import type { SymbolState } from '../price/symbol-state.js';

/** An order with the price and leverage of its balance check. */
export interface AffordabilityRequest {
  readonly terms: Pick<OrderTerms, 'currency' | 'side' | 'quantity'>;
  readonly symbolState: SymbolState;
  readonly price: Price;
  readonly leverage: Ratio;
  /** v1: the available balance counts unsettled PnL (interface, v2 order). */
  readonly unsettled: boolean;
  /** A reverse opens the other side even where `oppositeExcess` drops the excess of an order. */
  readonly reverses: boolean;
}

/** Balance checks: whether the wallet can pay for the opening part of an order. */
export class Affordability {
  readonly #state: ExchangeState;
  readonly #bookkeeper: Bookkeeper;

  constructor(state: ExchangeState, bookkeeper: Bookkeeper) {
    this.#state = state;
    this.#bookkeeper = bookkeeper;
  }

  /** Whether the available balance covers margin and fee of the opening part. */
  covers({
    terms,
    symbolState,
    price,
    leverage,
    unsettled,
    reverses,
  }: AffordabilityRequest): boolean {
    const { currency, side } = terms;
    const { flipMargin, oppositeExcess } = this.#state.assumptions;
    const position = symbolState.positions.get(currency);
    const opposes = position !== undefined && (position.longSign === 1) !== (side === 'buy');
    if (opposes && oppositeExcess === 'drop' && !reverses) return true;
    const quantity = subtract(terms.quantity, opposes ? position.quantity : ZERO_QUANTITY);
    if (quantity <= 0) return true;
    const margin = this.#bookkeeper.marginOf({ currency, side, price, quantity, leverage });
    const fee = this.#bookkeeper.feeOf(price, quantity, currency, false);
    const released = opposes && flipMargin === 'with-released' ? position.margin : ZERO_AMOUNT;
    const pnl = unsettled ? this.#unrealised(currency) : ZERO_AMOUNT;
    const free = add(add(this.#state.wallets[currency].balance, released), pnl);
    return isAtLeast(free, add(margin, fee));
  }

  /** Unrealised PnL of the currency's open positions at their last prices. */
  #unrealised(currency: OrderTerms['currency']): Amount {
    let sum = ZERO_AMOUNT;
    for (const symbolState of this.#state.symbolStates.values()) {
      const position = symbolState.positions.get(currency);
      if (position === undefined) continue;
      sum = add(sum, position.unrealised(symbolState.last, this.#state.pnlRate(position)));
    }
    return sum;
  }
}

const ZERO_QUANTITY = ZERO as Quantity;
const ZERO_AMOUNT = ZERO as Amount;
