import type { Engine } from '../../../../src/engine/engine.js';
import { isCollision } from './collision.js';
import { isFenceOrder } from './fence-order.js';
import { exitsLeave } from './exits-leave.js';
import { lacksLeverage } from './no-leverage.js';
import {
  fixedFromText,
  isGreater,
  subtract,
  textFromFixed,
  withSign,
  ZERO,
  numberFromFixed,
  type Quantity,
} from '../../../../src/core/fixed/fixed.js';
import { sideSign } from '../../../../src/core/order.js';
import type { OwnOrder } from '../../../../src/execution/order/own-order.js';
import type { KnownOrder } from '../../../../src/execution/order/past-orders.js';
import { isOpenToProof, isPast } from '../known-order.js';
import type { ReceivedResponse, Check } from '../watcher.js';
import { TRADED } from '../sim-config.js';
import type { SimWorld } from '../world.js';
import { scaledOf } from '../../../support/builders/scaled.js';

/** One decision, whatever ids its orders had. */
const intentKeyOf = (world: SimWorld, clientOrderId: string): string => {
  const intent = world.intents.get(clientOrderId);
  if (intent === undefined) return clientOrderId;
  return `${String(intent['strategyId'])} ${String(intent['decisionKey'])} ${String(intent['leg'])}`;
};

export const atMostOnce: Check = {
  id: 'P1',
  name: 'AtMostOnce',
  watch(world) {
    const orderOf = new Map<string, string>();
    return {
      onVenueEvent(event) {
        if (event.kind !== 'order' || !world.isOurs(event.order.clientOrderId)) return undefined;
        const key = intentKeyOf(world, event.order.clientOrderId);
        const known = orderOf.get(key);
        orderOf.set(key, event.order.orderId);
        if (known === undefined || known === event.order.orderId) return undefined;
        return `${key} has two orders: ${known} and ${event.order.orderId}`;
      },
    };
  },
};

/**
 * An id leaves again only on evidence that what left before made nothing: a JSON 404 to a lookup of it,
 * an answer that this attempt did nothing, or proof that it never left (reliability 0.1, 0.8).
 */
export const evidenceFirst: Check = {
  id: 'P1',
  name: 'EvidenceFirst',
  watch() {
    /** Sends of an id that nothing has cleared; the sequence of the last. */
    const open = new Map<string, { count: number; last: number }>();
    return {
      onSend({ isPlace, clientOrderId = '', sequence }) {
        if (!isPlace) return undefined;
        const { count = 0 } = open.get(clientOrderId) ?? {};
        open.set(clientOrderId, { count: count + 1, last: sequence });
        return count === 0 ? undefined : `${clientOrderId} left again, and may be there already`;
      },
      onResponse({ isPlace, clientOrderId = '', path, sequence, response }) {
        const sends = open.get(clientOrderId);
        if (sends === undefined || response === undefined) return undefined;
        if (isPlace && madeNothing(response)) sends.count = Math.max(0, sends.count - 1);
        const isOrderQuery = path.endsWith('/orders/detail') && sequence > sends.last;
        if (isOrderQuery && response.status === 404 && response.body.startsWith('{'))
          sends.count = 0;
        return undefined;
      },
    };
  },
};

const madeNothing = ({ sent, status, body }: ReceivedResponse): boolean =>
  !sent || ((status === 423 || status === 429) && body.startsWith('{'));

/** A late landing may be this old, in quiet, before the bot must know of it. */
const KNOWN_WITHIN_MS = 60_000;

export const noLostOrder: Check = {
  id: 'P2',
  name: 'NoLostOrder',
  watch: (world) => ({
    onVenueEvent(event) {
      if (event.kind !== 'order' || !world.isOurs(event.order.clientOrderId)) return undefined;
      if (world.intents.has(event.order.clientOrderId)) return undefined;
      return `the venue has ${event.order.clientOrderId}, which no durable intent explains`;
    },
    onQuiet() {
      const { bot, time } = world;
      if (bot === undefined || time.monotonicMs() < KNOWN_WITHIN_MS) return undefined;
      for (const clientOrderId of world.acceptedOrders.keys()) {
        const order = bot.engine.ledger.known(clientOrderId);
        const isKnown = order !== undefined && (isPast(order) || order.orderId !== undefined);
        if (!isKnown && !isCollision(world))
          return `${clientOrderId} landed, and the bot says ${order?.state ?? 'nothing'}`;
      }
      return undefined;
    },
  }),
};

