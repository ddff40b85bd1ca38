import type { PositionReport } from '../../core/account.js';
import {
  absolute,
  add,
  ceilToStep,
  floorToStep,
  isAtLeast,
  isAtMost,
  larger,
  multiply,
  smaller,
  subtract,
  fixedFromText,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';

/** Share of the way from the liquidation price to the entry price that a rebuilt stop keeps (R16). */
const LIQUIDATION_SHARE: Ratio = fixedFromText('0.25');

/** Whether the market has reached the price of a stop. */
export const isStopPassed = (stop: Price, last: Price, side: PositionReport['side']): boolean =>
  side === 'long' ? isAtMost(last, stop) : isAtLeast(last, stop);

/**
 * The price of a refused stop, by freshly read rules: inside the liquidation price, within the instrument's
 * bounds and on its price step. Only bounds move it away from the market; rounding moves it closer.
 */
export function rebuiltStopPrice(
  required: Price,
  { priceStep, minPrice, maxPrice }: Instrument,
  row: Pick<PositionReport, 'side' | 'entryPrice' | 'liquidationPrice'> | undefined,
): Price {
  if (row === undefined) return required;
  const isLong = row.side === 'long';
  const inside = insideLiquidation(required, row);
  const bounded = smaller(larger(inside, minPrice), maxPrice);
  return isLong ? ceilToStep(bounded, priceStep) : floorToStep(bounded, priceStep);
}

function insideLiquidation(
  required: Price,
  row: Pick<PositionReport, 'side' | 'entryPrice' | 'liquidationPrice'>,
): Price {
  const { side, entryPrice, liquidationPrice } = row;
  if (liquidationPrice === undefined) return required;
  const distance = absolute(subtract(entryPrice, liquidationPrice));
  const margin = multiply<'price'>(distance, LIQUIDATION_SHARE);
  if (side === 'long')
    return isAtMost(required, liquidationPrice) ? add(liquidationPrice, margin) : required;
  return isAtLeast(required, liquidationPrice) ? subtract(liquidationPrice, margin) : required;
}
