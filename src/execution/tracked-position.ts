import type { CloseReport, PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import {
  absolute,
  add,
  negate,
  ProductSum,
  sign,
  smaller,
  withSign,
  ZERO,
  type Price,
  type Quantity,
  type Usdt,
} from '../core/fixed/fixed.js';
import { sideSign, type Side } from '../core/order.js';
import { CONFIRMING_READS, READ_VISIBILITY_MS } from './constants.js';
import { externalShare, withinPosition } from './external-share.js';

const NONE = ZERO as Quantity;

interface ReportedQuantity {
  readonly quantity: Quantity;
  readonly since: number;
  readonly reads: number;
}

interface PastQuantity {
  readonly quantity: Quantity;
  /** Monotonic ms of the fill that ended it. */
  readonly until: number;
}

/** More fills than a lagging list can be behind. */
const MAX_PAST_QUANTITIES = 16;

/** A fill of one of our orders. */
export interface OwnFill {
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  /** Monotonic ms. */
  readonly monotonic: number;
}

/** The tracked position of one symbol in one currency. Quantities are signed: above 0 is long. */
export class TrackedPosition {
  readonly symbol: string;
  readonly currency: Currency;
  quantity = NONE;
  /** The part of `quantity` that no order of ours explains. */
  external = NONE;
  positionId: string | undefined;
  /** The venue's row as last read. */
  report: PositionReport | undefined;
  /** Monotonic ms of the last change. A list requested before it cannot undo it (hazard G4). */
  changedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms of our last fill: lists may lag behind it. */
  filledAt = Number.NEGATIVE_INFINITY;
  /** As `filledAt`, of a previous run: the quantities before that fill are not known. */
  previousRunFilledAt = Number.NEGATIVE_INFINITY;
  /** A quantity of the venue that differs and is not settled yet. */
  reported: ReportedQuantity | undefined;
  /** Σ price × quantity of what is open, 1e-36, unsigned; 0: the entry price is not known. */
  #cost = ProductSum.NONE;
  /** Quantities before our last fills, oldest first: a lagging list may still show them. */
  readonly #past: PastQuantity[] = [];

  constructor(symbol: string, currency: Currency) {
    this.symbol = symbol;
    this.currency = currency;
  }

  acceptableQuantities(startedAt: number): readonly Quantity[] {
    const past = this.#past.filter(({ until }) => startedAt - until < READ_VISIBILITY_MS);
    return [this.quantity, ...past.map(({ quantity }) => quantity)];
  }

  get entryPrice(): Price | undefined {
    if (!this.#hasEntry) return undefined;
    return this.#cost.average(absolute(this.quantity));
  }

  unrealised(price: Price): Usdt {
    if (!this.#hasEntry) return ZERO as Usdt;
    return this.#cost.gain(price, absolute(this.quantity), this.quantity > 0 ? 1 : -1);
  }

  get #hasEntry(): boolean {
    return this.quantity !== 0 && !this.#cost.isZero;
  }

  /** PnL that a fill would realise before its fee, USDT; 0 where the entry price is not known. */
  realised({ side, quantity, price }: Pick<OwnFill, 'side' | 'quantity' | 'price'>): Usdt {
    const held = this.quantity;
    if (!this.#hasEntry || sign(held) === sideSign(side)) return ZERO as Usdt;
    const closed = smaller(quantity, absolute(held));
    const open = absolute(held);
    const cost = closed === open ? this.#cost : this.#cost.proportion(closed, open);
    return cost.gain(price, closed, held > 0 ? 1 : -1);
  }

  applyFill({ side, quantity, price, monotonic }: OwnFill): void {
    const signed = withSign(sideSign(side), quantity);
    const before = this.quantity;
    const after = add(before, signed);
    this.#past.push({ quantity: before, until: monotonic });
    if (this.#past.length > MAX_PAST_QUANTITIES) this.#past.shift();
    if (before === 0 || sign(before) === sign(signed)) {
      this.#cost = this.#cost.plus(ProductSum.of(price, quantity));
    } else if (after === 0) {
      this.#cost = ProductSum.NONE;
    } else if (sign(after) === sign(before)) {
      this.#cost = this.#cost.proportion(absolute(after), absolute(before));
    } else {
      this.#cost = ProductSum.of(price, absolute(after));
    }
    this.quantity = after;
    this.external = withinPosition(this.external, after);
    this.changedAt = monotonic;
    this.filledAt = monotonic;
    this.reported = undefined;
    if (after === 0) this.positionId = undefined;
  }

  /** The venue's quantity replaces ours. `unexplained`: the part that no order of ours explains. */
  accept(row: PositionReport | undefined, monotonic: number, unexplained: Quantity): void {
    const quantity = signedQuantity(row);
    this.external = externalShare(this, { quantity, unexplained });
    this.quantity = quantity;
    this.#cost = costOf(row);
    this.positionId = row?.positionId;
    this.report = row;
    this.changedAt = monotonic;
    this.reported = undefined;
  }

  /** A list begun at `startedAt` (monotonic ms) shows the tracked quantity. */
  confirm(row: PositionReport | undefined, startedAt: number): void {
    this.reported = undefined;
    this.report = row;
    if (row !== undefined && this.#cost.isZero) this.#cost = costOf(row);
    // A lagging list may show an earlier position of the same size: the id from our order's reply wins.
    const mayLag = startedAt - this.filledAt < READ_VISIBILITY_MS;
    if (row !== undefined && !(mayLag && this.positionId !== undefined))
      this.positionId = row.positionId;
  }

  /** A list begun at `startedAt` (monotonic ms) shows another quantity. */
  recordDiscrepancy(
    reported: Quantity,
    startedAt: number,
    patienceMs: number,
  ): { readonly since: number; readonly confirmed: boolean } {
    const same = this.reported?.quantity === reported ? this.reported : undefined;
    const latest = {
      quantity: reported,
      since: same?.since ?? startedAt,
      reads: (same?.reads ?? 0) + 1,
    };
    this.reported = latest;
    return {
      since: latest.since,
      confirmed:
        latest.reads >= CONFIRMING_READS &&
        startedAt - latest.since >= patienceMs &&
        // A lagging list repeats the quantity before our fill (hazard G12).
        startedAt - this.filledAt >= READ_VISIBILITY_MS,
    };
  }

  /** The row of position history that proves this position closed. */
  closeOf(closes: readonly CloseReport[]): CloseReport | undefined {
    const id = this.positionId;
    if (id === undefined) return undefined;
    // A reversed position keeps its id: the close of its other side is no proof (hazard E10).
    const side = this.quantity < 0 ? 'short' : 'long';
    // Another quantity means that orders of ours have traded meanwhile: their own reports come first.
    const quantity = absolute(this.quantity);
    return closes.find(
      (row) =>
        row.positionId === id &&
        row.side === side &&
        row.quantity === quantity &&
        row.kind !== 'partial',
    );
  }
}

const costOf = (row: PositionReport | undefined): ProductSum =>
  row === undefined ? ProductSum.NONE : ProductSum.of(row.entryPrice, row.quantity);

/** Quantity of a row of positions: above 0 is long; no row is flat. */
export function signedQuantity(row: PositionReport | undefined): Quantity {
  if (row === undefined) return ZERO as Quantity;
  return row.side === 'long' ? row.quantity : negate(row.quantity);
}
