import {
  divideProduct,
  fixedFromProduct,
  fixedFromText,
  isAtMost,
  isLess,
  multiplyExact,
  negate,
  ONE,
  ONE_IN_UNITS,
  smaller,
  textFromFixed,
  unitsOf,
  type Price,
  type Quantity,
  type Ratio,
  type Usdt,
} from '../../core/fixed/fixed.js';
import { largest, NO_BOOKS } from '../book-totals.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { ExposureLimits } from '../limits/exposure-limits.js';
import { compareProducts } from '../product-text.js';

/** Of balance + locked; the rest stays free for fees and funding under any limit. */
export const MOST_MARGIN: Ratio = fixedFromText('0.95');

/**
 * R13: notional of the worst positions of all symbols of a currency. `gross`: the larger side of each. `net`:
 * the side of the order in each, so that a long offsets a short. An order on the smaller side of its book adds
 * nothing to the gross exposure.
 */
export const accountExposure: Control = {
  id: 'R13',
  key: 'max_gross_exposure_pct',
  clock: 'none',
  class: 'reject',
  judge(evidence, { exposure }) {
    if (!adds(evidence)) return undefined;
    const missing = missingPrice(evidence);
    if (missing !== undefined) return missing;
    const { equityUsdt } = evidence;
    if (equityUsdt === undefined) {
      return missingData(`${evidence.intent.terms.currency} equity`);
    }
    if (isWithinAlone(evidence, equityUsdt, exposure)) return undefined;
    const found = sums(evidence, equityUsdt, exposure).find(({ value, limit }) => value > limit);
    if (found === undefined) return undefined;
    const [value, limit] = [usdtText(found.value), usdtText(found.limit)];
    return breach(
      () => `${found.part} exposure of the worst positions ${value} is above ${limit} USDT`,
      () => ({ part: found.part, value, limit }),
    );
  },
  margins(evidence, { exposure }): readonly Margin[] {
    const { equityUsdt } = evidence;
    if (!adds(evidence) || missingPrice(evidence) !== undefined || equityUsdt === undefined) {
      return [];
    }
    return sums(evidence, equityUsdt, exposure).map(({ part, value, limit }) => ({
      part,
      value: usdtText(value),
      limit: usdtText(limit),
      unit: 'USDT',
    }));
  },
};

/**
 * R14: margin of all worst positions of a currency, their notional ÷ leverage, as a share of balance + locked.
 * Where the leverage of another symbol is not known, its whole notional counts.
 */
export const marginUtilisation: Control = {
  id: 'R14',
  key: 'max_margin_utilisation_pct',
  clock: 'none',
  class: 'reject',
  judge(evidence, { exposure }) {
    if (!addsToLarger(evidence)) return undefined;
    const missing = missingPrice(evidence) ?? missingMargin(evidence);
    if (missing !== undefined) return missing;
    if (isNotionalWithinMargin(evidence, exposure)) return undefined;
    const { value, limit } = margin(evidence, exposure);
    if (value <= limit) return undefined;
    const [text, limitText] = [usdtText(value), usdtText(limit)];
    return breach(
      () => `margin of the worst positions ${text} is above ${limitText} USDT`,
      () => ({ value: text, limit: limitText }),
    );
  },
  margins(evidence, { exposure }): readonly Margin[] {
    if (
      !addsToLarger(evidence) ||
      (missingPrice(evidence) ?? missingMargin(evidence)) !== undefined
    ) {
      return [];
    }
    const { value, limit } = margin(evidence, exposure);
    return [{ value: usdtText(value), limit: usdtText(limit), unit: 'USDT' }];
  },
};

/** The order can open or enlarge a position of its side. */
const adds = (evidence: Evidence): boolean => !evidence.isExit && ownSide(evidence) > 0;

/** The order can enlarge the larger side of its book, which gross exposure and margin count. */
export const addsToLarger = (evidence: Evidence): boolean =>
  adds(evidence) && isAtMost(largest(evidence), ownSide(evidence));

const ownSide = ({ intent, maxPosition, minPosition }: Evidence): Quantity =>
  intent.terms.side === 'buy' ? maxPosition : negate(minPosition);