export const noPhantomPosition: Check = {
  id: 'P3',
  name: 'NoPhantom',
  watch: (world) => ({
    onQuiet() {
      const { bot, sandbox } = world;
      if (bot === undefined) return 'no bot runs after faults have ended';
      if (isCollision(world)) return undefined;
      for (const symbol of TRADED) {
        const believed = bot.engine.positions.quantity(symbol, 'USDT');
        const real = sandbox.exchange.quantity(symbol, 'USDT');
        if (believed !== real)
          return `${symbol}: believed ${textFromFixed(believed)}, at the venue ${textFromFixed(real)}`;
      }
      return undefined;
    },
  }),
};

/**
 * What may still land, or fill, is reserved: each order of ours that is open at the venue, or whose
 * bytes are on the way, is active in the books of the process that runs, with no less left than there;
 * and what the gate counts of a symbol has room for all of them at once, whichever land.
 */
export const unknownReserved: Check = {
  id: 'P4',
  name: 'UnknownReserved',
  watch(world) {
    /** Ids whose place may yet reach the venue. */
    const onTheWay = new Set<string>();
    const missing = (clientOrderId: string): string | undefined => {
      const order = world.bot?.engine.ledger.known(clientOrderId);
      if (order === undefined) return `${clientOrderId} is not in the books`;
      if (order.ended) return `${clientOrderId} counts as ${order.state}`;
      const real = world.order(clientOrderId)?.filledQuantity ?? ZERO;
      if (isGreater(order.filledQuantity, real))
        return `${clientOrderId} counts as filled by more than it is`;
      return undefined;
    };
    return {
      onSend(sent) {
        if (sent.isPlace && sent.clientOrderId !== undefined) onTheWay.add(sent.clientOrderId);
        return undefined;
      },
      onSettled() {
        const { bot, sandbox } = world;
        if (bot === undefined || bot.failure !== undefined) return undefined;
        for (const clientOrderId of onTheWay) {
          const order = world.order(clientOrderId);
          if (order === undefined && !world.mayLand(clientOrderId)) {
            onTheWay.delete(clientOrderId);
            continue;
          }
          if (order?.endedAt !== undefined) {
            onTheWay.delete(clientOrderId);
            continue;
          }
          const fault = missing(clientOrderId);
          if (fault !== undefined && sandbox !== undefined)
            return `${fault}, but it ${order === undefined ? 'may still land' : `is ${order.status}`}`;
        }
        return narrowest(world, onTheWay);
      },
    };
  },
};

/** A symbol whose orders may open more, all landed, than the gate has room for on that side. */
function narrowest(world: SimWorld, onTheWay: ReadonlySet<string>): string | undefined {
  const { engine } = world.bot ?? {};
  if (engine === undefined) return undefined;
  const opens = new Map<string, { buy: number; sell: number }>();
  for (const clientOrderId of onTheWay) {
    const order = engine.ledger.byClientOrderId(clientOrderId);
    const terms = world.intents.get(clientOrderId)?.['terms'] as WrittenTerms | undefined;
    if (order === undefined || terms === undefined || terms.reduceOnly || order.isFence) continue;
    const sums = opens.get(terms.symbol) ?? { buy: 0, sell: 0 };
    sums[terms.side] += scaledOf(subtract(fixedFromText(terms.quantity), order.filledQuantity));
    opens.set(terms.symbol, sums);
  }
  for (const [symbol, { buy, sell }] of opens) {
    const { position, maxPosition, minPosition } = engine.facts.exposure.of(symbol, 'USDT');
    if (subtract(maxPosition, position) < buy)
      return `${symbol}: ${buy} may be bought, ${maxPosition} counts`;
    if (subtract(position, minPosition) < sell)
      return `${symbol}: ${sell} may be sold, ${minPosition} counts`;
  }
  return undefined;
}

