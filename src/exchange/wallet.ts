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
  #spot: Amount;
  #balance: Amount;
  #locked: Amount = fixed(0);
  #realisedPnl: Amount = fixed(0);
  /** Net of rebates. */
  #fees: Amount = fixed(0);
  #funding: Amount = fixed(0);

  constructor(currency: Currency, spot: Amount, balance: Amount) {
    this.currency = currency;
    this.#spot = spot;
    this.#balance = balance;
  }

  get spot(): Amount {
    return this.#spot;
  }

  /** Free. Below 0 only where an assumption lets it. */
  get balance(): Amount {
    return this.#balance;
  }

  /** The sum of the margins of open positions. */
  get locked(): Amount {
    return this.#locked;
  }

  lock(margin: Amount): void {
    this.#balance = subtract(this.#balance, margin);
    this.#locked = add(this.#locked, margin);
  }

  release(margin: Amount): void {
    this.lock(negate(margin));
  }

  realise(pnl: Amount): void {
    this.#balance = add(this.#balance, pnl);
    this.#realisedPnl = add(this.#realisedPnl, pnl);
  }

  payFee(fee: Amount): void {
    this.#balance = subtract(this.#balance, fee);
    this.#fees = add(this.#fees, fee);
  }

  /** Part of a fee comes back. */
  creditRebate(rebate: Amount): void {
    this.payFee(negate(rebate));
  }

  /**
   * @param payment below 0: it is received
   * @param fromMargin so much of the payment leaves the locked part, the rest the free one
   */
  payFunding(payment: Amount, fromMargin: Amount): void {
    this.#balance = subtract(this.#balance, subtract(payment, fromMargin));
    this.#locked = subtract(this.#locked, fromMargin);
    this.#funding = add(this.#funding, payment);
  }

  /** Spot to futures; below 0 the other way. */
  deposit(amount: Amount): void {
    this.#spot = subtract(this.#spot, amount);
    this.#balance = add(this.#balance, amount);
  }

  report(): WalletReport {
    return { currency: this.currency, balance: this.#balance, locked: this.#locked };
  }

  /** `transfers` counts what enters or leaves both wallets: nothing does, spot is inside. */
  totals(): LedgerTotals {
    return {
      realisedPnl: this.#realisedPnl,
      fees: this.#fees,
      funding: this.#funding,
      transfers: fixed(0),
    };
  }
}
