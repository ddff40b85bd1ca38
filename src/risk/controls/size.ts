import {
  absolute,
  isAtMost,
  negate,
  ONE,
  smaller,
  textFromFixed,
  type Fixed,
  type Quantity,
} from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { breach, unknown, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { RiskLimits } from '../limits.js';
import { compareProducts, productText } from '../products.js';

/**
 * R01: the worth of one order. An exit no larger than what it can close passes whatever that has come
 * to be worth: a position that its own limit let in and the market let grow must not be locked in.
 */
export const orderNotional: Control = {
  id: 'R01',
  key: 'max_order_notional_usdt',
  clock: 'none',
  judge(evidence, limits) {
    const { quantity } = evidence.intent.terms;
    if (evidence.exit && isAtMost(quantity, closable(evidence))) return undefined;
    return judgeNotional(evidence, quantity, orderLimit(limits));
  },
  margins(evidence, limits) {
    const { quantity } = evidence.intent.terms;
    if (evidence.exit && isAtMost(quantity, closable(evidence))) return [];
    return notionalMargins(evidence, quantity, orderLimit(limits));
  },
};

const orderLimit = (limits: RiskLimits): NotionalLimit => ({
  what: 'order',
  amount: limits.maxOrderNotional,
  share: limits.maxOrderNotionalShare,
});

/** R02: base units of one order; the venue's own bounds as well (R07 says them by name). */
export const orderQuantity: Control = {
  id: 'R02',
  key: 'max_order_qty',
  clock: 'none',
  judge(evidence, limits) {
    const { terms } = evidence.intent;
    const { instrument } = evidence;
    if (instrument === undefined) return unknown(`instrument ${terms.symbol}`);
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
  const held = evidence.exit && isAtMost(terms.quantity, closable(evidence));
  return own === undefined || held ? venue : smaller(venue, own);
}

/** R12: the worst position on the side that the order adds to. Exits add nothing. */
export const positionNotional: Control = {
  id: 'R12',
  key: 'max_position_notional',
  clock: 'none',
  judge(evidence, limits) {
    const reach = worstReach(evidence);
    return reach === undefined ? undefined : judgeNotional(evidence, reach, positionLimit(limits));
  },
  margins(evidence, limits) {
    const reach = worstReach(evidence);
    return reach === undefined ? [] : notionalMargins(evidence, reach, positionLimit(limits));
  },
};

const positionLimit = (limits: RiskLimits): NotionalLimit => ({
  what: 'worst position',
  amount: limits.maxPositionNotional,
  share: limits.maxPositionNotionalShare,
});

/** undefined: still on the other side of flat when everything has landed, it only takes off. */
function worstReach(evidence: Evidence): Quantity | undefined {
  if (evidence.exit) return undefined;
  const reach = evidence.intent.terms.side === 'buy' ? evidence.longest : negate(evidence.shortest);
  return reach <= 0 ? undefined : reach;
}

/** What a reduce-only order of this side can close at most, in the worst case. */
const closable = (evidence: Evidence): Quantity =>
  evidence.intent.terms.side === 'sell' ? evidence.longest : negate(evidence.shortest);

interface NotionalLimit {
  readonly what: string;
  readonly amount: Fixed;
  readonly share: Fixed;
}

function judgeNotional(
  evidence: Evidence,
  quantity: Quantity,
  limit: NotionalLimit,
): Breach | undefined {
  const { worstPrice, equityUsdt } = evidence;
  if (worstPrice === undefined) return unknown(`price of ${evidence.intent.terms.symbol}`);
  if (equityUsdt === undefined) return unknown(`${evidence.intent.terms.currency} equity`);
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

/** By the smaller of the two limits, as far as they are known. */
function notionalMargins(
  { worstPrice, equityUsdt }: Evidence,
  quantity: Quantity,
  { amount, share }: NotionalLimit,
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
