import type { FeeReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { Decimal } from '../core/decimal.js';
import { decimalFromFixed, divideHalfEvenBig, type Amount, type Ratio } from '../core/fixed.js';
import { amountFromBig, bigFromAmount, moneyOf } from './margin.js';
import type { Execution } from './simulated-exchange.js';
import type { BookOrder } from './symbol-book.js';
import { wholeSecond } from './whole-second.js';

/** The fee of one fill: as little as its rows are made of. */
export interface TradeCharge {
  readonly order: BookOrder;
  readonly execution: Execution;
  /** Traded: 1e-36 USDT. */
  readonly value: bigint;
  /** Of the moment; 1 for USDT. */
  readonly hedgeRate: Ratio;
  readonly rebate: Rebate | undefined;
}

export interface Rebate {
  readonly id: string;
  /** Above 0: what came back. */
  readonly amount: Amount;
}

/** Everything that was ever charged in one currency. */
class FeeBook {
  /** Oldest first. */
  readonly #entries: (TradeCharge | FeeReport)[] = [];
  /** Of the first `#drawn` entries: a backtest asks for none. */
  readonly #rows: FeeReport[] = [];
  #drawn = 0;
  #newestFirst: readonly FeeReport[] = [];

  add(entry: TradeCharge | FeeReport): void {
    this.#entries.push(entry);
  }

  rows(): readonly FeeReport[] {
    if (this.#drawn === this.#entries.length) return this.#newestFirst;
    for (const entry of this.#entries.slice(this.#drawn)) {
      if ('execution' in entry) this.#rows.push(...tradeRows(entry));
      else this.#rows.push(entry);
    }
    this.#drawn = this.#entries.length;
    this.#newestFirst = this.#rows.slice().reverse();
    return this.#newestFirst;
  }
}

/** Fee history: what fills and funding cost, in the order it was booked. */
export class FeeLedger {
  readonly #books: Readonly<Record<Currency, FeeBook>> = {
    USDT: new FeeBook(),
    INR: new FeeBook(),
  };

  chargeTrade(charge: TradeCharge): void {
    this.#books[charge.order.currency].add(charge);
  }

  chargeFunding(row: FeeReport): void {
    this.#books[row.currency].add(row);
  }

  /** Newest first. */
  rows(currency: Currency): readonly FeeReport[] {
    return this.#books[currency].rows();
  }
}

/**
 * Percent that `amount` is of `value`, both as they were booked: 8 places, as history prints it
 * ("0.05900003", supplement part 12).
 */
export function percentOf(amount: Amount, value: Amount): string {
  if (value === 0) return '0';
  const share = decimalFromFixed(amount).div(decimalFromFixed(value));
  return share.times(100).toDecimalPlaces(8).toFixed();
}

/** GST inside a fee that includes it: 18 of 118 parts (supplement part 12). */
export const gstOf = (fee: Amount): Amount =>
  amountFromBig(divideHalfEvenBig(bigFromAmount(fee) * 18n, 118n));

/** 40 % of a fee, cut to 4 places (supplement part 12). */
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

/** Of the rate, not of what the cut left: 0.0236 of a taker (supplement part 12). */
const rebatePercentOf = (feePercent: string): string =>
  new Decimal(feePercent).times(0.4).toDecimalPlaces(4).toFixed();
