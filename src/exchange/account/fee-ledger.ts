import type { FeeReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { Decimal } from '../../core/fixed/decimal.js';
import {
  decimalFromFixed,
  divideHalfEvenBig,
  type Amount,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { amountFromBig, bigFromAmount, moneyOf } from './margin.js';
import type { Execution } from '../simulated-exchange.js';
import type { ExchangeOrderState } from '../price/symbol-state.js';
import { wholeSecond } from './whole-second.js';

/** The inputs of one fill's fee rows. Rows are built on the first read, since backtests read none. */
export interface TradeCharge {
  readonly order: ExchangeOrderState;
  readonly execution: Execution;
  /** Traded value, 1e-36 USDT. */
  readonly value: bigint;
  /** INR per USDT at the trade; 1 for USDT. */
  readonly hedgeRate: Ratio;
  readonly rebate: Rebate | undefined;
}

export interface Rebate {
  readonly id: string;
  /** Above 0. */
  readonly amount: Amount;
}

/** All fees and funding of one currency. */
class CurrencyFees {
  /** Oldest first. */
  readonly #entries: (TradeCharge | FeeReport)[] = [];
  /** Rows of the first `#renderedCount` entries. */
  readonly #rows: FeeReport[] = [];
  #renderedCount = 0;
  #newestFirst: readonly FeeReport[] = [];

  add(entry: TradeCharge | FeeReport): void {
    this.#entries.push(entry);
  }

  rows(): readonly FeeReport[] {
    if (this.#renderedCount === this.#entries.length) return this.#newestFirst;
    for (const entry of this.#entries.slice(this.#renderedCount)) {
      if ('execution' in entry) this.#rows.push(...tradeRows(entry));
      else this.#rows.push(entry);
    }
    this.#renderedCount = this.#entries.length;
    this.#newestFirst = this.#rows.slice().reverse();
    return this.#newestFirst;
  }
}

/** Fee history: fees, rebates and funding in booking order. */
export class FeeLedger {
  readonly #byCurrency: Readonly<Record<Currency, CurrencyFees>> = {
    USDT: new CurrencyFees(),
    INR: new CurrencyFees(),
  };

  chargeTrade(charge: TradeCharge): void {
    this.#byCurrency[charge.order.currency].add(charge);
  }

  chargeFunding(row: FeeReport): void {
    this.#byCurrency[row.currency].add(row);
  }

  /** Newest first. */
  rows(currency: Currency): readonly FeeReport[] {
    return this.#byCurrency[currency].rows();
  }
}

/**
 * `amount` as a percentage of `value`, both as booked. Fee history prints 8 places: "0.05900003"
 * (supplement: part 12).
 */
export function percentOf(amount: Amount, value: Amount): string {
  if (value === 0) return '0';
  const share = decimalFromFixed(amount).div(decimalFromFixed(value));
  return share.times(100).toDecimalPlaces(8).toFixed();
}

/** GST included in a fee: 18 of 118 parts (supplement: part 12). */
export const gstOf = (fee: Amount): Amount =>
  amountFromBig(divideHalfEvenBig(bigFromAmount(fee) * 18n, 118n));

/** 40 % of a fee, cut to 4 places (supplement: part 12). */
export function rebateOf(fee: Amount): Amount {
  const exact = (bigFromAmount(fee) * 2n) / 5n;
  return amountFromBig(exact - (exact % 10_000n));
}

function tradeRows(charge: TradeCharge): readonly FeeReport[] {
  const { order, execution, hedgeRate, rebate } = charge;
  const { symbol, currency, orderId, role, side, type } = order;
  const value = amountFromBig(moneyOf(charge.value, hedgeRate));
  const shared = {
    symbol,
    currency,
    value,
    order: { orderId, role, ...(role === 'trade' && { side }), type },
    createdAt: wholeSecond(execution.time),
  };
  const { fee } = execution;
  const percent = percentOf(fee, value);
  const transaction: FeeReport = {
    ...shared,
    id: execution.id,
    kind: 'transaction',
    amount: fee,
    percent,
    ...(currency === 'INR' && { gst: gstOf(fee) }),
  };
  if (rebate === undefined) return [transaction];
  const { id, amount } = rebate;
  return [
    transaction,
    { ...shared, id, kind: 'rebate', amount, percent: rebatePercentOf(percent) },
  ];
}

/** 40 % of the fee rate, not of the cut rebate: 0.0236 for a taker (supplement: part 12). */
const rebatePercentOf = (feePercent: string): string =>
  new Decimal(feePercent).times(0.4).toDecimalPlaces(4).toFixed();
