import { namespaceOf } from '../../../src/core/ids.js';
import { sideSign, type Side } from '../../../src/core/order.js';
import type { ExchangeOrder } from '../../../src/exchange/simulated-exchange.js';
import type { Engine } from '../../../src/engine/engine.js';
import { MAX_LOCK_REFUSALS } from '../../../src/execution/constants.js';
import {
  intentOfRecord,
  type JournalRecord,
} from '../../../src/execution/journal/journal-record.js';
import { decisionKey } from '../../../src/core/intent.js';
import { ACCOUNT } from './walk-bot.js';
import { TRADED_SYMBOLS, type WalkExchange } from './walk-exchange.js';
import { LOCKED_TEXT } from './wire-responses.js';
import { absolute, sign, isAtMost } from '../../../src/core/fixed/fixed.js';
import { scaledOf } from '../../support/builders/scaled.js';

/** One order of ours as the exchange has it. */
interface OwnOrderFill {
  readonly symbol: string;
  readonly side: Side;
  filled: number;
}

/** The truth about one symbol. Quantities are signed, 1e-8. */
interface SymbolTruth {
  /** All that orders of ours have traded. */
  own: number;
  /** What others made of the position: 0, and each sum since. */
  readonly others: number[];
  /** What others opened, beyond anything of ours, and nobody has closed. */
  externalGrowth: number;
  /** Somebody else traded at the market just now: no list told of it. */
  isMarketTrade: boolean;
  /** An order of others rested here: what it explains halts nothing. */
  hasExternalLimit: boolean;
  /** An order of ours was not proved for a while: what others did may pass for its doing. */
  hasUnknownOrder: boolean;
  /** Others have taken off what may have been ours. */
  isReducedByOthers: boolean;
}

const PREFIX = `${namespaceOf(ACCOUNT)}-`;

/** Properties of reliability part 3, as far as one account shows them. @throws Error naming one */
export class WalkChecks {
  readonly #venue: WalkExchange;
  readonly #orders = new Map<string, OwnOrderFill>();
  readonly #truthBySymbol = new Map<string, SymbolTruth>();
  /** Decision and leg → the venue's order of it. */
  readonly #ordersByDecision = new Map<string, string>();
  /** Decisions and legs that have an intent, and whose each id is. */
  readonly #intents = new Set<string>();
  readonly #legOf = new Map<string, { readonly key: string; readonly reduceOnly: boolean }>();

  #engine: Engine | undefined;

