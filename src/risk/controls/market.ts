import {
  absolute,
  fixed,
  fixedFromText,
  isAtMost,
  ONE,
  SCALE,
  sign,
  subtract,
  textFromFixed,
  withSign,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { sideSign } from '../../core/order.js';
import { durationText } from '../../core/time-text.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { PriceJump } from '../facts.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import { compareProducts, productText, proportionText } from '../product-text.js';

/** 100 % in basis points. */
const WHOLE_BPS = fixed<'ratio'>(10_000 * SCALE);
const HUNDRED: Ratio = fixedFromText('100');
/** Venue ms before a settlement in which the funding of an entry is judged. */
const FUNDING_LEAD_MS = 60_000;

/** R04: entries at the market, where the limits allow them. An order is never converted. */
export const marketEntry: Control = {
  id: 'R04',
  key: 'market_orders',
  clock: 'none',
  class: 'reject',
  judge({ isExit, intent }, { market }) {
    if (isExit || market.marketEntries || intent.terms.type !== 'market') return undefined;
    return breach(
      () =>
        'market orders may only reduce: use entry: limit in the strategy, or market_orders: allow in risk',
      () => ({ type: 'market' }),
    );
  },
};

/** R42: an INR entry is judged with a rate that is not too old. */
export const hedgeRateAge: Control = {
  id: 'R42',
  key: 'inr_fx_max_age_ms',
  clock: 'venue',
  class: 'reject',
  judge({ entry, intent }, { market }) {
    if (entry === undefined || intent.terms.currency !== 'INR') return undefined;
    const age = entry.hedgeRateAgeMs;
    const limit = market.maxHedgeRateAgeMs;
    if (age === undefined) return missingData('rate of INR to USDT');
    if (age <= limit) return undefined;
    return breach(
      () =>
        `the newest rate of INR to USDT is ${durationText(age)} old, limit ${durationText(limit)}: ` +
        'set venue.inr_rate.value and as_of, and restart',
      () => ({ age_ms: String(age), limit_ms: String(limit) }),
    );
  },
  margins({ entry }, { market }) {
    const age = entry?.hedgeRateAgeMs;
    if (age === undefined) return [];
    return [{ value: String(age), limit: String(market.maxHedgeRateAgeMs), unit: 'ms' }];
  },
};

/**
 * R27: the price at the request is near the price of the decision. The engine checks the age of the decision
 * (order-checks.ts). A person decides on a manual order, and sets its validity.
 */
export const priceDrift: Control = {
  id: 'R27',
  key: 'max_price_drift_bps',
  clock: 'none',
  class: 'reject',
  judge(evidence, { market }) {
    if (!hasDrift(evidence)) return undefined;
    const { last, intent } = evidence;
    if (last === undefined) return missingData(`price of ${intent.terms.symbol}`);
    const { referencePrice } = intent;
    const drift = absolute(subtract(last, referencePrice));
    if (compareProducts(drift, WHOLE_BPS, market.maxDriftBps, referencePrice) <= 0) {
      return undefined;
    }
    return breach(
      () =>
        `the price is ${textFromFixed(last)} and was ${textFromFixed(referencePrice)} at the decision, ` +
        `limit ${textFromFixed(market.maxDriftBps)} bps`,
      () => ({
        price: textFromFixed(last),
        reference: textFromFixed(referencePrice),
        limit_bps: textFromFixed(market.maxDriftBps),
      }),
    );
  },
  margins(evidence, { market }) {
    const { last, intent } = evidence;
    if (!hasDrift(evidence) || last === undefined || intent.referencePrice <= 0) return [];
    const { referencePrice } = intent;
    const drift = absolute(subtract(last, referencePrice));
    const value = proportionText(drift, WHOLE_BPS, referencePrice);
    return [{ value, limit: textFromFixed(market.maxDriftBps), unit: 'bps' }];
  },
};

/** A resting limit order was decided at its own price, which bounds it. */
const hasDrift = ({ isExit, intent }: Evidence): boolean =>
  !isExit && intent.cause.kind !== 'operator' && intent.terms.price !== intent.referencePrice;

/**
 * R38: entries of a symbol pause for a minute after a jump of its price within a second, and while mark and
 * last price are apart. A control compares what is known: R05 demands a fresh last price, and a venue need not
 * report a mark.
 */
export const priceJump: Control = {
  id: 'R38',
  key: 'price_jump_pct',
  clock: 'venue',
  class: 'self-clearing',
  judge: (evidence, limits) =>
    evidence.entry === undefined ? undefined : priceJumpBreach(pricesOf(evidence), limits),
  margins: (evidence, limits) =>
    pairs(pricesOf(evidence), limits).map(({ part, from, to, limit }) => ({
      part,
      value: proportionText(absolute(subtract(to, from)), HUNDRED, from),
      limit: percentText(limit),
      unit: '%',
    })),
};

const GAP_TEXTS = {
  tick: 'two prices within a second of the last minute,',
  mark_gap: 'last price and mark price',
} as const;

interface PricePair {
  readonly part: keyof typeof GAP_TEXTS;
  readonly from: Price;
  readonly to: Price;
  readonly limit: Ratio;
}

/** Prices of a symbol, as far as they are known. */
export interface ComparedPrices {
  readonly jump: PriceJump | undefined;
  readonly last: Price | undefined;
  readonly mark: Price | undefined;
  readonly markAgeMs: number | undefined;
}

const pricesOf = ({ entry, last, mark, markAgeMs }: Evidence): ComparedPrices =>
  entry === undefined ? NO_PRICES : { jump: entry.priceJump, last, mark, markAgeMs };

const NO_PRICES: ComparedPrices = {
  jump: undefined,
  last: undefined,
  mark: undefined,
  markAgeMs: undefined,
};

/** Why entries must not trade on these prices (R38); undefined: they may. */
export function priceJumpBreach(prices: ComparedPrices, limits: RiskLimits): Breach | undefined {
  const found = pairs(prices, limits).find(({ from, to, limit }) => isBeyond(from, to, limit));
  if (found === undefined) return undefined;
  const { part, from, to, limit } = found;
  return breach(
    () =>
      `${GAP_TEXTS[part]} ${textFromFixed(from)} and ${textFromFixed(to)} are more than ${percentText(limit)} % apart`,
    () => ({ part, from: textFromFixed(from), to: textFromFixed(to), limit: textFromFixed(limit) }),
  );
}

function pairs(prices: ComparedPrices, limits: RiskLimits): readonly PricePair[] {
  const { jump, last, mark, markAgeMs } = prices;
  if (jump === undefined && mark === undefined) return NO_PAIRS;
  const { maxPriceJump, maxMarkGap } = limits.market;
  const isFresh = markAgeMs !== undefined && markAgeMs <= limits.maxReferencePriceAgeMs.entry;
  const found: PricePair[] = [];
  if (jump !== undefined) found.push({ part: 'tick', ...jump, limit: maxPriceJump });
  if (mark !== undefined && last !== undefined && isFresh)
    found.push({ part: 'mark_gap', from: last, to: mark, limit: maxMarkGap });
  return found;
}

const NO_PAIRS: readonly PricePair[] = [];

const isBeyond = (from: Price, to: Price, limit: Ratio): boolean =>
  compareProducts(absolute(subtract(to, from)), ONE, from, limit) > 0;

const percentText = (part: Ratio): string => productText(part, HUNDRED);

/**
 * R43: entries of a symbol pause while a minute of the last five had a range far above the average. With less
 * than 60 known minutes there is no average, and nothing is compared.
 */
export const volatility: Control = {
  id: 'R43',
  key: 'volatility_halt',
  clock: 'venue',
  class: 'self-clearing',
  judge: ({ entry }, limits) => volatilityBreach(entry?.volatility, limits),
  margins({ entry }, { market }) {
    const ratio = entry?.volatility;
    if (ratio === undefined) return [];
    return [{ value: textFromFixed(ratio), limit: textFromFixed(market.maxVolatility), unit: 'x' }];
  },
};

/** Why entries must not trade in this market (R43). @param ratio undefined: not known */
export function volatilityBreach(
  ratio: Ratio | undefined,
  { market }: RiskLimits,
): Breach | undefined {
  if (ratio === undefined || isAtMost(ratio, market.maxVolatility)) return undefined;
  const numbers = { value: textFromFixed(ratio), limit: textFromFixed(market.maxVolatility) };
  return breach(
    () =>
      `a minute of the last five had ${numbers.value} times the average range of an hour, limit ${numbers.limit}`,
    () => numbers,
  );
}

/**
 * R41: funding that an entry would pay at a settlement within 60 s. Where the venue or the mode gives no rate,
 * nothing is compared: funding is a cost, no danger.
 */
export const fundingGuard: Control = {
  id: 'R41',
  key: 'funding_guard',
  clock: 'venue',
  class: 'self-clearing',
  judge: (evidence, { market }) => fundingBreach(evidence, market.fundingBps.refuse),
  margins(evidence, { market }): readonly Margin[] {
    const cost = fundingCost(evidence);
    if (cost === undefined) return [];
    const limit = textFromFixed(market.fundingBps.refuse);
    return [{ value: productText(cost, WHOLE_BPS), limit, unit: 'bps' }];
  },
};

/** Why an order that passes deserves a warning; undefined: it does not. */
export const fundingWarning = (evidence: Evidence, { market }: RiskLimits): Breach | undefined =>
  fundingBreach(evidence, market.fundingBps.warn);

function fundingBreach(evidence: Evidence, limitBps: Ratio): Breach | undefined {
  const cost = fundingCost(evidence);
  if (cost === undefined || compareProducts(cost, WHOLE_BPS, limitBps, ONE) <= 0) return undefined;
  const bps = productText(cost, WHOLE_BPS);
  return breach(
    () =>
      `the next funding, within ${FUNDING_LEAD_MS / 1_000} s, costs ${bps} bps, limit ${textFromFixed(limitBps)} bps`,
    () => ({ cost_bps: bps, limit_bps: textFromFixed(limitBps) }),
  );
}

/** Fraction of the order's value, above 0; undefined: it pays none soon. */
function fundingCost({ entry, intent, venueTime }: Evidence): Ratio | undefined {
  const next = entry?.funding;
  if (next === undefined) return undefined;
  const waitMs = next.nextSettlementMs - venueTime;
  if (waitMs < 0 || waitMs > FUNDING_LEAD_MS) return undefined;
  const cost = withSign(sideSign(intent.terms.side), next.rate);
  return sign(cost) > 0 ? cost : undefined;
}
