import {
  absolute,
  fixed,
  isLess,
  isMore,
  SCALE,
  subtract,
  textFromFixed,
  type Price,
  type Ratio,
} from '../../core/fixed.js';
import { breach, unknown, type Control } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { RiskLimits } from '../limits.js';
import { compareProducts, proportionText } from '../products.js';

/** In basis points. */
const WHOLE_BPS = fixed<'ratio'>(10_000 * SCALE);

/** R05: the last price must be fresh: sizes and collars stand on it. An exit at the market has neither. */
export const referencePriceAge: Control = {
  id: 'R05',
  key: 'max_ref_price_age_ms',
  clock: 'monotonic',
  judge(evidence, limits) {
    if (evidence.marketExit) return undefined;
    const { symbol } = evidence.intent.terms;
    const { lastAgeMs } = evidence;
    if (evidence.last === undefined || lastAgeMs === undefined) {
      return unknown(`price of ${symbol}`);
    }
    const limit = priceAgeLimit(evidence, limits);
    if (lastAgeMs <= limit) return undefined;
    return breach(
      () => `price of ${symbol} is ${lastAgeMs} ms old, limit ${limit} ms`,
      () => ({ age_ms: String(lastAgeMs), limit_ms: String(limit) }),
    );
  },
  margins(evidence, limits) {
    if (evidence.marketExit || evidence.lastAgeMs === undefined) return [];
    const limit = String(priceAgeLimit(evidence, limits));
    return [{ value: String(Math.ceil(evidence.lastAgeMs)), limit, unit: 'ms' }];
  },
};

/**
 * R03: how far a limit price may stand from the mark (from the last price where the mark is unknown
 * or stale). A market order has no price to judge.
 */
export const priceCollar: Control = {
  id: 'R03',
  key: 'price_collar_bps',
  clock: 'none',
  judge(evidence, limits) {
    const { price, side, symbol, type } = evidence.intent.terms;
    if (type === 'market') return undefined;
    if (price === undefined) return unknown('limit price');
    const reference = referencePrice(evidence, limits);
    if (reference === undefined) return unknown(`price of ${symbol}`);
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
  /** Toward the market and beyond it. */
  readonly aggressive: boolean;
  readonly limit: Ratio;
}

function collarOf(
  { exit, intent }: Evidence,
  { priceCollarBps: collar }: RiskLimits,
  price: Price,
  reference: Price,
): Collar {
  const aggressive =
    intent.terms.side === 'buy' ? isMore(price, reference) : isLess(price, reference);
  const toward = exit ? collar.exitAggressive : collar.entryAggressive;
  return { aggressive, limit: aggressive ? toward : collar.passive };
}

function referencePrice(evidence: Evidence, limits: RiskLimits): Price | undefined {
  const { mark, markAgeMs } = evidence;
  const fresh = markAgeMs !== undefined && markAgeMs <= priceAgeLimit(evidence, limits);
  return mark !== undefined && fresh ? mark : evidence.last;
}

const priceAgeLimit = (evidence: Evidence, limits: RiskLimits): number =>
  evidence.exit ? limits.maxReferencePriceAgeMs.exit : limits.maxReferencePriceAgeMs.entry;
