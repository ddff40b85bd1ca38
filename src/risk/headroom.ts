import type { Currency } from '../core/currency.js';
import {
  isGreater,
  numberFromFixed,
  textFromFixed,
  type Fixed,
  type Price,
  type Quantity,
} from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';
import { equityUsdt } from './evidence.js';
import type { GateFacts } from './facts.js';
import type { RiskLimits } from './limits/risk-limits.js';

/**
 * Allowed price move between the sizing of an order and the gate's check at send time, as a factor. A size
 * that fills a limit exactly would be refused at the next tick.
 */
export const PRICE_ALLOWANCE = 1.01;

/** The position for which headroom is requested. */
export interface RiskHeadroomQuery {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  /** Highest possible price at the fill, USDT. The last price counts where it is higher. */
  readonly price: Price;
  /** Signed quantity that the strategy holds already; 0 for an order on top of it. */
  readonly held: Quantity;
}

/** Largest position of one side within the limits, `held` included. */
export interface RiskHeadroom {
  /** Base units, at least 0. */
  readonly units: number;
  /** The binding limit: "max_order_notional_usdt 500 USDT". */
  readonly limit: string;
}

type RiskHeadroomFacts = Pick<GateFacts, 'exposure' | 'lastPrice' | 'equity' | 'hedgeRate'>;

/**
 * Headroom under R01, R02 and R12, from the same facts as the gate's check, less `PRICE_ALLOWANCE`. Sizes
 * are capped with it; the gate still checks the resulting orders.
 * @returns undefined while a fact is not known: the gate then refuses
 */
export function headroomOf(
  query: RiskHeadroomQuery,
  facts: RiskHeadroomFacts,
  limits: RiskLimits,
): RiskHeadroom | undefined {
  const { symbol, currency } = query;
  const equity = equityUsdt(currency, facts);
  if (equity === undefined) return undefined;
  const last = facts.lastPrice(symbol);
  const worst = last !== undefined && isGreater(last, query.price) ? last : query.price;
  const price = numberFromFixed(worst) * PRICE_ALLOWANCE;
  const { ofOrder, ofPosition } = bases(query, facts);
  const headrooms = notionalLimits(limits, numberFromFixed(equity)).map(({ of, usdt, limit }) => {
    const base = of === 'order' ? ofOrder : ofPosition;
    return { units: base + usdt / price, limit };
  });
  const quantity = limits.maxOrderQuantity.get(symbol);
  if (quantity !== undefined) {
    const limit = `max_order_qty ${textFromFixed(quantity)} ${symbol}`;
    headrooms.push({ units: ofOrder + numberFromFixed(quantity), limit });
  }
  const least = headrooms.reduce((a, b) => (b.units < a.units ? b : a));
  return { ...least, units: Math.max(0, least.units) };
}

/**
 * Quantities to add to the limits' headroom, in base units: for the order, the quantity held on its side; for
 * the position, that quantity less the worst position, which is at least flat.
 */
function bases(
  { symbol, currency, side, held }: RiskHeadroomQuery,
  { exposure }: RiskHeadroomFacts,
) {
  const { maxPosition, minPosition } = exposure.of(symbol, currency);
  const own = Math.max(0, numberFromFixed(held) * (side === 'buy' ? 1 : -1));
  const worstPosition =
    numberFromFixed(side === 'buy' ? maxPosition : minPosition) * (side === 'buy' ? 1 : -1);
  return { ofOrder: own, ofPosition: own - worstPosition };
}

/** One limit of notional, in USDT. */
export interface NotionalLimit {
  readonly of: 'order' | 'position';
  /** Key in the `risk:` block and value, for people. */
  readonly limit: string;
  /** Path below `risk`. */
  readonly key: readonly string[];
  readonly usdt: number;
}

/** The limits of R01 and R12 at an equity in USDT. */
export function notionalLimits(limits: RiskLimits, equity: number): readonly NotionalLimit[] {
  const amount = (of: NotionalLimit['of'], key: readonly string[], usdt: Fixed): NotionalLimit => ({
    of,
    key,
    limit: `${key.join('.')} ${textFromFixed(usdt)} USDT`,
    usdt: numberFromFixed(usdt),
  });
  const share = (of: NotionalLimit['of'], key: readonly string[], part: Fixed): NotionalLimit => ({
    of,
    key,
    limit: `${key.join('.')} ${percentText(part)} %`,
    usdt: equity * numberFromFixed(part),
  });
  return [
    amount('order', ['max_order_notional_usdt'], limits.maxOrderNotional),
    share('order', ['max_order_notional_pct_equity'], limits.maxOrderNotionalShare),
    amount('position', ['max_position_notional', 'usdt'], limits.maxPositionNotional),
    share('position', ['max_position_notional', 'pct_equity'], limits.maxPositionNotionalShare),
  ];
}

const percentText = (part: Fixed): string =>
  String(Number((numberFromFixed(part) * 100).toPrecision(12)));
