import type { WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { add, fixed, negate, subtract, type Amount } from '../../core/fixed/fixed.js';
import type { LedgerTotals } from '../simulated-exchange.js';

/**
 * The money of one currency. Each method changes a balance and its total together, so this holds by
 * construction: change of (spot + balance + locked) = realised PnL − fees − funding + transfers.
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

  /** Free balance. Below 0 only where an assumption permits it. */
  get balance(): Amount {
    return this.#balance;
  }

  /** Sum of the margins of open positions. */
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

  realisePnl(pnl: Amount): void {
    this.#balance = add(this.#balance, pnl);
    this.#realisedPnl = add(this.#realisedPnl, pnl);
  }

  payFee(fee: Amount): void {
    this.#balance = subtract(this.#balance, fee);
    this.#fees = add(this.#fees, fee);
  }

  /** Returns part of a fee. */
  creditRebate(rebate: Amount): void {
    this.payFee(negate(rebate));
  }

  /**
   * @param payment below 0 when received
   * @param fromMargin part of the payment taken from the locked balance; the rest is taken from the free one
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

  /** Transfers between spot and futures stay inside this wallet, so the total stays 0. */
  totals(): LedgerTotals {
    return {
      realisedPnl: this.#realisedPnl,
      fees: this.#fees,
      funding: this.#funding,
      transfers: fixed(0),
    };
  }
}
