import { namespaceOf } from '../../../src/core/ids.js';
import { signOf, type Side } from '../../../src/core/order.js';
import type { ExchangeOrder } from '../../../src/exchange/simulated-exchange.js';
import type { Engine } from '../../../src/engine/engine.js';
import { MAX_LOCKED } from '../../../src/execution/constants.js';
import {
  intentOfRecord,
  type JournalRecord,
} from '../../../src/execution/journal/journal-record.js';
import { decisionKey } from '../../../src/core/intent.js';
import { ACCOUNT } from './walk-bot.js';
import { WALKED, type WalkVenue } from './walk-venue.js';
import { LOCKED_TEXT } from './wire-answers.js';
import { absolute, sign, isAtMost } from '../../../src/core/fixed.js';
import { scaledOf } from '../../harness/scaled.js';

/** One order of ours as the exchange has it. */
interface Own {
  readonly symbol: string;
  readonly side: Side;
  filled: number;
}

/** The truth about one symbol. Quantities are signed, 1e-8. */
interface Book {
  /** All that orders of ours have traded. */
  own: number;
  /** What others made of the position: 0, and each sum since. */
  readonly others: number[];
  /** What others opened, beyond anything of ours, and nobody has closed. */
  grown: number;
  /** Somebody else traded at the market just now: no list told of it. */
  isSudden: boolean;
  /** An order of others rested here: what it explains halts nothing. */
  isListed: boolean;
  /** An order of ours was not proved for a while: what others did may pass for its doing. */
  isDoubtful: boolean;
  /** Others have taken off what may have been ours. */
  isShrunk: boolean;
}

const PREFIX = `${namespaceOf(ACCOUNT)}-`;

/** Properties of reliability part 3, as far as one account shows them. @throws Error naming one */
export class WalkChecks {
  readonly #venue: WalkVenue;
  readonly #orders = new Map<string, Own>();
  readonly #books = new Map<string, Book>();
  /** Decision and leg → the venue's order of it. */
  readonly #decided = new Map<string, string>();
  /** Decisions and legs that have an intent, and whose each id is. */
  readonly #intents = new Set<string>();
  readonly #legOf = new Map<string, { readonly key: string; readonly reduceOnly: boolean }>();

  #engine: Engine | undefined;

