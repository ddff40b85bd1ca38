import { MAX_PLACES, fixedFromText, type Ratio } from '../core/fixed/fixed.js';
import { positiveFixed, unsignedFixed } from './config-fields.js';

/** Default maintenance margin rate: the venue does not report one (supplement: margin). */
export const MAINTENANCE_RATE: Ratio = fixedFromText<'ratio'>('0.01');

/**
 * The rules of an instrument in a file: decimals as text, in base units and USDT (interface: asset). A
 * backtest and a paper run read the same format.
 */
export const instrumentFields = {
  quantity_step: positiveFixed<'quantity'>(MAX_PLACES),
  min_quantity: positiveFixed<'quantity'>(MAX_PLACES),
  max_quantity: positiveFixed<'quantity'>(MAX_PLACES),
  max_market_quantity: positiveFixed<'quantity'>(MAX_PLACES),
  price_step: positiveFixed<'price'>(MAX_PLACES),
  min_price: unsignedFixed<'price'>(MAX_PLACES),
  max_price: positiveFixed<'price'>(MAX_PLACES),
  min_notional: unsignedFixed<'USDT'>(),
  leverage_step: positiveFixed<'ratio'>(),
  min_leverage: positiveFixed<'ratio'>(),
  max_leverage: positiveFixed<'ratio'>(),
};
