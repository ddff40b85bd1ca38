import type { Currency } from '../core/currency.js';
import {
  isGreater,
  numberFromFixed,
  ONE,
  textFromFixed,
  type Fixed,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';
import {
  accountBounds,
  accountLoad,
  walletUsdt,
  type AccountLoad,
  type AccountLoadFacts,
} from './account-load.js';
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

type RiskHeadroomFacts = AccountLoadFacts & Pick<GateFacts, 'equity' | 'hedgeRate' | 'walletTotal'>;

/**
 * Headroom under R01, R02, R12, R13, R14 and R34, from the same facts as the gate's check, less `PRICE_ALLOWANCE`. Sizes
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
  const wallet = walletUsdt(currency, facts);
  const others = accountLoad(currency, facts, symbol);
  const leverage = facts.leverage(symbol, currency);
  if (equity === undefined || wallet === undefined) return undefined;
  if (others === undefined || leverage === undefined || leverage <= 0) return undefined;
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
  const bounds = accountBounds(limits, numberFromFixed(equity), wallet);
  headrooms.push(
    ...accountHeadrooms(query, facts, {
      price,
      leverage: numberFromFixed(leverage),
      others,
      bounds,
      limits,
      budget: budgetOf(query, facts, limits),
    }),
  );
  const least = headrooms.reduce((a, b) => (b.units < a.units ? b : a));
  return { ...least, units: Math.max(0, least.units) };
}

interface AccountInputs {
  readonly price: number;
  readonly leverage: number;
  /** Of the other symbols. */
  readonly others: AccountLoad;
  readonly bounds: ReturnType<typeof accountBounds>;
  readonly limits: RiskLimits;
  /** Of the strategy that owns the symbol; undefined: it may use everything. */
  readonly budget: OwnerBudget | undefined;
}

interface OwnerBudget {
  readonly id: string;
  readonly share: Ratio;
  /** Gross notional of its other symbols, USDT. */
  readonly gross: number;
}

/** Prices of all books are known by now. */
function budgetOf(
  { symbol, currency }: RiskHeadroomQuery,
  facts: RiskHeadroomFacts,
  { budgets }: RiskLimits,
): OwnerBudget | undefined {
  for (const [id, { share, symbols }] of budgets) {
    if (share === ONE || !symbols.has(symbol)) continue;
    return { id, share, gross: accountLoad(currency, facts, symbol, symbols)?.gross ?? 0 };
  }
  return undefined;
}

/** Headrooms under R13 and R14: what the other symbols leave, at prices that may move as far as this one's. */
function accountHeadrooms(
  query: RiskHeadroomQuery,
  { exposure }: RiskHeadroomFacts,
  { price, leverage, others, bounds, limits: { exposure: shares }, budget }: AccountInputs,
): RiskHeadroom[] {
  const { symbol, currency, side } = query;
  const { maxPosition, minPosition } = exposure.of(symbol, currency);
  const [own, opposite] = side === 'buy' ? [maxPosition, minPosition] : [minPosition, maxPosition];
  const held = Math.max(0, numberFromFixed(query.held) * (side === 'buy' ? 1 : -1));
  // Below the size of the other side an order adds nothing to gross exposure and margin.
  const free = Math.abs(numberFromFixed(opposite)) / PRICE_ALLOWANCE;
  const left = (bound: number, used: number): number => (bound - used * PRICE_ALLOWANCE) / price;
  const row = (key: string, share: Fixed, units: number): RiskHeadroom => ({
    limit: `${key} ${percentText(share)} %`,
    units: held - Math.abs(numberFromFixed(own)) + Math.max(0, units),
  });
  return [
    row(
      'max_gross_exposure_pct',
      shares.maxGrossShare,
      Math.max(free, left(bounds.gross, others.gross)),
    ),
    row('max_net_exposure_pct', shares.maxNetShare, left(bounds.net, others.net[side])),
    row(
      'max_margin_utilisation_pct',
      shares.maxMarginShare,
      Math.max(free, left(bounds.margin, others.margin) * leverage),
    ),
    ...(budget === undefined
      ? []
      : [
          row(
            `strategy_budget_pct.${budget.id}`,
            budget.share,
            Math.max(free, left(bounds.gross * numberFromFixed(budget.share), budget.gross)),
          ),
        ]),
  ];
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
