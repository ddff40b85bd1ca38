import type { Currency } from '../core/currency.js';
import { FIXED_PLACES, textFromFixed } from '../core/fixed.js';
import type { Execution, ExchangeOrder } from '../exchange/simulated-exchange.js';
import { amountText, type MoneyForm } from './money-wire.js';
import { filledValue, orderedValue, valueOf } from './order-value.js';
import { orderWire, timestamp, type WireObject } from './order-wire.js';
import type { Switches } from './switches.js';
import type { WireValue } from './wire-json.js';

/** An execution report: the order, its two values as strings, and its fills (interface, Execution report). */
export const executionReportWire = (
  order: ExchangeOrder,
  assetId: string,
  switches: Pick<Switches, 'partialCancelAmount'> & MoneyForm,
): WireObject => ({
  ...orderWire(order, assetId, switches),
  order_value: orderedValue(order).toDecimalPlaces(FIXED_PLACES).toFixed(),
  filled_value: filledValue(order).toDecimalPlaces(FIXED_PLACES).toFixed(),
  end_time: order.endedAt === undefined ? null : timestamp(order.endedAt),
  executions: order.executions.map((execution) =>
    executionWire(execution, order.currency, switches),
  ),
});

/** Price and value in USDT; the fee in the order's currency; its time has milliseconds. */
const executionWire = (execution: Execution, currency: Currency, form: MoneyForm): WireValue => ({
  is_maker: execution.maker,
  filled_price: textFromFixed(execution.price),
  filled_qty: textFromFixed(execution.quantity),
  filled_value: valueOf(execution.price, execution.quantity)
    .toDecimalPlaces(FIXED_PLACES)
    .toFixed(),
  trading_fee: amountText(execution.fee, currency, form),
  filled_time: new Date(execution.time).toISOString(),
  trxn_id: execution.id,
});
