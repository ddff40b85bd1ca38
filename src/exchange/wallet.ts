import type { WalletReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { add, fixed, negate, subtract, type Amount } from '../core/fixed.js';
import type { LedgerTotals } from './simulated-exchange.js';

/**
 * The money of one currency. Every change goes through a method here, and each moves a total with
 * the balance, so that change of (spot + balance + locked) = realised PnL − fees − funding +
 * transfers holds by construction.
 */
export class Wallet {
  readonly currency: Currency;
  spot: Amount;
  balance: Amount;
  locked: Amount = fixed(0);
  #realisedPnl: Amount = fixed(0);
  #fees: Amount = fixed(0);
  readonly #funding: Amount = fixed(0);
  readonly #transfers: Amount = fixed(0);

  constructor(currency: Currency, spot: Amount, balance: Amount) {
    this.currency = currency;
    this.spot = spot;
    this.balance = balance;
  }

  lock(margin: Amount): void {
    this.balance = subtract(this.balance, margin);
    this.locked = add(this.locked, margin);
  }

  release(margin: Amount): void {
    this.lock(negate(margin));
  }

  realise(pnl: Amount): void {
    this.balance = add(this.balance, pnl);
    this.#realisedPnl = add(this.#realisedPnl, pnl);
  }

  payFee(fee: Amount): void {
    this.balance = subtract(this.balance, fee);
    this.#fees = add(this.#fees, fee);
  }

  report(): WalletReport {
    return { currency: this.currency, balance: this.balance, locked: this.locked };
  }

  totals(): LedgerTotals {
    return {
      realisedPnl: this.#realisedPnl,
      fees: this.#fees,
      funding: this.#funding,
      transfers: this.#transfers,
    };
  }
}
