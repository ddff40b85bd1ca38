import type { Currency } from '../../core/currency.js';
import {
  fixedFromProduct,
  ONE_IN_UNITS,
  unitsOf,
  type Amount,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { divideHalfEvenBig } from '../../core/fixed/fixed.js';

/** The wallet of an account and the fees that its venue charges. */
export interface AccountTerms {
  readonly currency: Currency;
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  /** INR per USDT; 1 for a wallet in USDT. */
  readonly rate: Ratio;
}

/** Computes amounts in the currency of the account from values in USDT. */
export class DriftFees {
  readonly #terms: AccountTerms;

  constructor(terms: AccountTerms) {
    this.#terms = terms;
  }

  get currency(): Currency {
    return this.#terms.currency;
  }

  /** value × rate × INR per USDT, as the venue rounds it: half-even at 8 places. */
  of(value: bigint, isMaker: boolean): Amount {
    const { takerFeeRate, makerFeeRate } = this.#terms;
    const charged = value * unitsOf(isMaker ? makerFeeRate : takerFeeRate);
    return this.amountOf(divideHalfEvenBig(charged, ONE_IN_UNITS));
  }

  /** @param value USDT in units of `PRODUCT_PLACES` */
  amountOf(value: bigint): Amount {
    return fixedFromProduct(divideHalfEvenBig(value * unitsOf(this.#terms.rate), ONE_IN_UNITS));
  }
}
