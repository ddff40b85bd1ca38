import { Decimal } from '../../core/fixed/decimal.js';
import type { RouteReply } from '../http/http-message.js';
import { rejection } from '../http/rejection-text.js';
import { WireNumber, type WireValue } from '../http/wire-json.js';

/** A change to a success reply. */
export type ReplyEdit = (reply: RouteReply) => RouteReply;

type Row = Readonly<Record<string, WireValue>>;

export const nullData: ReplyEdit = ({ status }) => ({
  status,
  body: { success: true, data: null },
});

/** An order cancelled after a partial fill still has PARTIAL_FILLED (the interface's known issue). */
export const stickyPartial: ReplyEdit = editRows((row) =>
  isPartlyFilled(row) && row['status'] === 'CANCELLED' ? { ...row, status: 'PARTIAL_FILLED' } : row,
);

/** actual_amount of a partly filled order is the ordered value (the interface's known issue). */
export const wrongAmount: ReplyEdit = editRows((row) => {
  if (!isPartlyFilled(row) || row['actual_amount'] === undefined) return row;
  const rate = row['trade_currency'] === 'INR' ? decimalOf(row['hedge_rate']) : new Decimal(1);
  const amount = decimalOf(row['price']).times(decimalOf(row['quantity'])).times(rate);
  return { ...row, actual_amount: new WireNumber(amount.toFixed()) };
});

/** Hides system-cancelled orders from lists and from lookups by id. */
export const hideSystemCancelled: ReplyEdit = (reply) => {
  const data = dataOf(reply);
  if (Array.isArray(data))
    return withData(
      reply,
      data.filter((row) => !isSystemCancelled(row)),
    );
  return isSystemCancelled(data) ? rejection('order-not-found') : reply;
};

/** The newest candle of each symbol has only its close. */
export const zeroLastCandle: ReplyEdit = editLastCandles(([open, , , , close, ...volume]) => [
  open,
  0,
  0,
  0,
  close,
  ...volume.map(() => 0),
]);

/** Multiplies high and close of the newest candle by `factor`. */
export const spikeLastCandle = (factor: number): ReplyEdit =>
  editLastCandles(([open, first, high, low, close, ...volume]) => [
    open,
    first,
    Math.max(Number(high), Number(close) * factor),
    Math.min(Number(low), Number(close) * factor),
    Number(close) * factor,
    ...volume,
  ]);

function editRows(edit: (row: Row) => Row): ReplyEdit {
  return (reply) => {
    const data = dataOf(reply);
    if (Array.isArray(data)) {
      return withData(
        reply,
        data.map((row: WireValue) => (isRow(row) ? edit(row) : row)),
      );
    }
    return isRow(data) ? withData(reply, edit(data)) : reply;
  };
}

function editLastCandles(edit: (candle: readonly WireValue[]) => WireValue): ReplyEdit {
  return (reply) => {
    const data = dataOf(reply);
    const ticks = isRow(data) ? data['asset_ticks'] : undefined;
    if (!isRow(ticks)) return reply;
    const edited = Object.entries(ticks).map(([pair, candles]) => {
      const last: WireValue = Array.isArray(candles) ? candles.at(-1) : undefined;
      if (!Array.isArray(candles) || !Array.isArray(last)) return [pair, candles];
      return [pair, [...candles.slice(0, -1), edit(last as readonly WireValue[])]];
    });
    return withData(reply, { asset_ticks: Object.fromEntries(edited) as Row });
  };
}

const dataOf = ({ body }: RouteReply): WireValue => (isRow(body) ? body['data'] : undefined);

const withData = ({ status }: RouteReply, data: WireValue): RouteReply => ({
  status,
  body: { success: true, data },
});

const isRow = (value: WireValue): value is Row =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof WireNumber);

const isSystemCancelled = (value: WireValue): boolean =>
  isRow(value) && value['status'] === 'SYSTEM_CANCELLED';

function isPartlyFilled(row: Row): boolean {
  const filled = decimalOf(row['filled_quantity']);
  return filled.gt(0) && filled.lt(decimalOf(row['quantity']));
}

/** Value of a JSON number or a decimal text; 0 for anything else. */
function decimalOf(value: WireValue): Decimal {
  if (value instanceof WireNumber) return new Decimal(value.text);
  const isDecimal = typeof value === 'number' || typeof value === 'string';
  return isDecimal && /^-?\d+(?:\.\d+)?$/.test(String(value)) ? new Decimal(value) : new Decimal(0);
}
