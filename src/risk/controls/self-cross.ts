import {
  add,
  isGreater,
  isLess,
  proportion,
  fixed,
  SCALE,
  subtract,
  textFromFixed,
  type Price,
} from '../../core/fixed/fixed.js';
import { breach, missingData, type Control } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { RiskLimits } from '../limits/risk-limits.js';

const WHOLE_BPS = fixed<'ratio'>(10_000 * SCALE);

/**
 * R20: an entry must not trade with our own resting order on the other side, whether accepted, in flight or
 * unknown. A market order reaches as far as the collar of an aggressive limit (R03). An exit passes: a position
 * must not be locked in.
 */
export const selfCross: Control = {
  id: 'R20',
  key: 'self_cross',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const crossed = evidence.entry?.opposingPrice;
    if (crossed === undefined) return undefined;
    const { side, symbol } = evidence.intent.terms;
    const reach = reachOf(evidence, limits);
    if (reach === undefined) return missingData(`price of ${symbol}`);
    const isBuy = side === 'buy';
    if (isBuy ? isGreater(crossed, reach) : isLess(crossed, reach)) return undefined;
    return breach(
      () =>
        `this ${side} can reach ${textFromFixed(reach)}, where our own ${isBuy ? 'sell' : 'buy'} order rests at ` +
        `${textFromFixed(crossed)}: cancel that first`,
      () => ({ reach: textFromFixed(reach), resting: textFromFixed(crossed) }),
    );
  },
  margins(evidence, limits) {
    const nearest = evidence.entry?.opposingPrice;
    const reach = reachOf(evidence, limits);
    if (nearest === undefined || reach === undefined) return [];
    const isBuy = evidence.intent.terms.side === 'buy';
    const limit = textFromFixed(nearest);
    const value = textFromFixed(reach);
    return [{ value, limit, unit: 'USDT', ...(!isBuy && { least: true }) }];
  },
};

/** The worst price at which the order may trade. */
function reachOf({ intent, last }: Evidence, { priceCollarBps }: RiskLimits): Price | undefined {
  const { type, price, side } = intent.terms;
  if (type === 'limit') return price;
  if (last === undefined) return undefined;
  const slip = proportion<Price>(last, priceCollarBps.entryAggressive, WHOLE_BPS);
  return side === 'buy' ? add(last, slip) : subtract(last, slip);
}
