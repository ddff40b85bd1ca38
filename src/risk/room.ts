import type { Currency } from '../core/currency.js';
import {
  isMore,
  numberFromFixed,
  textFromFixed,
  type Fixed,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { Side } from '../core/order.js';
import { equityUsdt } from './evidence.js';
import type { GateFacts } from './facts.js';
import type { RiskLimits } from './limits.js';

/**
 * The most that a price may move between the sizing of an order and the gate's second look, as a factor. A
 * size that fills a limit to the last cent is refused at the next tick.
 */
export const PRICE_ALLOWANCE = 1.01;

/** Where a position may go. */
export interface RoomQuery {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  /** USDT: what a unit may be worth when it fills. The last price counts where it is higher. */
  readonly price: Price;
  /** The quantity that the strategy holds, signed. A resting order comes on top of everything: 0. */
  readonly held: Quantity;
}

/** The most that the limits leave for a position of one side, `held` among it. */
export interface Room {
  /** Base units, not below 0. */
  readonly units: number;
  /** The limit that binds: "max_order_notional_usdt 500 USDT". */
  readonly limit: string;
}

type RoomFacts = Pick<GateFacts, 'exposure' | 'lastPrice' | 'equity' | 'hedgeRate'>;

/**
 * The room that R01, R02 and R12 leave, by the same facts as the gate's judgement, less
 * `PRICE_ALLOWANCE`. Sizes are computed with it; the gate judges what comes of them as ever.
 * @returns undefined while something is not known: the gate refuses then
 */
export function roomOf(query: RoomQuery, facts: RoomFacts, limits: RiskLimits): Room | undefined {
  const { symbol, currency } = query;
  const equity = equityUsdt(currency, facts);
  if (equity === undefined) return undefined;
  const last = facts.lastPrice(symbol);
  const worst = last !== undefined && isMore(last, query.price) ? last : query.price;
  const price = numberFromFixed(worst) * PRICE_ALLOWANCE;
  const { ofOrder, ofPosition } = bases(query, facts);
  const rooms = notionalLimits(limits, numberFromFixed(equity)).map(({ of, usdt, limit }) => {
    const base = of === 'order' ? ofOrder : ofPosition;
    return { units: base + usdt / price, limit };
  });
  const quantity = limits.maxOrderQuantity.get(symbol);
  if (quantity !== undefined) {
    const limit = `max_order_qty ${textFromFixed(quantity)} ${symbol}`;
    rooms.push({ units: ofOrder + numberFromFixed(quantity), limit });
  }
  const least = rooms.reduce((a, b) => (b.units < a.units ? b : a));
  return { ...least, units: Math.max(0, least.units) };
}

/**
 * The quantities that an order and a position come on top of, in base units: for the order, the quantity
 * held on its side; for the position, the held quantity less every order that may still land on that side.
 */
function bases({ symbol, currency, side, held }: RoomQuery, { exposure }: RoomFacts) {
  const { longest, shortest } = exposure.of(symbol, currency);
  const own = numberFromFixed(held) * (side === 'buy' ? 1 : -1);
  const reach = numberFromFixed(side === 'buy' ? longest : shortest) * (side === 'buy' ? 1 : -1);
  return { ofOrder: Math.max(0, own), ofPosition: own - reach };
}

/** One limit of notional, in USDT. */
export interface NotionalLimit {
  readonly of: 'order' | 'position';
  /** The limit by its key in the `risk:` block, and its worth: for people. */
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
