import {
  textFromFixed,
  type Amount,
  type Price,
  type Quantity,
  type Usdt,
} from '../../core/fixed/fixed.js';
import type { Currency } from '../../core/currency.js';
import type { OrderType, Side } from '../../core/order.js';
import type { ExitReason } from '../round-trips.js';

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

/** `fills.csv`: every execution, in order. Times are in ISO 8601, money is exact. */
export function fillsCsv<Fill>(fills: readonly Fill[], rowOf: (fill: Fill) => FillRow): string {
  let [text, time, instant] = [`${HEADER}\n`, NaN, ''];
  for (const fill of fills) {
    const row = rowOf(fill);
    if (row.time !== time) [time, instant] = [row.time, new Date(row.time).toISOString()];
    text += lineOf(row, instant);
  }
  return text;
}

function lineOf(fill: FillRow, instant: string): string {
  const { symbol, currency, side, quantity, price, fee, slippage, realisedPnl } = fill;
  const pnl = realisedPnl === undefined ? '' : textFromFixed(realisedPnl);
  return (
    `${instant},${symbol},${currency},${side},${textFromFixed(quantity)},${textFromFixed(price)},` +
    `${textFromFixed(fee)},${fill.maker ? 'maker' : 'taker'},${textFromFixed(slippage)},${pnl},` +
    `${fill.orderId},${fill.orderType},${fill.reason}\n`
  );
}
