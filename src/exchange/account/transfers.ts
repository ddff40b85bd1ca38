import type { TransferReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { isLess, negate, type Amount } from '../../core/fixed/fixed.js';
import type { ExchangeState } from '../exchange-state.js';
import type { ExchangeResult } from '../simulated-exchange.js';
import { wholeSecond } from './whole-second.js';

/** Transfers between spot and futures wallet: instant, without fee (interface: Transfers). */
export class Transfers {
  readonly #state: ExchangeState;
  /** Oldest first. */
  readonly #rows: TransferReport[] = [];

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  /** Only the free balance can leave the futures wallet. A refused transfer leaves no row. */
  transfer(
    currency: Currency,
    direction: TransferReport['direction'],
    amount: Amount,
  ): ExchangeResult<TransferReport> {
    if (amount <= 0) return { ok: false, code: 'params-error' };
    const { options, wallets } = this.#state;
    const wallet = wallets[currency];
    const source = direction === 'deposit' ? wallet.spot : wallet.balance;
    if (isLess(source, amount)) return { ok: false, code: 'insufficient-balance' };
    wallet.deposit(direction === 'deposit' ? amount : negate(amount));
    const now = wholeSecond(this.#state.nowMs);
    const row: TransferReport = {
      id: options.nextId(),
      currency,
      direction,
      amount,
      status: 'completed',
      createdAt: now,
      updatedAt: now,
    };
    this.#rows.push(row);
    return { ok: true, value: row };
  }

  /** Newest first. */
  rows(currency: Currency): readonly TransferReport[] {
    return this.#rows.filter((row) => row.currency === currency).reverse();
  }
}
