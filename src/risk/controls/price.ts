import {
  absolute,
  fixed,
  isLess,
  isGreater,
  SCALE,
  subtract,
  textFromFixed,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { breach, missingData, type Control } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import { compareProducts, proportionText } from '../product-text.js';

/** 100 % in basis points. */
const WHOLE_BPS = fixed<'ratio'>(10_000 * SCALE);

/** R05: the last price must be fresh, because sizes and collars use it. A market exit has neither. */
export const referencePriceAge: Control = {
  id: 'R05',
  key: 'max_ref_price_age_ms',
  clock: 'monotonic',
  class: 'reject',
  judge(evidence, limits) {
    if (evidence.isMarketExit) return undefined;
    const { symbol } = evidence.intent.terms;
    const { lastAgeMs } = evidence;
    if (evidence.last === undefined || lastAgeMs === undefined) {
      return missingData(`price of ${symbol}`);
    }
    const limit = priceAgeLimit(evidence, limits);
    if (lastAgeMs <= limit) return undefined;
    return breach(
      () => `price of ${symbol} is ${lastAgeMs} ms old, limit ${limit} ms`,
      () => ({ age_ms: String(lastAgeMs), limit_ms: String(limit) }),
    );
  },
  margins(evidence, limits) {
    if (evidence.isMarketExit || evidence.lastAgeMs === undefined) return [];
    const limit = String(priceAgeLimit(evidence, limits));
    return [{ value: String(Math.ceil(evidence.lastAgeMs)), limit, unit: 'ms' }];
  },
};

/**
 * R03: bounds the distance of a limit price from the mark price (from the last price where the mark is
 * unknown or stale). A market order has no price.
 */
export const priceCollar: Control = {
  id: 'R03',
  key: 'price_collar_bps',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const { price, side, symbol, type } = evidence.intent.terms;
    if (type === 'market') return undefined;
    if (price === undefined) return missingData('limit price');
    const reference = referencePrice(evidence, limits);
    if (reference === undefined) return missingData(`price of ${symbol}`);
    const { aggressive, limit } = collarOf(evidence, limits, price, reference);
    if (compareProducts(absolute(subtract(price, reference)), WHOLE_BPS, limit, reference) <= 0) {
      return undefined;
    }
    return breach(
      () =>
        `${side} limit ${textFromFixed(price)} is more than ${textFromFixed(limit)} bps ` +
        `${aggressive ? 'beyond' : 'away from'} the reference price ${textFromFixed(reference)}`,
      () => ({
        price: textFromFixed(price),
        reference: textFromFixed(reference),
        limit_bps: textFromFixed(limit),
      }),
    );
  },
  margins(evidence, limits) {
    const { price, type } = evidence.intent.terms;
    const reference = referencePrice(evidence, limits);
    if (type === 'market' || price === undefined || reference === undefined || reference <= 0) {
      return [];
    }
    const { limit } = collarOf(evidence, limits, price, reference);
    const value = proportionText(absolute(subtract(price, reference)), WHOLE_BPS, reference);
    return [{ value, limit: textFromFixed(limit), unit: 'bps' }];
  },
};

interface Collar {
  /** The price is beyond the reference, in the direction of the trade. */
  readonly aggressive: boolean;
  readonly limit: Ratio;
}

function collarOf(
  { isExit, intent }: Evidence,
  { priceCollarBps: collar }: RiskLimits,
  price: Price,
  reference: Price,
): Collar {
  const aggressive =
    intent.terms.side === 'buy' ? isGreater(price, reference) : isLess(price, reference);
  const toward = isExit ? collar.exitAggressive : collar.entryAggressive;
  return { aggressive, limit: aggressive ? toward : collar.passive };
}

/** The mark price while it is fresh, else the last price. */
export function referencePrice(evidence: Evidence, limits: RiskLimits): Price | undefined {
  const { mark, markAgeMs } = evidence;
  const fresh = markAgeMs !== undefined && markAgeMs <= priceAgeLimit(evidence, limits);
  return mark !== undefined && fresh ? mark : evidence.last;
}

const priceAgeLimit = (evidence: Evidence, limits: RiskLimits): number =>
  evidence.isExit ? limits.maxReferencePriceAgeMs.exit : limits.maxReferencePriceAgeMs.entry;