function missingPrice({ worstPrice, entry, intent }: Evidence): Breach | undefined {
  if (worstPrice === undefined) return missingData(`price of ${intent.terms.symbol}`);
  const unpriced = entry?.others.unpriced;
  return unpriced === undefined ? undefined : missingData(`price of ${unpriced}`);
}

function missingMargin({ leverage, entry, intent }: Evidence): Breach | undefined {
  const { symbol, currency } = intent.terms;
  if (leverage === undefined || leverage <= 0) return missingData(`leverage of ${symbol}`);
  return entry?.walletUsdt === undefined ? missingData(`${currency} wallet`) : undefined;
}

interface Book {
  readonly maxPosition: Quantity;
  readonly minPosition: Quantity;
  readonly leverage: Ratio | undefined;
}

/** After `missingPrice`: each book with its price, that of the order first. No list is built, as there may be many. */
function forEachBook(evidence: Evidence, visit: (book: Book, price: Price) => void): void {
  const { worstPrice, entry } = evidence;
  if (worstPrice !== undefined) visit(evidence, worstPrice);
  for (const book of entry?.others.books ?? [])
    if (book.price !== undefined) visit(book, book.price);
}

/** Without other books one product decides, which costs a backtest little. */
function isWithinAlone(evidence: Evidence, equity: Usdt, limits: ExposureLimits): boolean {
  const { worstPrice, entry } = evidence;
  if (worstPrice === undefined || (entry?.others.books.length ?? 0) > 0) return false;
  const share = smaller(limits.maxGrossShare, limits.maxNetShare);
  return compareProducts(largest(evidence), worstPrice, equity, share) <= 0;
}

interface Sum {
  readonly part: 'gross' | 'net';
  /** 1e-36 USDT. */
  readonly value: bigint;
  readonly limit: bigint;
}

function sums(evidence: Evidence, equity: Usdt, limits: ExposureLimits): readonly Sum[] {
  const isBuy = evidence.intent.terms.side === 'buy';
  const { long, short } = evidence.entry?.others ?? NO_BOOKS;
  const own = notional(ownSide(evidence), evidence);
  const netSum: Sum = {
    part: 'net',
    value: own + (isBuy ? long : short),
    limit: multiplyExact(equity, limits.maxNetShare),
  };
  if (!addsToLarger(evidence)) return [netSum];
  const limit = multiplyExact(equity, limits.maxGrossShare);
  return [{ part: 'gross', value: gross(evidence), limit }, netSum];
}

/** At the worst price of the order, in 1e-36 USDT. */
const notional = (quantity: Quantity, { worstPrice }: Evidence): bigint =>
  worstPrice === undefined ? 0n : multiplyExact(quantity, worstPrice);

/** Of the larger sides of all books. */
const gross = (evidence: Evidence): bigint =>
  notional(largest(evidence), evidence) + (evidence.entry?.others ?? NO_BOOKS).gross;

/** Without leverage the margin is the notional: if that is within the limit, no division is needed. */
const isNotionalWithinMargin = (evidence: Evidence, limits: ExposureLimits): boolean =>
  !isLess(evidence.leverage ?? ONE, ONE) &&
  (evidence.entry?.others ?? NO_BOOKS).isAtLeastOneToOne &&
  gross(evidence) <= marginLimit(evidence, limits);

/** After `missingMargin`. In 1e-36 USDT. */
function margin(evidence: Evidence, limits: ExposureLimits) {
  let value = 0n;
  forEachBook(evidence, (book, price) => {
    value += marginOf(multiplyExact(largest(book), price), book.leverage);
  });
  return { value, limit: marginLimit(evidence, limits) };
}

function marginLimit({ entry }: Evidence, { maxMarginShare }: ExposureLimits): bigint {
  const wallet = entry?.walletUsdt;
  return wallet === undefined ? 0n : multiplyExact(wallet, smaller(maxMarginShare, MOST_MARGIN));
}

const marginOf = (notional: bigint, leverage: Ratio | undefined): bigint =>
  leverage === undefined || leverage <= 0
    ? notional
    : divideProduct(notional, ONE_IN_UNITS, unitsOf(leverage));

const usdtText = (product: bigint): string => textFromFixed(fixedFromProduct(product));
