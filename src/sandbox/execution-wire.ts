import { FIXED_PLACES, textFromFixed } from '../core/fixed.js';
import type { Execution, ExchangeOrder } from '../exchange/simulated-exchange.js';
import { filledValue, orderedValue, valueOf } from './order-value.js';
import { orderWire, timestamp, type WireObject } from './order-wire.js';
import type { Switches } from './switches.js';
import type { WireValue } from './wire-json.js';

/** An execution report: the order, its two values as strings, and its fills (interface, Execution report). */
export const executionReportWire = (
  order: ExchangeOrder,
  assetId: string,
  switches: Pick<Switches, 'partialCancelAmount'>,
): WireObject => ({
  ...orderWire(order, assetId, switches),
  order_value: orderedValue(order).toDecimalPlaces(FIXED_PLACES).toFixed(),
  filled_value: filledValue(order).toDecimalPlaces(FIXED_PLACES).toFixed(),
  end_time: order.endedAt === undefined ? null : timestamp(order.endedAt),
  executions: order.executions.map(executionWire),
});

/** Price and value in USDT; the fee in the order's currency; its time has milliseconds. */
const executionWire = (execution: Execution): WireValue => ({
  is_maker: execution.maker,
  filled_price: textFromFixed(execution.price),
  filled_qty: textFromFixed(execution.quantity),
  filled_value: valueOf(execution.price, execution.quantity)
    .toDecimalPlaces(FIXED_PLACES)
    .toFixed(),
  trading_fee: textFromFixed(execution.fee),
  filled_time: new Date(execution.time).toISOString(),
  trxn_id: execution.id,
});
