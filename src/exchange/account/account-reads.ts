import type { Currency } from '../../core/currency.js';
import { add, withSign, ZERO, type Amount, type Quantity } from '../../core/fixed/fixed.js';
import type { ExchangeState } from '../exchange-state.js';
import type { ExchangePosition } from '../simulated-exchange.js';
import type { ExchangePositionState } from '../price/symbol-state.js';

/** Read-only views of positions, closes and equity. */
export class AccountReads {
  readonly #state: ExchangeState;

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  position(position: ExchangePositionState): ExchangePosition {
    const { takerFeeRate } = this.#state.options;
    const hedgeRate = this.#state.hedgeRate(position.currency);
    return position.snapshot({ takerFeeRate, hedgeRate });
  }

  positions(currency: Currency): readonly ExchangePosition[] {
    const rows: ExchangePosition[] = [];
    for (const symbolState of this.#state.symbolStates.values()) {
      const position = symbolState.positions.get(currency);
      if (position !== undefined) rows.push(this.position(position));
    }
    return rows;
  }

  quantity(symbol: string, currency: Currency): Quantity {
    const position = this.#state.symbolState(symbol).positions.get(currency);
    return position === undefined
      ? (ZERO as Quantity)
      : withSign(position.longSign, position.quantity);
  }

  equity(currency: Currency): Amount {
    const { balance, locked } = this.#state.wallets[currency];
    let equity = add(balance, locked);
    for (const symbolState of this.#state.symbolStates.values()) {
      const position = symbolState.positions.get(currency);
      if (position === undefined) continue;
      equity = add(equity, position.unrealised(symbolState.last, this.#state.pnlRate(position)));
    }
    return equity;
  }
}
