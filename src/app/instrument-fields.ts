import { FINEST_PLACES, fixedFromText, type Ratio } from '../core/fixed.js';
import { positiveFixed, unsignedFixed } from './config-fields.js';

/** Of a symbol whose rate nothing tells: the venue does not (supplement, part 12). */
export const MAINTENANCE_RATE: Ratio = fixedFromText<'ratio'>('0.01');

/**
 * The rules of an instrument in a file: decimals as text, in base units and USDT (interface, Asset). One
 * text of rules reads the same for a backtest and a paper run.
 */
export const instrumentFields = {
  quantity_step: positiveFixed<'quantity'>(FINEST_PLACES),
  min_quantity: positiveFixed<'quantity'>(FINEST_PLACES),
  max_quantity: positiveFixed<'quantity'>(FINEST_PLACES),
  max_market_quantity: positiveFixed<'quantity'>(FINEST_PLACES),
  price_step: positiveFixed<'price'>(FINEST_PLACES),
  min_price: unsignedFixed<'price'>(FINEST_PLACES),
  max_price: positiveFixed<'price'>(FINEST_PLACES),
  min_notional: unsignedFixed<'USDT'>(),
  leverage_step: positiveFixed<'ratio'>(),
  min_leverage: positiveFixed<'ratio'>(),
  max_leverage: positiveFixed<'ratio'>(),
};
