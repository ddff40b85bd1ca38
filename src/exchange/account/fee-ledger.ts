import type { FeeReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { Decimal } from '../../core/fixed/decimal.js';
import { decimalFromFixed, divideHalfEvenBig, type Amount } from '../../core/fixed/fixed.js';
import { amountFromBig, bigFromAmount, moneyOf } from './margin.js';
import type { Charge } from './execution-log.js';
import type { Execution } from '../simulated-exchange.js';
import type { ExchangeOrderState } from '../price/symbol-state.js';
import { wholeSecond } from './whole-second.js';

/** An execution with its order and its charge: the source of its fee rows. */
export interface TradeCharge extends Charge {
  readonly order: Pick<
    ExchangeOrderState,
    'symbol' | 'currency' | 'orderId' | 'role' | 'side' | 'type'
  >;
  readonly execution: Execution;
}

/** All fees and funding of one currency. */
class CurrencyFees {
  /** Rows of executions, and funding. Oldest first. */
  readonly #entries: (number | FeeReport)[] = [];
  /** Rows of the first `#renderedCount` entries. */
  readonly #rows: FeeReport[] = [];
  #renderedCount = 0;
  #newestFirst: readonly FeeReport[] = [];

  add(entry: number | FeeReport): void {
    this.#entries.push(entry);
  }

  rows(chargeOf: (row: number) => TradeCharge): readonly FeeReport[] {
    if (this.#renderedCount === this.#entries.length) return this.#newestFirst;
    for (const entry of this.#entries.slice(this.#renderedCount)) {
      if (typeof entry === 'number') this.#rows.push(...tradeRows(chargeOf(entry)));
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

  readonly #chargeOf: (row: number) => TradeCharge;

  /** @param chargeOf the execution of a row of the log: rows are built on the first read, since backtests read none */
  constructor(chargeOf: (row: number) => TradeCharge) {
    this.#chargeOf = chargeOf;
  }

  /** @param execution row in the log */
  chargeTrade(currency: Currency, execution: number): void {
    this.#byCurrency[currency].add(execution);
  }

  chargeFunding(row: FeeReport): void {
    this.#byCurrency[row.currency].add(row);
  }

  /** Newest first. */
  rows(currency: Currency): readonly FeeReport[] {
    return this.#byCurrency[currency].rows(this.#chargeOf);
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
