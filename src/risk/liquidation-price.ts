import {
  add,
  fixedFromText,
  multiply,
  ONE,
  proportion,
  smaller,
  subtract,
  type Price,
  type Ratio,
} from '../core/fixed/fixed.js';

/**
 * The venue publishes no maintenance rate. Its live samples show 1 % and 1.5 % (supplement: part 12). This one is
 * higher, so that the price of a real liquidation is no nearer to the entry.
 */
const MAINTENANCE_RATE: Ratio = fixedFromText('0.02');
const HALF: Ratio = fixedFromText('0.5');

/**
 * Liquidation price of an isolated position without added margin (supplement: part 12), USDT: entry × (1 − 1/L)
 * ÷ (1 − m) of a long, entry × (1 + 1/L) ÷ (1 + m) of a short. `m` is `MAINTENANCE_RATE`, at most half of the
 * margin, 1 ÷ 2L, as at the exchange. 0: a long that cannot be liquidated.
 * @param leverage above 0
 */
export function assumedLiquidationPrice(entry: Price, leverage: Ratio, isLong: boolean): Price {
  // Times L: no rounded quotient.
  const maintenance = smaller(multiply<'ratio'>(leverage, MAINTENANCE_RATE), HALF);
  return isLong
    ? proportion(entry, subtract<Ratio>(leverage, ONE), subtract(leverage, maintenance))
    : proportion(entry, add<Ratio>(leverage, ONE), add(leverage, maintenance));
}