/** As the journal has them. */
interface WrittenTerms {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly reduceOnly: boolean;
}

/** At most every ten seconds after the first six, for as long as an order is good: two minutes. */
const POSTS_PER_INTENT = 18;

export const outcomeTruth: Check = {
  id: 'P8',
  name: 'OutcomeTruth',
  watch: (world) => ({
    onQuiet() {
      const { bot } = world;
      if (bot === undefined) return undefined;
      for (const clientOrderId of world.intents.keys()) {
        const order = bot.engine.ledger.known(clientOrderId);
        const fault = order === undefined ? undefined : outcomeMismatch(world, order);
        if (fault !== undefined) return `${clientOrderId}: ${fault}`;
      }
      return undefined;
    },
  }),
};

function outcomeMismatch(world: SimWorld, order: KnownOrder): string | undefined {
  const real = world.order(order.clientOrderId);
  const { state } = order;
  const denied = state === 'rejected' || state === 'dropped' || state === 'burned';
  if (denied)
    return real === undefined ? undefined : `${state}, but the venue has it ${real.status}`;
  if (isOpenToProof(order)) return undefined;
  if (real === undefined) return `${state}, but the venue has no such order`;
  if (!isPast(order) && order.filledQuantity !== real.filledQuantity)
    return `filled ${order.filledQuantity}, at the venue ${real.filledQuantity}`;
  const isOver = real.endedAt !== undefined;
  if (isOver !== order.ended) return `${state}, at the venue ${real.status}`;
  if ((state === 'filled') !== (real.filledQuantity === real.quantity))
    return `${state}, at the venue ${real.status}`;
  return undefined;
}

export const exitsOnlyReduce: Check = {
  id: 'P9',
  name: 'ExitsOnlyReduce',
  watch(world) {
    /** By fills alone: several orders may fill at one tick, and the position shows the last of them. */
    const positions = new Map<string, number>();
    return {
      onVenueEvent(event) {
        if (event.kind !== 'fill' || event.order.currency !== 'USDT') return undefined;
        const { order, execution } = event;
        const { symbol, clientOrderId } = order;
        const was = positions.get(symbol) ?? 0;
        const sign = order.side === undefined ? -Math.sign(was) : sideSign(order.side);
        const is = was + sign * scaledOf(execution.quantity);
        positions.set(symbol, is);
        if (!world.isOurs(clientOrderId) || isFenceOrder(world, order)) return undefined;
        const terms = world.intents.get(clientOrderId)?.['terms'];
        if ((terms as { reduceOnly?: boolean } | undefined)?.reduceOnly !== true) return undefined;
        const reduced = Math.abs(is) <= Math.abs(was) && was * is >= 0;
        return reduced ? undefined : `an exit moved ${symbol} from ${was} to ${is}`;
      },
    };
  },
};

