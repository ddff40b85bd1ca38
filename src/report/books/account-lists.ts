import type { CloseReport, FeeReport, TransferRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Price, Quantity, Ratio } from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';

/** An order that has filled, with its hedge rate. */
export interface FilledOrder extends OrderReport {
  readonly symbol: string;
  /** INR per USDT; 1 for USDT. */
  readonly hedgeRate?: Ratio;
  /** Its fills, oldest first, from its execution report. Absent: not read. */
  readonly executions?: readonly OrderFill[];
}

export interface OrderFill {
  readonly transactionId: string;
  readonly price: Price;
  readonly quantity: Quantity;
  /** ms UTC */
  readonly filledAt: number;
}

/** A charge. Its order is not identified: the venue gives role, side and type only. */
export type ChargeRow = FeeReport;

/** Every row that the venue lists of one currency, in any order. */
export interface AccountLists {
  readonly currency: Currency;
  /** Orders with a filled quantity above 0, ended or open. */
  readonly orders: readonly FilledOrder[];
  readonly closes: readonly CloseReport[];
  readonly charges: readonly ChargeRow[];
  /** Completed ones. */
  readonly transfers: readonly TransferRow[];
}
