import {
  absolute,
  isAtMost,
  negate,
  ONE,
  smaller,
  textFromFixed,
  type Fixed,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import { compareProducts, productText } from '../product-text.js';

/**
 * R01: notional of one order. An exit within the position passes at any notional: a position that has
 * grown with the market must not be locked in.
 */
export const orderNotional: Control = {
  id: 'R01',
  key: 'max_order_notional_usdt',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const { quantity } = evidence.intent.terms;
    if (evidence.isExit && isAtMost(quantity, closable(evidence))) return undefined;
    return judgeNotional(evidence, quantity, orderLimit(limits));
  },
  margins(evidence, limits) {
    const { quantity } = evidence.intent.terms;
    if (evidence.isExit && isAtMost(quantity, closable(evidence))) return [];
    return notionalMargins(evidence, quantity, orderLimit(limits));
  },
};

const orderLimit = (limits: RiskLimits): NotionalBounds => ({
  what: 'order',
  amount: limits.maxOrderNotional,
  share: limits.maxOrderNotionalShare,
});

/**
 * R02: base units of one order. An exit within the position is bounded by the venue only, for the reason
 * of R01. The venue's bounds hold here as well; R07 names those.
 */
export const orderQuantity: Control = {
  id: 'R02',
  key: 'max_order_qty',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const { terms } = evidence.intent;
    const { instrument } = evidence;
    if (instrument === undefined) return missingData(`instrument ${terms.symbol}`);
    const limit = quantityLimit(evidence, instrument, limits);
    if (isAtMost(terms.quantity, limit)) return undefined;
    return above('order quantity', terms.symbol, () => [
      textFromFixed(terms.quantity),
      textFromFixed(limit),
    ]);
  },
  margins(evidence, limits) {
    const { instrument } = evidence;
    if (instrument === undefined) return [];
    const value = textFromFixed(evidence.intent.terms.quantity);
    const limit = textFromFixed(quantityLimit(evidence, instrument, limits));
    return [{ value, limit, unit: 'base' }];
  },
};

function quantityLimit(evidence: Evidence, instrument: Instrument, limits: RiskLimits): Fixed {
  const { terms } = evidence.intent;
  const venue =
    terms.type === 'market'
      ? smaller(instrument.maxQuantity, instrument.maxMarketQuantity)
      : instrument.maxQuantity;
  const own = limits.maxOrderQuantity.get(terms.symbol);
  const isWithinPosition = evidence.isExit && isAtMost(terms.quantity, closable(evidence));
  return own === undefined || isWithinPosition ? venue : smaller(venue, own);
}

/** R12: notional of the worst-case position on the side of the order. Exits add nothing. */
export const positionNotional: Control = {
  id: 'R12',
  key: 'max_position_notional',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const position = worstPosition(evidence);
    return position === undefined
      ? undefined
      : judgeNotional(evidence, position, positionLimit(limits));
  },
  margins(evidence, limits) {
    const position = worstPosition(evidence);
    return position === undefined ? [] : notionalMargins(evidence, position, positionLimit(limits));
  },
};

const positionLimit = (limits: RiskLimits): NotionalBounds => ({
  what: 'worst position',
  amount: limits.maxPositionNotional,
  share: limits.maxPositionNotionalShare,
});

/** The largest position on the side of the order; undefined: the order only reduces. */
function worstPosition(evidence: Evidence): Quantity | undefined {
  if (evidence.isExit) return undefined;
  return evidence.intent.terms.side === 'buy' ? evidence.maxPosition : negate(evidence.minPosition);
}

/** Largest quantity that a reduce-only order of this side can close, in the worst case. */
const closable = (evidence: Evidence): Quantity =>
  evidence.intent.terms.side === 'sell' ? evidence.maxPosition : negate(evidence.minPosition);

/** Two limits of one notional: the smaller one holds. */
interface NotionalBounds {
  /** Name of the compared notional, for the refusal. */
  readonly what: string;
  /** USDT. */
  readonly amount: Fixed;
  /** Fraction of the equity: 25 % is 0.25. */
  readonly share: Fixed;
}

function judgeNotional(
  evidence: Evidence,
  quantity: Quantity,
  limit: NotionalBounds,
): Breach | undefined {
  const { worstPrice, equityUsdt } = evidence;
  if (worstPrice === undefined) return missingData(`price of ${evidence.intent.terms.symbol}`);
  if (equityUsdt === undefined) return missingData(`${evidence.intent.terms.currency} equity`);
  const size = absolute(quantity);
  if (compareProducts(size, worstPrice, limit.amount, ONE) > 0) {
    const numbers = (): Numbers => [productText(size, worstPrice), textFromFixed(limit.amount)];
    return above(`${limit.what} notional`, 'USDT', numbers);
  }
  if (compareProducts(size, worstPrice, equityUsdt, limit.share) <= 0) return undefined;
  const numbers = (): Numbers => [
    productText(size, worstPrice),
    productText(equityUsdt, limit.share),
  ];
  return above(`${limit.what} notional`, 'USDT (by its share of equity)', numbers);
}

/** Compares with the smaller of the two limits. */
function notionalMargins(
  { worstPrice, equityUsdt }: Evidence,
  quantity: Quantity,
  { amount, share }: NotionalBounds,
): readonly Margin[] {
  if (worstPrice === undefined || equityUsdt === undefined) return [];
  const byShare = compareProducts(equityUsdt, share, amount, ONE) < 0;
  const limit = byShare ? productText(equityUsdt, share) : textFromFixed(amount);
  return [{ value: productText(absolute(quantity), worstPrice), limit, unit: 'USDT' }];
}

/** The value and its limit. */
type Numbers = readonly [string, string];

function above(what: string, unit: string, numbers: () => Numbers): Breach {
  return breach(
    () => {
      const [value, limit] = numbers();
      return `${what} ${value} is above ${limit} ${unit}`;
    },
    () => {
      const [value, limit] = numbers();
      return { value, limit };
    },
  );
}
