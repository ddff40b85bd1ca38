import {
  absolute,
  fixedFromText,
  isGreater,
  numberFromFixed,
} from '../../../../src/core/fixed/fixed.js';
import { sideSign, type Side } from '../../../../src/core/order.js';
import type { ExchangeOrder } from '../../../../src/exchange/simulated-exchange.js';
import { configOf, TRADED } from '../sim-config.js';
import type { Check, Finding, Sent } from '../watcher.js';
import type { SimWorld } from '../world.js';

/** From the gate's price to the bytes: a message on its way, a write, and a pause of the process. Virtual ms. */
const PRICE_SLACK_MS = 10_000;
const PAUSED_SLACK_MS = 40_000;
/** Prices that are not the market's own: there is no record of them to look back on. */
const BENT = ['liq', 'sl_race', 'zero_ohlc'];
/** Floating point, of a product. */
const ROUNDING = 1 + 1e-9;

/** The venue's leverage changes under the bot's hands. */
const LEVERAGE_CHANGES = ['leverage_by_hand', 'lev_unset'];

interface LastEntry {
  /** Lowest price of the market, USDT, that the gate can have valued it at; undefined: not known. */
  readonly low: number | undefined;
}

/**
 * No limit on orders and positions is exceeded at the venue, by its own state. The gate values an order when it
 * leaves, at the last price it knows or at the limit price, whichever is higher. So the allowance for a price that
 * moves is this: a quantity counts at the lowest price of the market in the age limit of the last price before the
 * newest entry of that side left. What others open on the account is taken off.
 */
export const limitsHold: Check = {
  id: 'P5',
  name: 'LimitsHold',
  watch(world) {
    const { limits } = configOf(world.plan).riskSettings;
    const { kinds } = world.plan;
    const maxOrder = numberFromFixed(limits.maxOrderNotional);
    const maxPosition = numberFromFixed(limits.maxPositionNotional);
    const newest = new Map<string, LastEntry>();
    const external = new ExternalShare(world);
    const seen = new Set<string>();

    const onFill = (order: ExchangeOrder): Finding => {
      const { symbol, side = 'buy' } = order;
      const quantity = numberFromFixed(world.sandbox.exchange.quantity(symbol, 'USDT'));
      const low = newest.get(`${symbol} ${side}`)?.low;
      if (low === undefined || quantity * sideSign(side) <= 0) return undefined;
      const own = Math.abs(quantity) - external.of(symbol);
      return own * low > maxPosition * ROUNDING
        ? `${symbol}: ${own} at ${low} is worth more than ${maxPosition} USDT`
        : undefined;
    };
    const onAccepted = (order: ExchangeOrder): Finding => {
      const { leverage, clientOrderId } = order;
      const isOursToSay = !LEVERAGE_CHANGES.some((kind) => kinds.has(kind));
      if (isOursToSay && !order.reduceOnly && isGreater(leverage, limits.maxLeverage))
        return `${clientOrderId} opens at leverage ${numberFromFixed(leverage)}`;
      return order.type === 'market' ? undefined : tooMany(world, order.symbol, limits);
    };
    return {
      onSend(sent) {
        const entry = entryOf(world, sent);
        if (entry === undefined) return undefined;
        const low = lowestPrice(world, sent, entry.symbol, limits.maxReferencePriceAgeMs.entry);
        newest.set(`${entry.symbol} ${entry.side}`, { low });
        return low !== undefined && entry.quantity * low > maxOrder * ROUNDING
          ? `${sent.clientOrderId}: ${entry.quantity} at ${low} is worth more than ${maxOrder} USDT`
          : undefined;
      },
      onVenueEvent(event) {
        if (event.kind !== 'order' && event.kind !== 'fill') return undefined;
        if (event.kind === 'fill') external.onFill(event.order, event.execution.quantity);
        const { order } = event;
        if (!isOwnOrder(world, order)) return undefined;
        if (event.kind === 'fill') return order.reduceOnly ? undefined : onFill(order);
        if (seen.has(order.orderId)) return undefined;
        seen.add(order.orderId);
        return onAccepted(order);
      },
    };
  },
};

/** Of an order that a bot placed, and no fence. */
const isOwnOrder = (world: SimWorld, { clientOrderId, symbol }: ExchangeOrder): boolean =>
  world.isOurs(clientOrderId) &&
  TRADED.some((traded) => traded === symbol) &&
  !world.fences.has(clientOrderId);

function tooMany(
  world: SimWorld,
  symbol: string,
  {
    maxOpenOrders,
  }: { readonly maxOpenOrders: { readonly symbol: number; readonly account: number } },
): Finding {
  const open = world.sandbox.exchange
    .openOrders('USDT')
    .filter((order) => order.role === 'trade' && order.type === 'limit')
    .filter((order) => isOwnOrder(world, order));
  const ofSymbol = open.filter((order) => order.symbol === symbol);
  if (ofSymbol.length > maxOpenOrders.symbol)
    return `${symbol} has ${ofSymbol.length} open orders, not ${maxOpenOrders.symbol} at most`;
  return open.length > maxOpenOrders.account
    ? `${open.length} orders are open, not ${maxOpenOrders.account} at most`
    : undefined;
}

interface Entry {
  readonly symbol: string;
  readonly side: Side;
  /** Base units. */
  readonly quantity: number;
}

/** undefined: no place of an order that opens. */
function entryOf(world: SimWorld, sent: Sent): Entry | undefined {
  if (!sent.isPlace || sent.clientOrderId === undefined || world.isFence(sent)) return undefined;
  const terms = world.intents.get(sent.clientOrderId)?.['terms'] as
    { symbol: string; side: Side; quantity: string; reduceOnly: boolean } | undefined;
  if (terms === undefined || terms.reduceOnly) return undefined;
  return { ...terms, quantity: numberFromFixed(fixedFromText(terms.quantity)) };
}

/** @param maxAgeMs real ms for which the bot may use a price */
function lowestPrice(
  world: SimWorld,
  { venueMs }: Sent,
  symbol: string,
  maxAgeMs: number,
): number | undefined {
  const { kinds, factor } = world.plan;
  if (BENT.some((kind) => kinds.has(kind))) return undefined;
  const isPaused = kinds.has('sigstop') || kinds.has('loop_block');
  const backMs = (maxAgeMs + (isPaused ? PAUSED_SLACK_MS : PRICE_SLACK_MS)) * factor;
  return world.market.rangeCandle('last', symbol, venueMs - backMs, venueMs)?.low;
}

/** What others have opened of the present position of a symbol, base units. */
class ExternalShare {
  readonly #world: SimWorld;
  readonly #opened = new Map<string, number>();

  constructor(world: SimWorld) {
    this.#world = world;
  }

  of(symbol: string): number {
    return this.#opened.get(symbol) ?? 0;
  }

  onFill(order: ExchangeOrder, quantity: Parameters<typeof absolute>[0]): void {
    const position = this.#world.sandbox.exchange.quantity(order.symbol, 'USDT');
    if (position === 0) this.#opened.delete(order.symbol);
    else if (!order.reduceOnly && !isOwnOrder(this.#world, order))
      this.#opened.set(order.symbol, this.of(order.symbol) + numberFromFixed(absolute(quantity)));
  }
}
