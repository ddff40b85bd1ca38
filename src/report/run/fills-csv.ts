import type { Amount, Price, Quantity, Usdt } from '../../core/fixed/fixed.js';
import type { Currency } from '../../core/currency.js';
import type { OrderType, Side } from '../../core/order.js';
import type { ExitReason } from '../round-trips.js';
import { CsvWriter } from './csv-writer.js';

/** One execution of a run. */
export interface FillRow {
  /** ms UTC */
  readonly time: number;
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  /** In `currency`. */
  readonly fee: Amount;
  readonly maker: boolean;
  /** USDT, included in the price. */
  readonly slippage: Usdt;
  /** In `currency`, before fees; undefined when the fill closed no quantity. */
  readonly realisedPnl: Amount | undefined;
  /** Id at the simulated exchange. */
  readonly orderId: string;
  readonly orderType: OrderType;
  /** The exit reason of a fill that closed quantity; else `entry`. */
  readonly reason: ExitReason | 'entry';
}

const HEADER =
  'time,symbol,currency,side,quantity,price,fee,role,slippage,realised_pnl,order,type,reason';

/** Bytes of a row, roughly. */
const ROW_BYTES = 160;

/** `fills.csv`: every execution, in order. Times are in ISO 8601, money is exact. */
export function fillsCsv<Fill>(fills: readonly Fill[], rowOf: (fill: Fill) => FillRow): Uint8Array {
  const csv = new CsvWriter(HEADER, ROW_BYTES * fills.length);
  for (const each of fills) {
    const fill = rowOf(each);
    csv.instant(fill.time).text(fill.symbol).text(fill.currency).text(fill.side);
    csv.fixed(fill.quantity).fixed(fill.price).fixed(fill.fee);
    csv.text(fill.maker ? 'maker' : 'taker').fixed(fill.slippage);
    if (fill.realisedPnl === undefined) csv.text('');
    else csv.fixed(fill.realisedPnl);
    csv.text(fill.orderId).text(fill.orderType).text(fill.reason).endRow();
  }
  return csv.bytes();
}
