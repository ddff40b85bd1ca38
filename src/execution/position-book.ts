import type { CloseReport, PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import {
  absolute,
  add,
  averagePrice,
  fixedFromProduct,
  multiplyExact,
  negate,
  proportionOfProduct,
  sign,
  subtract,
  withSign,
  ZERO,
  type Usdt,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import { signOf, type Side } from '../core/order.js';
import { CONFIRMING_READS, READ_VISIBILITY_MS } from './constants.js';
import { foreignShare, withinPosition } from './foreign-share.js';

interface Claim {
  readonly quantity: Quantity;
  readonly since: number;
  readonly reads: number;
}

interface PastBelief {
  readonly quantity: Quantity;
  /** Monotonic ms of the fill that ended it. */
  readonly until: number;
}

/** More than lists are seen to lag over. */
const PAST_BELIEFS = 16;

interface Belief {
  readonly symbol: string;
  readonly currency: Currency;
  quantity: Quantity;
  /** Σ price × quantity of what is open, 1e-36, unsigned. */
  cost: bigint;
  positionId: string | undefined;
  /** The venue's own row, as last read. */
  report: PositionReport | undefined;
  /** What of `quantity` is not ours: of its sign, and no larger. */
  foreign: Quantity;
  /** Monotonic ms of the last change we learnt. Older polls cannot undo it (hazard G4). */
  changedAt: number;
  /** Monotonic ms of our own last fill: lists may lag behind it. */
  filledAt: number;
  /** The same, in an earlier life: what was believed before that is not known. */
  inheritedAt: number;
  /** What was believed before our own last fills, oldest first: a list that lags may still show it. */
  past: PastBelief[];
  claim: Claim | undefined;
}

/** What a poll says against our belief. */
export interface Discrepancy {
  readonly symbol: string;
  readonly believed: Quantity;
  readonly claimed: Quantity;
  /** Monotonic ms at which the first read began that claims it. */
  readonly since: number;
  /** The venue has said it often and long enough, or proved it. */
  readonly confirmed: boolean;
}

/** What one poll says to all that we believe of a currency. */
export interface Comparison {
  /** Every belief was compared and is what the venue shows. */
  readonly equal: boolean;
  readonly discrepancies: readonly Discrepancy[];
}

/**
 * Believed positions. They move by our own fills at once, and by what the venue says only on
 * evidence: a blip of `null` while a position exists must not read as flat (hazards G1, P28), and a
 * list read before our last fill must not erase it.
 */
export class PositionBook {
  readonly #beliefs = new Map<string, Belief>();

  quantity(symbol: string, currency: Currency): Quantity {
    return this.#beliefs.get(keyOf(symbol, currency))?.quantity ?? (ZERO as Quantity);
  }

  /** What of it no order of ours explains; of its sign, and no larger. */
  foreign(symbol: string, currency: Currency): Quantity {
    return this.#beliefs.get(keyOf(symbol, currency))?.foreign ?? (ZERO as Quantity);
  }

  /** What of it is ours to close. */
  own(symbol: string, currency: Currency): Quantity {
    const belief = this.#beliefs.get(keyOf(symbol, currency));
    return belief === undefined ? (ZERO as Quantity) : subtract(belief.quantity, belief.foreign);
  }

  /** What the last poll shows against our belief, while nothing has settled it. */
  claimed(symbol: string, currency: Currency): Quantity | undefined {
    return this.#beliefs.get(keyOf(symbol, currency))?.claim?.quantity;
  }

  /** Every quantity that a list begun at `startedAt` may show and not be wrong: lists lag. */
  visible(symbol: string, currency: Currency, startedAt: number): readonly Quantity[] {
    const belief = this.#beliefs.get(keyOf(symbol, currency));
    if (belief === undefined) return [ZERO as Quantity];
    const past = belief.past.filter(({ until }) => startedAt - until < READ_VISIBILITY_MS);
    return [belief.quantity, ...past.map(({ quantity }) => quantity)];
  }

  /** Whether `visible` tells all: lists may still show what an earlier life had before its last fill. */
  pastIsKnown(symbol: string, currency: Currency, startedAt: number): boolean {
    const { inheritedAt } = this.#belief(symbol, currency);
    return startedAt - inheritedAt >= READ_VISIBILITY_MS;
  }

  /** An earlier life had a fill at that time, monotonic ms. */
  inherit(symbol: string, currency: Currency, filledAt: number): void {
    const belief = this.#belief(symbol, currency);
    belief.inheritedAt = filledAt;
    belief.filledAt = Math.max(belief.filledAt, filledAt);
  }

  /** Monotonic ms of our own last fill that is known of; −∞ without one. */
  filledAt(symbol: string, currency: Currency): number {
    return this.#beliefs.get(keyOf(symbol, currency))?.filledAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Average entry of the open quantity; undefined where it is not known. */
  entryPrice(symbol: string, currency: Currency): Price | undefined {
    const belief = this.#beliefs.get(keyOf(symbol, currency));
    if (belief === undefined || belief.quantity === 0 || belief.cost === 0n) return undefined;
    return averagePrice(belief.cost, absolute(belief.quantity));
  }

  report(symbol: string, currency: Currency): PositionReport | undefined {
    return this.#beliefs.get(keyOf(symbol, currency))?.report;
  }

  /** Open positions, in the order in which their symbols were first seen. */
  *open(): Iterable<{
    symbol: string;
    currency: Currency;
    quantity: Quantity;
    foreign: Quantity;
  }> {
    for (const belief of this.#beliefs.values()) if (belief.quantity !== 0) yield belief;
  }

  /** Unrealised PnL of a position at a price, in USDT; 0 when flat, or when its entry is not known. */
  unrealised(symbol: string, currency: Currency, price: Price): Usdt {
    const belief = this.#beliefs.get(keyOf(symbol, currency));
    if (belief === undefined || belief.quantity === 0 || belief.cost === 0n) return ZERO as Usdt;
    const value = multiplyExact(price, absolute(belief.quantity));
    const gain = belief.quantity > 0 ? value - belief.cost : belief.cost - value;
    return fixedFromProduct(gain);
  }

  /** A fill of an order of ours. */
  fill(fill: {
    readonly symbol: string;
    readonly currency: Currency;
    readonly side: Side;
    readonly quantity: Quantity;
    readonly price: Price;
    readonly monotonic: number;
  }): void {
    const belief = this.#belief(fill.symbol, fill.currency);
    const signed = withSign(signOf(fill.side), fill.quantity);
    const before = belief.quantity;
    const after = add(before, signed);
    belief.past.push({ quantity: before, until: fill.monotonic });
    if (belief.past.length > PAST_BELIEFS) belief.past.shift();
    if (before === 0 || sign(before) === sign(signed)) {
      belief.cost += multiplyExact(fill.price, fill.quantity);
    } else if (after === 0 || sign(after) === sign(before)) {
      belief.cost = proportionOfProduct(belief.cost, absolute(after), absolute(before));
    } else {
      belief.cost = multiplyExact(fill.price, absolute(after));
    }
    belief.quantity = after;
    belief.foreign = withinPosition(belief.foreign, after);
    belief.changedAt = fill.monotonic;
    belief.filledAt = fill.monotonic;
    belief.claim = undefined;
    if (after === 0) belief.positionId = undefined;
  }

  /** Learnt from an order's answer: the position that its fills belong to. */
  setPositionId(symbol: string, currency: Currency, positionId: string): void {
    this.#belief(symbol, currency).positionId = positionId;
  }

  /**
   * Compares one poll with what we believe and takes over the rows' details. `patienceMs` tells how
   * long the venue must repeat a claim: longer where orders of ours can be its cause, since then
   * their own lookups are to say so. Of a symbol that is `hidden` the poll tells nothing.
   */
  observe(
    positions: readonly PositionReport[],
    poll: { readonly currency: Currency; readonly startedAt: number },
    patienceMs: (symbol: string, claimed: Quantity) => number,
    hidden: (symbol: string) => boolean = () => false,
  ): Comparison {
    const rows = new Map(positions.map((row) => [row.symbol, row]));
    for (const row of positions) this.#belief(row.symbol, poll.currency);
    const discrepancies: Discrepancy[] = [];
    let equal = true;
    for (const belief of this.#beliefs.values()) {
      if (belief.currency !== poll.currency || hidden(belief.symbol)) continue;
      const row = rows.get(belief.symbol);
      const claimed = signedQuantity(row);
      if (poll.startedAt <= belief.changedAt) equal = false;
      else if (claimed === belief.quantity) this.#agree(belief, row, poll.startedAt);
      else {
        equal = false;
        const patience = patienceMs(belief.symbol, claimed);
        discrepancies.push(this.#dispute(belief, claimed, poll.startedAt, patience));
      }
    }
    return { equal, discrepancies };
  }

  /** Takes the venue's whole picture, without question: where belief begins. */
  begin(positions: readonly PositionReport[], currency: Currency, monotonic: number): void {
    const rows = new Map(positions.map((row) => [row.symbol, row]));
    for (const row of positions) this.#belief(row.symbol, currency);
    for (const belief of this.#beliefs.values()) {
      if (belief.currency !== currency) continue;
      this.accept(belief.symbol, currency, rows.get(belief.symbol), monotonic);
    }
  }

  /** Belief begins with what is not shown: the quantity alone is known. Signed. */
  suppose(symbol: string, currency: Currency, quantity: Quantity, monotonic: number): void {
    this.accept(symbol, currency, undefined, monotonic);
    this.#belief(symbol, currency).quantity = quantity;
  }

  /** The venue's claim becomes our belief. `beyond`: what of it no order of ours explains. */
  accept(
    symbol: string,
    currency: Currency,
    row: PositionReport | undefined,
    monotonic: number,
    beyond = ZERO as Quantity,
  ): void {
    const belief = this.#belief(symbol, currency);
    const quantity = signedQuantity(row);
    belief.foreign = foreignShare(belief, { quantity, beyond });
    belief.quantity = quantity;
    belief.cost = row === undefined ? 0n : multiplyExact(row.entryPrice, row.quantity);
    belief.positionId = row?.positionId;
    belief.report = row;
    belief.changedAt = monotonic;
    belief.claim = undefined;
  }

  /** Says how much of a position is not ours: at the start, and when a person has taken it on. */
  share(symbol: string, currency: Currency, foreign: Quantity): void {
    const belief = this.#belief(symbol, currency);
    belief.foreign = withinPosition(foreign, belief.quantity);
  }

  /** Whether a close row proves that the believed position is gone. */
  provesClosed(symbol: string, currency: Currency, closes: readonly CloseReport[]): boolean {
    return this.closeOf(symbol, currency, closes) !== undefined;
  }

  /** The row that proves it. */
  closeOf(
    symbol: string,
    currency: Currency,
    closes: readonly CloseReport[],
  ): CloseReport | undefined {
    const belief = this.#beliefs.get(keyOf(symbol, currency));
    const id = belief?.positionId;
    if (belief === undefined || id === undefined) return undefined;
    // A reversed position keeps its id, and the close of its other side says nothing of this one (E10).
    const side = belief.quantity < 0 ? 'short' : 'long';
    // Of another quantity: orders of ours have traded meanwhile, and are to tell of it first.
    const quantity = absolute(belief.quantity);
    return closes.find(
      (row) =>
        row.positionId === id &&
        row.side === side &&
        row.quantity === quantity &&
        row.kind !== 'partial',
    );
  }

  #agree(belief: Belief, row: PositionReport | undefined, startedAt: number): void {
    belief.claim = undefined;
    belief.report = row;
    if (row !== undefined && belief.cost === 0n) {
      belief.cost = multiplyExact(row.entryPrice, row.quantity);
    }
    // A list that lags may show another position of the same size, which our order told is not this one.
    const mayLag = startedAt - belief.filledAt < READ_VISIBILITY_MS;
    if (row !== undefined && !(mayLag && belief.positionId !== undefined))
      belief.positionId = row.positionId;
  }

  #dispute(belief: Belief, claimed: Quantity, startedAt: number, patienceMs: number): Discrepancy {
    const same = belief.claim?.quantity === claimed ? belief.claim : undefined;
    const claim = {
      quantity: claimed,
      since: same?.since ?? startedAt,
      reads: (same?.reads ?? 0) + 1,
    };
    belief.claim = claim;
    return {
      symbol: belief.symbol,
      believed: belief.quantity,
      claimed,
      since: claim.since,
      confirmed:
        claim.reads >= CONFIRMING_READS &&
        startedAt - claim.since >= patienceMs &&
        // A list that lags repeats what was before our fill (hazard G12).
        startedAt - belief.filledAt >= READ_VISIBILITY_MS,
    };
  }

  #belief(symbol: string, currency: Currency): Belief {
    const key = keyOf(symbol, currency);
    let belief = this.#beliefs.get(key);
    if (belief === undefined) {
      belief = {
        symbol,
        currency,
        quantity: ZERO as Quantity,
        cost: 0n,
        positionId: undefined,
        report: undefined,
        foreign: ZERO as Quantity,
        changedAt: Number.NEGATIVE_INFINITY,
        filledAt: Number.NEGATIVE_INFINITY,
        inheritedAt: Number.NEGATIVE_INFINITY,
        past: [],
        claim: undefined,
      };
      this.#beliefs.set(key, belief);
    }
    return belief;
  }
}

const keyOf = (symbol: string, currency: Currency): string => `${symbol}/${currency}`;

/** Of a row of positions: above 0 is long; no row is flat. */
export const signedQuantity = (row: PositionReport | undefined): Quantity =>
  row === undefined
    ? (ZERO as Quantity)
    : row.side === 'long'
      ? row.quantity
      : negate(row.quantity);