  constructor(venue: WalkExchange) {
    this.#venue = venue;
    for (const symbol of TRADED_SYMBOLS)
      this.#truthBySymbol.set(symbol, {
        own: 0,
        others: [0],
        externalGrowth: 0,
        isMarketTrade: false,
        hasExternalLimit: false,
        hasUnknownOrder: false,
        isReducedByOthers: false,
      });
    venue.exchange.listen((event) => {
      if (event.kind === 'order') this.#onOrder(event.order);
      else if (event.kind === 'fill') this.#onFill(event.order, scaledOf(event.execution.quantity));
      if (event.kind !== 'fill' || this.#orders.has(event.order.clientOrderId ?? '')) return;
      const { symbol, role, type } = event.order;
      this.#truthOf(symbol).isMarketTrade = role === 'trade' && type === 'market';
      this.#truthOf(symbol).hasExternalLimit ||= role === 'trade' && type === 'limit';
    });
  }

  #truthOf(symbol: string): SymbolTruth {
    const truth = this.#truthBySymbol.get(symbol);
    if (truth === undefined) throw new Error(`nothing of ${symbol} is walked`);
    return truth;
  }

  // --- what the exchange does ----------------------------------------------------------------------

  #onOrder({ clientOrderId, orderId, role, symbol, side, type }: ExchangeOrder): void {
    if (role !== 'trade' || side === undefined) return;
    if (clientOrderId?.startsWith(PREFIX) !== true) {
      this.#truthOf(symbol).hasExternalLimit ||= type === 'limit';
      return;
    }
    if (!this.#orders.has(clientOrderId))
      this.#orders.set(clientOrderId, { symbol, side, filled: 0 });
    const { key } = this.#legOf.get(clientOrderId) ?? {};
    must(key !== undefined, `P2: the venue has ${clientOrderId}, which no intent explains`);
    const known = this.#ordersByDecision.get(key ?? '');
    this.#ordersByDecision.set(key ?? '', orderId);
    must(known === undefined || known === orderId, `P1: ${key} has two orders`);
  }

  #onFill({ clientOrderId, role, symbol, reduceOnly }: ExchangeOrder, quantity: number): void {
    const order = role === 'trade' ? this.#orders.get(clientOrderId ?? '') : undefined;
    if (order === undefined) return;
    const truth = this.#truthOf(symbol);
    const before = truth.own;
    const { low, high } = this.#unreportedFills(symbol);
    order.filled += quantity;
    truth.own += sideSign(order.side) * quantity;
    // Who was not told of an exit sends another; and whose what is left is hangs on who came first.
    const isMixed =
      truth.isReducedByOthers ||
      truth.hasExternalLimit ||
      truth.hasUnknownOrder ||
      truth.others.length > 2;
    if (!reduceOnly || isMixed || low !== 0 || high !== 0) return;
    const reduces = Math.abs(truth.own) <= Math.abs(before) && truth.own * before >= 0;
    must(reduces, `P25: an exit of ours took ${symbol} from ${before} of ours to ${truth.own}`);
  }

  /** After each step: what others have done since. */
  recordExternalChanges(): void {
    for (const [symbol, truth] of this.#truthBySymbol) {
      const real = this.#venue.exchange.quantity(symbol, 'USDT');
      const others = scaledOf(real) - truth.own;
      const before = truth.others.at(-1) ?? 0;
      // Theirs and ours are netted: whose the rest is hangs on who came first.
      if (truth.own * others < 0) truth.isReducedByOthers = true;
      if (
        absolute(real) < Math.abs(truth.externalGrowth) ||
        scaledOf(real) * truth.externalGrowth < 0
      )
        truth.externalGrowth = 0;
      if (others === before) continue;
      // A trade that takes a position to its other side closes it first.
      const was = truth.own + before;
      if (was * scaledOf(real) < 0) truth.others.push(-truth.own);
      truth.others.push(others);
      const adds = others - before;
      const { isMarketTrade } = truth;
      truth.isMarketTrade = false;
      if (Math.sign(adds) !== sign(real) || absolute(real) < Math.abs(adds))
        truth.isReducedByOthers = true;
      else if (isMarketTrade) truth.externalGrowth += adds;
    }
  }

  // --- what the bot does ---------------------------------------------------------------------------

  journaled(record: JournalRecord): void {
    if (record.type === 'intent') {
      const { strategyId, cause, ordinal, leg, terms } = intentOfRecord(record);
      const key = `${strategyId} ${decisionKey(cause, ordinal)} ${leg}`;
      this.#intents.add(key);
      this.#legOf.set(record.clientOrderId, { key, reduceOnly: terms.reduceOnly });
    } else if (record.type === 'verdict' && record.control === 'ONCE') {
      const key = `${record.strategyId} ${record.decisionKey} ${record.leg}`;
      must(this.#intents.has(key), `P17: ${key} is refused as done, and has no order`);
    } else if (record.type === 'dropped') this.#checkDropped(record.clientOrderId, record.reason);
  }

  /** A lock is a matter of moments: an exit outlasts it, and what opens does not give way at once (A7). */
  #checkDropped(clientOrderId: string, reason: string): void {
    if (!isLock(reason) || !this.#venue.locked.has(clientOrderId)) return;
    const isExit = this.#legOf.get(clientOrderId)?.reduceOnly === true;
    const locks = this.#venue.locks.get(clientOrderId) ?? 0;
    must(
      !isExit && locks >= MAX_LOCK_REFUSALS,
      `P17: ${clientOrderId} was given up for a lock: ${reason}`,
    );
  }

  /** The engine that lives, or lived last. What it finds under way is not proved. */
  attach(engine: Engine): void {
    this.#engine = engine;
    for (const { attempts, terms } of engine.ledger.allOpenOrders())
      if (attempts > 0) this.#truthOf(terms.symbol).hasUnknownOrder = true;
  }

  /** A bot that trades believes what is, but for what it was not told yet. */
  checkPositions(engine: Engine): void {
    for (const { unproved, terms } of engine.ledger.allOpenOrders())
      if (unproved) this.#truthOf(terms.symbol).hasUnknownOrder = true;
    if (engine.mode !== 'TRADING') return;
    for (const symbol of TRADED_SYMBOLS) {
      const { low, high } = this.#unreportedFills(symbol);
      const believed = engine.positions.quantity(symbol, 'USDT');
      const truth = this.#truthOf(symbol);
      const isReal = truth.others.some(
        (others) => believed >= truth.own + others - high && believed <= truth.own + others - low,
      );
      // While it sleeps, what others did may pass for what its orders did, until a list tells.
      if (isReal || (truth.hasUnknownOrder && truth.others.length > 1)) continue;
      const real = this.#venue.exchange.quantity(symbol, 'USDT');
      throw new Error(
        `P3: ${symbol} is believed to be ${believed}, and is ${real}: ${truth.own} ours ` +
          `(untold ${low} to ${high}), others ${truth.others.join(', ')}`,
      );
    }
    this.#checkOwnership(engine);
  }

  /** What nobody else has touched is ours, and stops nothing. */
  #checkOwnership(engine: Engine): void {
    for (const symbol of TRADED_SYMBOLS) {
      if (this.#truthOf(symbol).others.length > 1) continue;
      const external = engine.positions.externalQuantity(symbol, 'USDT');
      must(external === 0, `P25: ${external} of ${symbol} counts as not ours`);
      const halted = engine.halts.reason(symbol);
      must(halted === undefined, `P17: ${symbol} is halted, and nobody touched it: ${halted}`);
    }
  }

  /** Signed sums of fills that the books of the bot do not have yet. */
  #unreportedFills(symbol: string): { readonly low: number; readonly high: number } {
    const ledger = this.#engine?.ledger;
    let [low, high] = [0, 0];
    for (const [clientOrderId, order] of this.#orders) {
      if (order.symbol !== symbol || order.filled === 0) continue;
      const reported = ledger?.byClientOrderId(clientOrderId)?.filledQuantity ?? order.filled;
      const unreported = sideSign(order.side) * (order.filled - scaledOf(reported));
      if (unreported < 0) low += unreported;
      else high += unreported;
    }
    return { low, high };
  }

  // --- at the end ----------------------------------------------------------------------------------

  isDecided(engine: Engine): boolean {
    if (engine.mode !== 'TRADING' && !isStopped(engine)) return false;
    return this.#unsettled(engine) === undefined && this.#mismatch(engine) === undefined;
  }

  /** An order that nobody can find is watched for ever, with its room reserved. */
  #unsettled(engine: Engine): string | undefined {
    for (const { clientOrderId, state, terms, cancelState } of engine.ledger.allOpenOrders()) {
      const rests = state === 'accepted' && terms.type === 'limit' && cancelState === 'none';
      if (!rests && state !== 'quarantined') return `${clientOrderId} is still ${state}`;
    }
    return undefined;
  }

  #mismatch(engine: Engine): string | undefined {
    const symbol = TRADED_SYMBOLS.find(
      (each) =>
        engine.positions.quantity(each, 'USDT') !== this.#venue.exchange.quantity(each, 'USDT'),
    );
    return symbol;
  }

  /** Long after the faults. */
  checkEnd(engine: Engine): void {
    if (isStopped(engine) && this.#bothGrew) return;
    must(engine.mode === 'TRADING', `P17: mode ${engine.mode}: ${engine.haltReason ?? ''}`);
    const mismatch = this.#mismatch(engine);
    must(mismatch === undefined, `P3: ${mismatch} is believed to be another than it is`);
    const unsettled = this.#unsettled(engine);
    must(unsettled === undefined, `P17: ${unsettled}`);
    for (const [clientOrderId, { filled }] of this.#orders) {
      const reported = engine.ledger.byClientOrderId(clientOrderId)?.filledQuantity;
      must(
        reported === filled,
        `P8: ${clientOrderId} has traded ${filled}, and counts as ${reported}`,
      );
    }
    for (const symbol of TRADED_SYMBOLS) {
      const { externalGrowth, hasExternalLimit, hasUnknownOrder } = this.#truthOf(symbol);
      if (externalGrowth === 0 || hasExternalLimit || hasUnknownOrder) continue;
      const halted = engine.halts.reason(symbol) !== undefined;
      must(halted, `G16: ${symbol} grew by ${externalGrowth} that is not ours, and trades on`);
    }
  }

  /** Growth in two symbols halts the account. */
  get #bothGrew(): boolean {
    return [...this.#truthBySymbol.values()].every(({ others }) => others.length > 1);
  }

  /** After a flattening. */
  checkFlat(engine: Engine): void {
    if (engine.haltReason !== undefined) return;
    for (const symbol of TRADED_SYMBOLS) {
      const own = engine.positions.ownQuantity(symbol, 'USDT');
      // What may still land, and reduces, is waited for.
      const waits = engine.ledger.of(symbol, 'USDT').reducingQuantity;
      must(isAtMost(absolute(own), waits), `P15: ${own} of ${symbol} is left of ours`);
    }
  }
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const isLock = (reason: string): boolean =>
  reason.startsWith('rejected') && reason.includes(LOCKED_TEXT);

/** Only a person, or a new start, leads back to trading. */
const isStopped = (engine: Engine): boolean =>
  engine.haltReason !== undefined ||
  engine.restrictions.some((each) => each.class === 'latching' && each.symbol === undefined);
