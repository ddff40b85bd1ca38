import { assert } from '../../core/assert.js';
import { Decimal } from '../../core/fixed/decimal.js';
import {
  add,
  decimalFromFixed,
  FIXED_PLACES,
  fitsEightPlaces,
  fixedFromDecimal,
  larger,
  MAX_PLACES,
  multiply,
  subtract,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';

/** A fill at the market, before its slippage. */
export interface MarketFill {
  readonly symbol: string;
  readonly side: Side;
  /** USDT. */
  readonly price: Price;
  readonly quantity: Quantity;
}

/** The price of a market fill, worsened for its side. Must be pure. */
export type SlippageModel = (fill: MarketFill) => Price;

/** Traded candle in which a fill happens. */
export interface FillCandle {
  /** High − low, USDT. */
  readonly range: Price;
  /** Base units. */
  readonly volume: number;
}

/**
 * A share of the price: a buy pays p × (1 + bps ÷ 10,000).
 * @throws AssertionError unless 0 ≤ bps < 10,000
 */
export function fixedSlippage(bps: number): SlippageModel | undefined {
  assert(bps >= 0 && bps < BPS, 'Slippage is from 0 up to, but not including, 10,000 basis points');
  if (bps === 0) return undefined;
  const share = new Decimal(bps).div(BPS);
  const factor = { buy: share.plus(1), sell: share.negated().plus(1) };
  const ratio = { buy: ratioOf(factor.buy), sell: ratioOf(factor.sell) };
  return ({ side, price }) => {
    const exact = ratio[side];
    if (exact !== undefined && fitsEightPlaces(price)) return multiply(price, exact);
    return rounded(decimalFromFixed(price).times(factor[side]), price);
  };
}

/** undefined: it has more than eight places. */
const ratioOf = (factor: Decimal): Ratio | undefined =>
  factor.decimalPlaces() <= FIXED_PLACES ? fixedFromDecimal(factor) : undefined;

/** The larger of a share of the price and a share of the range of the candle. */
export function rangeSlippage(
  shares: { readonly price: Ratio; readonly range: Ratio },
  candleOf: (symbol: string) => FillCandle,
): SlippageModel {
  return ({ symbol, side, price }) => {
    const byRange: Price = multiply(candleOf(symbol).range, shares.range);
    return worse(price, side, larger(byRange, multiply(price, shares.price)));
  };
}

/**
 * Grows with the square of the order's share of the candle's volume: p × impact × (quantity ÷ volume)². A
 * quantity above the volume, or a candle without volume, counts as the whole volume. Zipline's
 * `VolumeShareSlippage` has this form.
 */
export function volumeSlippage(
  impact: number,
  candleOf: (symbol: string) => FillCandle,
): SlippageModel {
  const factor = new Decimal(impact);
  return ({ symbol, side, price, quantity }) => {
    const { volume } = candleOf(symbol);
    const wanted = decimalFromFixed(quantity);
    const share = wanted.lt(volume) ? wanted.div(volume) : new Decimal(1);
    const move = decimalFromFixed(price).times(factor).times(share).times(share);
    return worse(price, side, rounded(move, price));
  };
}

const BPS = 10_000;

/** A price that fits eight places keeps them. */
const rounded = (value: Decimal, price: Price): Price =>
  fixedFromDecimal(value, fitsEightPlaces(price) ? FIXED_PLACES : MAX_PLACES);

/** A sell never fills at or below 0: then it keeps its price. */
function worse(price: Price, side: Side, move: Price): Price {
  if (side === 'buy') return add(price, move);
  const sold = subtract(price, move);
  return sold > 0 ? sold : price;
}
