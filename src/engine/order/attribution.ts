import type { PositionReport } from '../../core/account.js';
import type { PositionChangeReason } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { add, subtract, textFromFixed, ZERO, type Quantity } from '../../core/fixed/fixed.js';
import { READ_VISIBILITY_MS } from '../../execution/constants.js';
import { externalShare, withinPosition } from '../../execution/external-share.js';
import type { JournalPosition, Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';
import { signedQuantity } from '../../execution/tracked-position.js';
import type { ExternalActivity } from '../reconciliation/external-activity.js';
import {
  judgePosition,
  possiblePositionRange,
  type PositionVerdict,
} from '../reconciliation/reconcile-positions.js';
import type { ExternalChangeSource } from '../../strategy/contract/strategy-port.js';
import type { SymbolHalts } from '../account/symbol-halts.js';

const ADOPTED = 'adopted by the operator';

export interface AttributionParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly journal: Journal;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly external: ExternalActivity;
  readonly halts: SymbolHalts;
  /** Whether a configured strategy or session trades it. */
  readonly isTraded: (symbol: string) => boolean;
  /** A position differs from the journal, and no order of ours explains it. */
  readonly onPositionChangedWhileDown: (symbol: string, before: Quantity) => void;
  /** Our share of a position changed without an order of ours. */
  readonly onPositionChanged: (
    symbol: string,
    text: string,
    cause: PositionChangeReason,
    by: ExternalChangeSource,
  ) => void;
}

/** One symbol of a first snapshot. Quantities are signed. */
interface SnapshotPosition {
  readonly symbol: string;
  /** From the journal and the fills since. */
  readonly believed: Quantity;
  /** As the journal leaves it. */
  readonly journaled: RecoveredPosition | undefined;
  /** Fills in the snapshot that their orders have not reported yet. */
  readonly remaining: Quantity;
}

/** A part of a first snapshot that our orders no longer explain. Quantities are signed. */
interface DisownedPart {
  readonly symbol: string;
  readonly unexplained: Quantity;
  /** Fills in the snapshot that other orders may still report. */
  readonly remaining: Quantity;
}

/** Attributes the positions of a first snapshot: what our orders do not explain is external. */
export class Attribution {
  readonly #parts: AttributionParts;
  /** Symbols that a person has adopted in this run. */
  readonly #adopted = new Set<string>();
  /** Venue ms of our last fills in previous runs, by symbol. */
  #filledAt: ReadonlyMap<string, number> = new Map();

  constructor(parts: AttributionParts) {
    this.#parts = parts;
  }

  restore(filledAt: ReadonlyMap<string, number>): void {
    this.#filledAt = filledAt;
  }

