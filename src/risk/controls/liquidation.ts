import {
  absolute,
  averagePrice,
  fixedFromText,
  multiplyExact,
  negate,
  ONE,
  sign,
  smaller,
  subtract,
  textFromFixed,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import { assumedLiquidationPrice } from '../liquidation-price.js';
import { compareProducts, productText, proportionText } from '../product-text.js';
import { referencePrice } from './price.js';

/** Least distance of a stop from the liquidation price, as a share of the way from entry to liquidation. */
const STOP_SHARE: Ratio = fixedFromText('0.25');
const HUNDRED: Ratio = fixedFromText('100');

/**
 * R16: the liquidation price of the worst position keeps a distance from the market, and the stop of the order
 * is reached well before it. The margin is that of the configured leverage: margin that a person has added
 * only enlarges the distance.
 */
export const liquidationDistance: Control = {
  id: 'R16',
  key: 'min_liq_distance_pct',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const position = positionAfter(evidence);
    if (position === undefined) return undefined;
    if ('missing' in position) return position.missing;
    const mark = referencePrice(evidence, limits);
    if (mark === undefined) return missingData(`price of ${evidence.intent.terms.symbol}`);
    const { minLiquidationDistance: least } = limits.exposure;
    const { liquidation } = position;
    if (
      liquidation > 0 &&
      compareProducts(ahead(position, mark, liquidation), ONE, mark, least) < 0
    )
      return tooNear(position, mark, least);
    return judgeStop(evidence, position);
  },
  margins(evidence, limits): readonly Margin[] {
    const position = positionAfter(evidence);
    if (position === undefined || 'missing' in position || position.liquidation <= 0) return [];
    const mark = referencePrice(evidence, limits);
    if (mark === undefined) return [];
    const distance: Margin = {
      part: 'distance',
      value: proportionText(ahead(position, mark, position.liquidation), HUNDRED, mark),
      limit: productText(limits.exposure.minLiquidationDistance, HUNDRED),
      unit: '%',
      least: true,
    };
    const stop = stopMargin(evidence, position);
    return stop === undefined ? [distance] : [distance, stop];
  },
};

interface WorstPosition {
  readonly isLong: boolean;
  /** Average entry price. */
  readonly entry: Price;
  /** 0: it cannot be liquidated. */
  readonly liquidation: Price;
}

/** The worst position on the side of the order; undefined: the order only reduces. */
function positionAfter(
  evidence: Evidence,
): WorstPosition | { readonly missing: Breach } | undefined {
  const { entry, intent, leverage, maxPosition, minPosition } = evidence;
  const { side, symbol } = intent.terms;
  const isLong = side === 'buy';
  const size = isLong ? maxPosition : negate(minPosition);
  if (entry === undefined || size <= 0) return undefined;
  if (leverage === undefined || leverage <= 0)
    return { missing: missingData(`leverage of ${symbol}`) };
  const price = averageEntry(evidence, size, isLong);
  if (price === undefined) return { missing: missingData(`entry price of ${symbol}`) };
  return { isLong, entry: price, liquidation: assumedLiquidationPrice(price, leverage, isLong) };
}

/** The held part has its entry price; the rest fills at the worse of the last price and the limit price. */
function averageEntry(
  { position, last, worstPrice, entry, intent }: Evidence,
  size: Quantity,
  isLong: boolean,
): Price | undefined {
  const limit = intent.terms.price;
  const lowest = limit === undefined || last === undefined ? last : smaller(limit, last);
  const price = isLong ? worstPrice : lowest;
  if (price === undefined || sign(position) !== (isLong ? 1 : -1)) return price;
  const held = smaller(absolute(position), size);
  if (entry?.entryPrice === undefined) return undefined;
  const cost = multiplyExact(entry.entryPrice, held) + multiplyExact(price, subtract(size, held));
  return averagePrice(cost, size);
}

/** Distance that the price must still move against the position, from `from` to `to`. */
const ahead = ({ isLong }: WorstPosition, from: Price, to: Price): Price =>
  isLong ? subtract(from, to) : subtract(to, from);

function tooNear(position: WorstPosition, mark: Price, least: Ratio): Breach {
  const distance = proportionText(ahead(position, mark, position.liquidation), HUNDRED, mark);
  const liquidation = textFromFixed(position.liquidation);
  const limit = productText(least, HUNDRED);
  return breach(
    () =>
      `the worst position would be liquidated near ${liquidation}, ${distance} % from the price ` +
      `${textFromFixed(mark)}, at least ${limit} %`,
    () => ({ liquidation, price: textFromFixed(mark), distance_pct: distance, limit_pct: limit }),
  );
}

/** R07 judges the side of the stop. */
function judgeStop({ intent }: Evidence, position: WorstPosition): Breach | undefined {
  const { stopLoss } = intent.terms;
  if (stopLoss === undefined || position.liquidation <= 0) return undefined;
  const { entry, liquidation } = position;
  const left = ahead(position, stopLoss, liquidation);
  if (compareProducts(left, ONE, ahead(position, entry, liquidation), STOP_SHARE) >= 0)
    return undefined;
  return breach(
    () =>
      `the stop ${textFromFixed(stopLoss)} is too near to the liquidation price ${textFromFixed(liquidation)} of ` +
      `the worst position, whose entry is ${textFromFixed(entry)}: at least ${productText(STOP_SHARE, HUNDRED)} % of that way`,
    () => ({
      stop_loss: textFromFixed(stopLoss),
      liquidation: textFromFixed(liquidation),
      entry: textFromFixed(entry),
    }),
  );
}

function stopMargin({ intent }: Evidence, position: WorstPosition): Margin | undefined {
  const { stopLoss } = intent.terms;
  const way = ahead(position, position.entry, position.liquidation);
  if (stopLoss === undefined || way <= 0) return undefined;
  return {
    part: 'stop',
    value: proportionText(ahead(position, stopLoss, position.liquidation), HUNDRED, way),
    limit: productText(STOP_SHARE, HUNDRED),
    unit: '%',
    least: true,
  };
}
