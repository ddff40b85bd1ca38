import type { PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import { subtract, textFromFixed, ZERO, type Quantity } from '../core/fixed.js';
import { READ_VISIBILITY_MS } from '../execution/constants.js';
import { foreignShare, withinPosition } from '../execution/foreign-share.js';
import type { Held, Journal } from '../execution/journal/journal.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import { signedQuantity, type PositionBook } from '../execution/position-book.js';
import type { RecoveredPosition } from '../execution/recovery/recovered-positions.js';
import type { ForeignBook } from './reconciliation/foreign-book.js';
import {
  judgePosition,
  reachOf,
  type PositionVerdict,
} from './reconciliation/reconcile-positions.js';
import type { SymbolHalts } from './symbol-halts.js';

const ADOPTED = 'adopted by the operator';

export interface AttributionParts {
  readonly stamp: Readonly<Stamp>;
  readonly currency: Currency;
  readonly journal: Journal;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly foreign: ForeignBook;
  readonly halts: SymbolHalts;
  /** Something of ours trades it. */
  readonly trades: (symbol: string) => boolean;
  /** A position is another than the journal leaves, and no order of ours explains it. */
  readonly movedWhileDown: (symbol: string, before: Quantity) => void;
}

/** One symbol of a first picture. Quantities are signed. */
interface Pictured {
  readonly symbol: string;
  /** What the journal and the fills since it leave. */
  readonly believed: Quantity;
  /** As the journal leaves it. */
  readonly journaled: RecoveredPosition | undefined;
  /** What the picture holds of orders that have not told it yet. */
  readonly untold: Quantity;
}

/** Whose the positions are that a first picture shows: what our orders do not explain is not ours. */
export class Attribution {
  readonly #parts: AttributionParts;
  /** Symbols that a person has adopted in this life. */
  readonly #adopted = new Set<string>();
  /** Venue ms of our last fills in earlier lives, by symbol. */
  #filledAt: ReadonlyMap<string, number> = new Map();

  constructor(parts: AttributionParts) {
    this.#parts = parts;
  }

  takeOver(filledAt: ReadonlyMap<string, number>): void {
    this.#filledAt = filledAt;
  }

  /** Lists may lag behind what an earlier life has done. */
  begin(): void {
    const { stamp, positions, currency } = this.#parts;
    for (const [symbol, at] of this.#filledAt)
      positions.inherit(symbol, currency, stamp.monotonic - (stamp.venueTime - at));
  }

  /** A person's word: what stands there is ours from now on. */
  adopt(symbol: string): void {
    const { halts, positions, currency, journal } = this.#parts;
    this.#adopted.add(symbol);
    if (positions.foreign(symbol, currency) !== 0) {
      positions.share(symbol, currency, ZERO as Quantity);
      journal.position(this.held(symbol), ADOPTED);
    }
    halts.lift(symbol, ADOPTED);
  }

  /**
   * Whether a picture may show what was: it is not what we believe, and lists may still lag behind a
   * fill of ours (G12).
   */
  mayLag(rows: readonly PositionReport[], believed: ReadonlyMap<string, Quantity>): boolean {
    const shown = rows.map(({ symbol }) => symbol);
    return [...new Set([...shown, ...believed.keys(), ...this.#filledAt.keys()])].some((symbol) => {
      if (!this.#parts.trades(symbol) || !this.#filledLately(symbol)) return false;
      const row = rows.find((each) => each.symbol === symbol);
      return signedQuantity(row) !== (believed.get(symbol) ?? 0);
    });
  }

  /** In an earlier life, or told in this one. */
  #filledLately(symbol: string): boolean {
    const { stamp, positions, currency } = this.#parts;
    const earlier = stamp.venueTime - (this.#filledAt.get(symbol) ?? Number.NEGATIVE_INFINITY);
    const told = stamp.monotonic - positions.filledAt(symbol, currency);
    return Math.min(earlier, told) < READ_VISIBILITY_MS;
  }

  /** The picture is believed already: says what of it is not ours, and journals what is new. */
  attribute(pictured: Pictured): void {
    if (!this.#adopted.has(pictured.symbol)) this.#share(pictured);
    this.#journalFirst(pictured);
  }

  held(symbol: string): Held {
    const { positions, currency } = this.#parts;
    return {
      symbol,
      currency,
      quantity: positions.quantity(symbol, currency),
      foreign: positions.foreign(symbol, currency),
    };
  }

  #share({ symbol, believed, journaled }: Pictured): void {
    const { positions, currency, trades, halts } = this.#parts;
    const claimed = positions.quantity(symbol, currency);
    const verdict = this.#judge(symbol, believed, claimed);
    if (believed !== 0 && verdict.kind !== 'equal' && verdict.kind !== 'explained')
      this.#parts.movedWhileDown(symbol, believed);
    const beyond = 'beyond' in verdict ? verdict.beyond : (ZERO as Quantity);
    const theirs = journaled?.foreign ?? (ZERO as Quantity);
    const share = foreignShare(
      { quantity: believed, foreign: theirs },
      { quantity: claimed, beyond },
    );
    positions.share(symbol, currency, share);
    if (beyond === 0 || !trades(symbol)) return;
    const [shown, explained] = [textFromFixed(claimed), textFromFixed(believed)];
    halts.halt(
      symbol,
      `the venue shows a position of ${shown}, and the journal explains ${explained}`,
    );
  }

  #judge(symbol: string, believed: Quantity, claimed: Quantity): PositionVerdict {
    const { ledger, currency, foreign } = this.#parts;
    const orders = ledger.active(symbol, currency).filter(({ attempts }) => attempts > 0);
    const ours = reachOf(believed, orders);
    return judgePosition({ believed, claimed, ours, foreign: foreign.reach(symbol, currency) });
  }

  #journalFirst({ symbol, journaled, untold }: Pictured): void {
    const held = this.held(symbol);
    const told = subtract(held.quantity, untold);
    const foreign = withinPosition(held.foreign, told);
    if (told === (journaled?.quantity ?? 0) && foreign === (journaled?.foreign ?? 0)) return;
    const cause = 'the first picture of the venue';
    this.#parts.journal.position({ ...held, quantity: told, foreign }, cause);
  }
}