  /** Lists may lag behind the last fills of a previous run. */
  restoreFillTimes(): void {
    const { stamp, positions, currency } = this.#parts;
    for (const [symbol, at] of this.#filledAt)
      positions.setPreviousRunFill(symbol, currency, stamp.monotonic - (stamp.venueTime - at));
  }

  /** A person's command: the whole position is ours from now on. */
  adopt(symbol: string): void {
    const { halts, positions, currency, journal } = this.#parts;
    this.#adopted.add(symbol);
    if (positions.externalQuantity(symbol, currency) !== 0) {
      positions.setExternalShare(symbol, currency, ZERO as Quantity);
      journal.position(this.held(symbol), ADOPTED);
    }
    halts.lift(symbol, ADOPTED);
  }

  /**
   * Whether a snapshot may be stale: it differs from our position, and lists may still lag behind a
   * fill of ours (hazard G12).
   */
  mayBeStale(rows: readonly PositionReport[], believed: ReadonlyMap<string, Quantity>): boolean {
    const shown = rows.map(({ symbol }) => symbol);
    return [...new Set([...shown, ...believed.keys(), ...this.#filledAt.keys()])].some((symbol) => {
      if (!this.#parts.isTraded(symbol) || !this.#filledRecently(symbol)) return false;
      const row = rows.find((each) => each.symbol === symbol);
      return signedQuantity(row) !== (believed.get(symbol) ?? 0);
    });
  }

  /** Of a previous run, or reported in this one. */
  #filledRecently(symbol: string): boolean {
    const { stamp, positions, currency } = this.#parts;
    const earlier = stamp.venueTime - (this.#filledAt.get(symbol) ?? Number.NEGATIVE_INFINITY);
    const sinceFill = stamp.monotonic - positions.filledAt(symbol, currency);
    return Math.min(earlier, sinceFill) < READ_VISIBILITY_MS;
  }

  /** Attributes an accepted position and journals the result where it is new. */
  attribute(position: SnapshotPosition): void {
    if (!this.#adopted.has(position.symbol)) this.#assignExternalShare(position);
    this.#journalInitialPosition(position);
  }

  /**
   * Each order that might have made a part of the first snapshot has ended without it: the part is
   * external, as at a start without such orders. The part that our exits have closed meanwhile is gone.
   */
  disown({ symbol, unexplained, remaining }: DisownedPart): void {
    const { positions, currency, isTraded, halts, onPositionChanged } = this.#parts;
    const before = positions.externalQuantity(symbol, currency);
    if (!this.#adopted.has(symbol))
      positions.setExternalShare(symbol, currency, add(before, unexplained));
    const quantity = positions.quantity(symbol, currency);
    const [shown, part] = [textFromFixed(quantity), textFromFixed(unexplained)];
    const cause = `${part} of the position of ${symbol} (${shown}) is by no order of ours: each that might have filled it has ended`;
    if (positions.externalQuantity(symbol, currency) !== before) {
      if (isTraded(symbol)) halts.halt(symbol, cause);
      onPositionChanged(symbol, cause, 'external', 'hand');
    }
    this.#journalWithout(remaining, symbol, cause);
  }

  held(symbol: string): JournalPosition {
    const { positions, currency } = this.#parts;
    return {
      symbol,
      currency,
      quantity: positions.quantity(symbol, currency),
      foreign: positions.externalQuantity(symbol, currency),
    };
  }

  #assignExternalShare({ symbol, believed, journaled }: SnapshotPosition): void {
    const { positions, currency, isTraded, halts } = this.#parts;
    const reported = positions.quantity(symbol, currency);
    const verdict = this.#judge(symbol, believed, reported);
    if (believed !== 0 && verdict.kind !== 'equal' && verdict.kind !== 'explained')
      this.#parts.onPositionChangedWhileDown(symbol, believed);
    const unexplained = 'beyond' in verdict ? verdict.beyond : (ZERO as Quantity);
    const recordedExternal = journaled?.foreign ?? (ZERO as Quantity);
    const share = externalShare(
      { quantity: believed, external: recordedExternal },
      { quantity: reported, unexplained },
    );
    positions.setExternalShare(symbol, currency, share);
    if (unexplained === 0 || !isTraded(symbol)) return;
    const [shown, explained] = [textFromFixed(reported), textFromFixed(believed)];
    halts.halt(
      symbol,
      `the venue shows a position of ${shown}, and the journal explains ${explained}`,
    );
  }

  #judge(symbol: string, believed: Quantity, reported: Quantity): PositionVerdict {
    const { ledger, currency, external } = this.#parts;
    const orders = ledger.openOrders(symbol, currency).filter(({ attempts }) => attempts > 0);
    const own = possiblePositionRange(believed, orders);
    return judgePosition({
      believed,
      reported,
      own,
      external: external.exposureRange(symbol, currency),
    });
  }

  #journalInitialPosition({ symbol, journaled, remaining }: SnapshotPosition): void {
    const { quantity, foreign } = this.#heldWithout(remaining, symbol);
    if (quantity === (journaled?.quantity ?? 0) && foreign === (journaled?.foreign ?? 0)) return;
    this.#journalWithout(remaining, symbol, 'the first picture of the venue');
  }

  /** The orders of the remaining part report it later: their reports are journaled. */
  #journalWithout(remaining: Quantity, symbol: string, cause: string): void {
    this.#parts.journal.position(this.#heldWithout(remaining, symbol), cause);
  }

  #heldWithout(remaining: Quantity, symbol: string): JournalPosition {
    const held = this.held(symbol);
    const quantity = subtract(held.quantity, remaining);
    return { ...held, quantity, foreign: withinPosition(held.foreign, quantity) };
  }
}