  constructor(venue: WalkVenue) {
    this.#venue = venue;
    for (const symbol of WALKED)
      this.#books.set(symbol, {
        own: 0,
        others: [0],
        grown: 0,
        isSudden: false,
        isListed: false,
        isDoubtful: false,
        isShrunk: false,
      });
    venue.exchange.listen((event) => {
      if (event.kind === 'order') this.#met(event.order);
      else if (event.kind === 'fill') this.#traded(event.order, scaledOf(event.execution.quantity));
      if (event.kind !== 'fill' || this.#orders.has(event.order.clientOrderId ?? '')) return;
      const { symbol, role, type } = event.order;
      this.#book(symbol).isSudden = role === 'trade' && type === 'market';
      this.#book(symbol).isListed ||= role === 'trade' && type === 'limit';
    });
  }

  #book(symbol: string): Book {
    const book = this.#books.get(symbol);
    if (book === undefined) throw new Error(`nothing of ${symbol} is walked`);
    return book;
  }

  // --- what the exchange does ----------------------------------------------------------------------

  #met({ clientOrderId, orderId, role, symbol, side, type }: ExchangeOrder): void {
    if (role !== 'trade' || side === undefined) return;
    if (clientOrderId?.startsWith(PREFIX) !== true) {
      this.#book(symbol).isListed ||= type === 'limit';
      return;
    }
    if (!this.#orders.has(clientOrderId))
      this.#orders.set(clientOrderId, { symbol, side, filled: 0 });
    const { key } = this.#legOf.get(clientOrderId) ?? {};
    must(key !== undefined, `P2: the venue has ${clientOrderId}, which no intent explains`);
    const known = this.#decided.get(key ?? '');
    this.#decided.set(key ?? '', orderId);
    must(known === undefined || known === orderId, `P1: ${key} has two orders`);
  }

  #traded({ clientOrderId, role, symbol, reduceOnly }: ExchangeOrder, quantity: number): void {
    const order = role === 'trade' ? this.#orders.get(clientOrderId ?? '') : undefined;
    if (order === undefined) return;
    const book = this.#book(symbol);
    const before = book.own;
    const { low, high } = this.#untold(symbol);
    order.filled += quantity;
    book.own += signOf(order.side) * quantity;
    // Who was not told of an exit sends another; and whose what is left is hangs on who came first.
    const isMixed = book.isShrunk || book.isListed || book.isDoubtful || book.others.length > 2;
    if (!reduceOnly || isMixed || low !== 0 || high !== 0) return;
    const reduces = Math.abs(book.own) <= Math.abs(before) && book.own * before >= 0;
    must(reduces, `P25: an exit of ours took ${symbol} from ${before} of ours to ${book.own}`);
  }

  /** After each step: what others have done since. */
  look(): void {
    for (const [symbol, book] of this.#books) {
      const real = this.#venue.exchange.quantity(symbol, 'USDT');
      const others = scaledOf(real) - book.own;
      const before = book.others.at(-1) ?? 0;
      // Theirs and ours are netted: whose the rest is hangs on who came first.
      if (book.own * others < 0) book.isShrunk = true;
      if (absolute(real) < Math.abs(book.grown) || scaledOf(real) * book.grown < 0) book.grown = 0;
      if (others === before) continue;
      // A trade that takes a position to its other side closes it first.
      const was = book.own + before;
      if (was * scaledOf(real) < 0) book.others.push(-book.own);
      book.others.push(others);
      const adds = others - before;
      const { isSudden } = book;
      book.isSudden = false;
      if (Math.sign(adds) !== sign(real) || absolute(real) < Math.abs(adds)) book.isShrunk = true;
      else if (isSudden) book.grown += adds;
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
    } else if (record.type === 'dropped') this.#gaveUp(record.clientOrderId, record.reason);
  }

  /** A lock is a matter of moments: an exit outlasts it, and what opens does not give way at once (A7). */
  #gaveUp(clientOrderId: string, reason: string): void {
    if (!isLock(reason) || !this.#venue.locked.has(clientOrderId)) return;
    const isExit = this.#legOf.get(clientOrderId)?.reduceOnly === true;
    const locks = this.#venue.locks.get(clientOrderId) ?? 0;
    must(
      !isExit && locks >= MAX_LOCKED,
      `P17: ${clientOrderId} was given up for a lock: ${reason}`,
    );
  }

  /** The engine that lives, or lived last. What it finds under way is not proved. */
  watch(engine: Engine): void {
    this.#engine = engine;
    for (const { attempts, terms } of engine.ledger.allActive())
      if (attempts > 0) this.#book(terms.symbol).isDoubtful = true;
  }

  /** A bot that trades believes what is, but for what it was not told yet. */
  believes(engine: Engine): void {
    for (const { unproved, terms } of engine.ledger.allActive())
      if (unproved) this.#book(terms.symbol).isDoubtful = true;
    if (engine.mode !== 'TRADING') return;
    for (const symbol of WALKED) {
      const { low, high } = this.#untold(symbol);
      const believed = engine.positions.quantity(symbol, 'USDT');
      const book = this.#book(symbol);
      const isReal = book.others.some(
        (others) => believed >= book.own + others - high && believed <= book.own + others - low,
      );
      // While it sleeps, what others did may pass for what its orders did, until a list tells.
      if (isReal || (book.isDoubtful && book.others.length > 1)) continue;
      const real = this.#venue.exchange.quantity(symbol, 'USDT');
      throw new Error(
        `P3: ${symbol} is believed to be ${believed}, and is ${real}: ${book.own} ours ` +
          `(untold ${low} to ${high}), others ${book.others.join(', ')}`,
      );
    }
    this.#owns(engine);
  }

  /** What nobody else has touched is ours, and stops nothing. */
  #owns(engine: Engine): void {
    for (const symbol of WALKED) {
      if (this.#book(symbol).others.length > 1) continue;
      const foreign = engine.positions.foreign(symbol, 'USDT');
      must(foreign === 0, `P25: ${foreign} of ${symbol} counts as not ours`);
      const halted = engine.halts.reason(symbol);
      must(halted === undefined, `P17: ${symbol} is halted, and nobody touched it: ${halted}`);
    }
  }

  /** Signed sums of fills that the books of the bot do not have yet. */
  #untold(symbol: string): { readonly low: number; readonly high: number } {
    const ledger = this.#engine?.ledger;
    let [low, high] = [0, 0];
    for (const [clientOrderId, order] of this.#orders) {
      if (order.symbol !== symbol || order.filled === 0) continue;
      const told = ledger?.byClientOrderId(clientOrderId)?.filledQuantity ?? order.filled;
      const untold = signOf(order.side) * (order.filled - scaledOf(told));
      if (untold < 0) low += untold;
      else high += untold;
    }
    return { low, high };
  }

  // --- at the end ----------------------------------------------------------------------------------

  isDecided(engine: Engine): boolean {
    if (engine.mode !== 'TRADING' && engine.haltReason === undefined) return false;
    return this.#unsettled(engine) === undefined && this.#differs(engine) === undefined;
  }

  /** An order that nobody can find is watched for ever, with its room reserved. */
  #unsettled(engine: Engine): string | undefined {
    for (const { clientOrderId, state, terms, cancelState } of engine.ledger.allActive()) {
      const rests = state === 'accepted' && terms.type === 'limit' && cancelState === 'none';
      if (!rests && state !== 'quarantined') return `${clientOrderId} is still ${state}`;
    }
    return undefined;
  }

  #differs(engine: Engine): string | undefined {
    const symbol = WALKED.find(
      (each) =>
        engine.positions.quantity(each, 'USDT') !== this.#venue.exchange.quantity(each, 'USDT'),
    );
    return symbol;
  }

  /** Long after the faults. */
  end(engine: Engine): void {
    if (engine.haltReason !== undefined && this.#bothGrew) return;
    must(engine.mode === 'TRADING', `P17: mode ${engine.mode}: ${engine.haltReason ?? ''}`);
    const differs = this.#differs(engine);
    must(differs === undefined, `P3: ${differs} is believed to be another than it is`);
    const unsettled = this.#unsettled(engine);
    must(unsettled === undefined, `P17: ${unsettled}`);
    for (const [clientOrderId, { filled }] of this.#orders) {
      const told = engine.ledger.byClientOrderId(clientOrderId)?.filledQuantity;
      must(told === filled, `P8: ${clientOrderId} has traded ${filled}, and counts as ${told}`);
    }
    for (const symbol of WALKED) {
      const { grown, isListed, isDoubtful } = this.#book(symbol);
      if (grown === 0 || isListed || isDoubtful) continue;
      const halted = engine.halts.reason(symbol) !== undefined;
      must(halted, `G16: ${symbol} grew by ${grown} that is not ours, and trades on`);
    }
  }

  /** Growth in two symbols halts the account. */
  get #bothGrew(): boolean {
    return [...this.#books.values()].every(({ others }) => others.length > 1);
  }

  /** After a flattening. */
  flat(engine: Engine): void {
    if (engine.haltReason !== undefined) return;
    for (const symbol of WALKED) {
      const own = engine.positions.own(symbol, 'USDT');
      // What may still land, and reduces, is waited for.
      const waits = engine.ledger.of(symbol, 'USDT').reducing;
      must(isAtMost(absolute(own), waits), `P15: ${own} of ${symbol} is left of ours`);
    }
  }
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const isLock = (reason: string): boolean =>
  reason.startsWith('rejected') && reason.includes(LOCKED_TEXT);