export const liveness: Check = {
  id: 'P17',
  name: 'Liveness',
  watch(world) {
    const posts = new Map<string, number>();
    /** Exits whose newest answer was a lock or a limit: a matter of moments. */
    const delayed = new Set<string>();
    /** Nothing has been traded in this life: what an earlier one left waits until all is known. */
    let isStarting = true;
    return {
      onResponse({ isPlace, clientOrderId = '', body, response }) {
        if (!isPlace || !body.includes('"reduce_only":true')) return undefined;
        const isForNow = response !== undefined && response.sent && madeNothing(response);
        if (isForNow) delayed.add(clientOrderId);
        else delayed.delete(clientOrderId);
        return undefined;
      },
      onSend(sent) {
        const { isPlace, clientOrderId = '', body } = sent;
        // An exit has no age, and a fence is tried until it stands.
        if (!isPlace || world.isFence(sent) || body.includes('"reduce_only":true'))
          return undefined;
        const count = (posts.get(clientOrderId) ?? 0) + 1;
        posts.set(clientOrderId, count);
        return count > POSTS_PER_INTENT ? `${clientOrderId} was sent ${count} times` : undefined;
      },
      /** That we do not know yet is a reason to wait, not to give up what is still good. */
      onRecord({ type, clientOrderId = '', ...line }) {
        if (type === 'dropped') delayed.delete(clientOrderId);
        if (type === 'mode') isStarting = line['to'] !== 'TRADING' && isStarting;
        if (type === 'mode' && line['from'] === 'STARTING') isStarting = true;
        const isMode = /STARTING|RECONCILING/.test(String(line['reason']));
        const isDropped = type === 'dropped' && isStarting && isMode;
        return isDropped ? `${clientOrderId} was given up: ${String(line['reason'])}` : undefined;
      },
      onQuiet() {
        const { bot } = world;
        if (bot === undefined) return 'no bot runs after faults have ended';
        const { engine } = bot;
        if (isCollision(world)) return undefined;
        const isKilled =
          world.kill !== undefined && ['REDUCE_ONLY', 'CANCEL_ONLY'].includes(engine.mode);
        const isCanceled = engine.killLevel === 'cancel';
        const isExcused = isHeldByUnknown(world, engine) || isLatched(world, engine);
        if (engine.mode !== 'TRADING' && !isKilled && !isExcused)
          return `mode ${engine.mode}: ${stopText(engine)}`;
        for (const id of delayed)
          if (engine.ledger.byClientOrderId(id)?.state === 'rejected')
            return `${id} only reduces, and was given up for a lock`;
        for (const order of engine.ledger.allOpenOrders()) {
          const { state, clientOrderId, cancelState } = order;
          // Kill level `cancel` lets no fence leave: what it leaves unknown stays listed.
          if (state === 'quarantined' && (mayStayUnknown(world, order) || isCanceled)) continue;
          const rests = state === 'accepted' && order.terms.type === 'limit' && order.active;
          if (rests && cancelState === 'none') continue;
          return `${clientOrderId} is still ${state}, cancel ${cancelState}`;
        }
        return undefined;
      },
    };
  },
};

/** No person resumes it. */
const isLatched = ({ plan }: SimWorld, { restrictions }: Engine): boolean =>
  !plan.isAttended &&
  restrictions.some((each) => each.class === 'latching' && each.symbol === undefined);

/** As many orders as the limit of R23 have an unknown outcome, and only a person can end them. */
const isHeldByUnknown = (world: SimWorld, { mode, restrictions, ledger }: Engine): boolean => {
  const held = restrictions.filter(({ symbol }) => symbol === undefined);
  if (mode !== 'REDUCE_ONLY' || held.some(({ control }) => control !== 'R23')) return false;
  const unknown = [...ledger.allOpenOrders()].filter(
    (order) => order.state === 'quarantined' && mayStayUnknown(world, order),
  );
  return unknown.length >= MAX_UNKNOWN;
};

/** `unknown_intents.account` of every preset. */
const MAX_UNKNOWN = 3;

const stopText = ({ haltReason, restrictions }: Engine): string =>
  haltReason ?? restrictions.map(({ control, cause }) => `${control}: ${cause}`).join('; ');

/** Where no fence is possible, or another's order has the id, nobody but a person can end it. */
const mayStayUnknown = (
  world: SimWorld,
  { clientOrderId, fenceRefusal, conflictSeen }: OwnOrder,
): boolean =>
  fenceRefusal !== undefined ||
  // The id is used up, and rows of others look like its order.
  conflictSeen ||
  world.forged.size > 0 ||
  world.order(clientOrderId) !== undefined;

/**
 * The venue is well, and each reduction that was wanted is done: what a strategy wanted last is flat, or
 * the other side, and its position is not on the side that it was to leave.
 */
