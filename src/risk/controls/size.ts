import {
  absolute,
  fixed,
  multiply,
  SCALE,
  textFromFixed,
  type Fixed,
  type Quantity,
} from '../../core/fixed.js';
import { breach, unknown, type Breach, type Control } from '../control.js';
import type { Evidence } from '../evidence.js';
import { compareProducts } from '../products.js';

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
    if (evidence.exit && quantity <= closable(evidence)) return undefined;
    return judgeNotional(evidence, quantity, {
      what: 'order',
      amount: limits.maxOrderNotional,
      share: limits.maxOrderNotionalShare,
    });
  },
};

/** R02: base units of one order; the venue's own bounds as well (R07 says them by name). */
export const orderQuantity: Control = {
  id: 'R02',
  key: 'max_order_qty',
  clock: 'none',
  judge(evidence, limits) {
    const { terms } = evidence.intent;
    const { instrument } = evidence;
    if (instrument === undefined) return unknown(`instrument ${terms.symbol}`);
    const venue =
      terms.type === 'market'
        ? Math.min(instrument.maxQuantity, instrument.maxMarketQuantity)
        : instrument.maxQuantity;
    const own = limits.maxOrderQuantity.get(terms.symbol);
    const held = evidence.exit && terms.quantity <= closable(evidence);
    const limit = own === undefined || held ? venue : Math.min(venue, own);
    if (terms.quantity <= limit) return undefined;
    return above('order quantity', terms.symbol, () => [terms.quantity, fixed(limit)]);
  },
};

/** R12: the worst position on the side that the order adds to. Exits add nothing. */
export const positionNotional: Control = {
  id: 'R12',
  key: 'max_position_notional',
  clock: 'none',
  judge(evidence, limits) {
    if (evidence.exit) return undefined;
    const reach =
      evidence.intent.terms.side === 'buy' ? evidence.longest : fixed(-evidence.shortest);
    // Still on the other side of flat when everything has landed: it only takes off.
    if (reach <= 0) return undefined;
    return judgeNotional(evidence, fixed(reach), {
      what: 'worst position',
      amount: limits.maxPositionNotional,
      share: limits.maxPositionNotionalShare,
    });
  },
};

/** What a reduce-only order of this side can close at most, in the worst case. */
const closable = (evidence: Evidence): number =>
  evidence.intent.terms.side === 'sell' ? evidence.longest : -evidence.shortest;

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
  if (compareProducts(size, worstPrice, limit.amount, SCALE) > 0) {
    const numbers = (): Numbers => [multiply(size, worstPrice), limit.amount];
    return above(`${limit.what} notional`, 'USDT', numbers);
  }
  if (compareProducts(size, worstPrice, equityUsdt, limit.share) <= 0) return undefined;
  const numbers = (): Numbers => [multiply(size, worstPrice), multiply(equityUsdt, limit.share)];
  return above(`${limit.what} notional`, 'USDT (by its share of equity)', numbers);
}

/** The value and its limit. */
type Numbers = readonly [Fixed, Fixed];

function above(what: string, unit: string, numbers: () => Numbers): Breach {
  return breach(
    () => {
      const [value, limit] = numbers();
      return `${what} ${textFromFixed(value)} is above ${textFromFixed(limit)} ${unit}`;
    },
    () => {
      const [value, limit] = numbers();
      return { value: textFromFixed(value), limit: textFromFixed(limit) };
    },
  );
}