export const reductionsDone: Check = {
  id: 'P35',
  name: 'ReductionsDone',
  watch(world) {
    const targets = new Map<string, { readonly desired?: string; readonly held?: string }>();
    return {
      onRecord(line) {
        const persisted = line['kept'] as
          { readonly key: string; readonly value: string } | undefined;
        if (line.type !== 'state' || persisted?.key.startsWith('target:') !== true)
          return undefined;
        targets.set(persisted.key.slice('target:'.length), JSON.parse(persisted.value) as object);
        return undefined;
      },
      onQuiet() {
        const { bot } = world;
        if (bot === undefined || isCollision(world) || !exitsLeave(bot.engine)) return undefined;
        if (lacksLeverage(world)) return undefined;
        for (const [symbol, { desired, held }] of targets) {
          if (desired === undefined || held !== undefined) continue;
          const own = bot.engine.positions.ownQuantity(symbol, 'USDT');
          const desiredQuantity = fixedFromText(desired);
          if (isDust(world, symbol, own)) continue;
          if (own !== 0 && (desiredQuantity === 0 || desiredQuantity > 0 !== own > 0))
            return `${symbol}: ${desired} is wanted, and ${textFromFixed(own)} stays open`;
        }
        return undefined;
      },
    };
  },
};

/** Too little for the venue to take an order for it, where it holds exits to its minimum. */
function isDust(world: SimWorld, symbol: string, quantity: Quantity): boolean {
  const last = world.sandbox.exchange.prices(symbol)?.last;
  const least = world.bot?.engine.instruments.get(symbol)?.minNotional;
  if (last === undefined || least === undefined) return false;
  return Math.abs(numberFromFixed(quantity)) * numberFromFixed(last) < numberFromFixed(least);
}

/** Sum of our own fills of a symbol. `filled` holds each order's part by its key, after it has left the memory too. */
function ownFills(world: SimWorld, symbol: string, filled: Map<number, number>): number {
  for (const { key, terms, filledQuantity } of world.bot?.engine.ledger.all ?? [])
    if (terms.symbol === symbol)
      filled.set(key, scaledOf(withSign(terms.side === 'buy' ? 1 : -1, filledQuantity)));
  let sum = 0;
  for (const quantity of filled.values()) sum += quantity;
  return sum;
}

/** Without a fill of ours, a position goes to nothing in the books only where it did at the venue. */
export const flatNeedsEvidence: Check = {
  id: 'P28',
  name: 'FlatNeedsEvidence',
  watch(world) {
    const believed = new Map<string, { readonly quantity: number; readonly fills: number }>();
    /** By symbol and key of an order: those that have left the memory too. */
    const filled = new Map(TRADED.map((symbol) => [symbol, new Map<number, number>()]));
    let runNumber = 0;
    let hasStarted = false;
    return {
      onSettled() {
        const { bot, sandbox } = world;
        if (bot === undefined) return undefined;
        if (world.runCount !== runNumber) {
          runNumber = world.runCount;
          hasStarted = false;
          believed.clear();
          for (const orders of filled.values()) orders.clear();
        }
        const begins = !hasStarted && bot.engine.mode === 'TRADING';
        hasStarted ||= begins;
        for (const symbol of TRADED) {
          if (begins && isFlatForNothing(world, symbol))
            return `${symbol} is flat to a start, and ${sandbox.exchange.quantity(symbol, 'USDT')} at the venue`;
          const quantity = scaledOf(bot.engine.positions.quantity(symbol, 'USDT'));
          const before = believed.get(symbol) ?? { quantity: 0, fills: 0 };
          if (quantity === before.quantity) continue;
          const fills = ownFills(world, symbol, filled.get(symbol) ?? new Map());
          believed.set(symbol, { quantity, fills });
          if (quantity !== 0 || fills !== before.fills) continue;
          const real = sandbox.exchange.quantity(symbol, 'USDT');
          if (real !== 0 && !world.wasRecently(symbol, 0))
            return `${symbol} went to flat in the books, and is ${real} at the venue`;
        }
        return undefined;
      },
    };
  },
};

/** Believed flat, though the venue has something and did not lately have nothing. */
function isFlatForNothing(world: SimWorld, symbol: string): boolean {
  const { positions, ledger } = world.bot?.engine ?? {};
  if (positions?.quantity(symbol, 'USDT') !== 0) return false;
  const mayBeUnreported = [...(ledger?.openOrders(symbol, 'USDT') ?? [])].length > 0;
  const real = world.sandbox.exchange.quantity(symbol, 'USDT');
  return real !== 0 && !mayBeUnreported && !world.wasRecently(symbol, 0);
}
