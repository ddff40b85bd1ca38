import type { CloseReport, PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { subtract, ZERO, type Usdt, type Price, type Quantity } from '../core/fixed/fixed.js';
import { READ_VISIBILITY_MS } from './constants.js';
import { withinPosition } from './external-share.js';
import { SymbolMap } from './symbol-map.js';
import { signedQuantity, TrackedPosition, type OwnFill } from './tracked-position.js';

/** A list of positions that contradicts a tracked quantity. */
export interface Discrepancy {
  readonly symbol: string;
  readonly tracked: Quantity;
  readonly reported: Quantity;
  /** Monotonic ms at which the first read with this quantity began. */
  readonly since: number;
  /** The venue has repeated it often and long enough. */
  readonly confirmed: boolean;
}

interface SymbolCurrency {
  readonly symbol: string;
  readonly currency: Currency;
}

/** Our own share of an open position. `quantity`: signed, not 0. */
export interface OwnPosition extends SymbolCurrency {
  readonly quantity: Quantity;
}

/** One list of positions compared with all tracked positions of a currency. */
export interface PositionComparison {
  /** Every tracked position was compared and is equal. */
  readonly equal: boolean;
  readonly discrepancies: readonly Discrepancy[];
}

/**
 * Tracked positions. Our own fills move them at once. A list of the venue moves them only on
 * evidence: a momentary `null` while a position exists must not read as flat (hazard G1, property
 * P28), and a list requested before our last fill must not erase that fill.
 */
export class PositionLedger {
  readonly #tracked = new SymbolMap<TrackedPosition>();

  quantity(symbol: string, currency: Currency): Quantity {
    return this.#tracked.get(symbol, currency)?.quantity ?? (ZERO as Quantity);
  }

  /** The part that no order of ours explains: of the position's sign, and no larger. */
  externalQuantity(symbol: string, currency: Currency): Quantity {
    return this.#tracked.get(symbol, currency)?.external ?? (ZERO as Quantity);
  }

  /** The part that is ours to close. */
  ownQuantity(symbol: string, currency: Currency): Quantity {
    const position = this.#tracked.get(symbol, currency);
    return position === undefined
      ? (ZERO as Quantity)
      : subtract(position.quantity, position.external);
  }

  ownPositions(): readonly OwnPosition[] {
    return [...this.openPositions()].flatMap(({ symbol, currency }) => {
      const quantity = this.ownQuantity(symbol, currency);
      return quantity === 0 ? [] : [{ symbol, currency, quantity }];
    });
  }

  /** A differing quantity in the last list, until it is settled. */
  reportedQuantity(symbol: string, currency: Currency): Quantity | undefined {
    return this.#tracked.get(symbol, currency)?.reported?.quantity;
  }

  /** Quantities that a list begun at `startedAt` (monotonic ms) may show without being wrong. */
  acceptableQuantities(symbol: string, currency: Currency, startedAt: number): readonly Quantity[] {
    const position = this.#tracked.get(symbol, currency);
    return position?.acceptableQuantities(startedAt) ?? [ZERO as Quantity];
  }

  /** False while lists may still show a quantity from before the last fill of a previous run. */
  isPastKnown(symbol: string, currency: Currency, startedAt: number): boolean {
    const { previousRunFilledAt } = this.#track(symbol, currency);
    return startedAt - previousRunFilledAt >= READ_VISIBILITY_MS;
  }

  /** @param filledAt monotonic ms of the last fill of a previous run */
  setPreviousRunFill(symbol: string, currency: Currency, filledAt: number): void {
    const position = this.#track(symbol, currency);
    position.previousRunFilledAt = filledAt;
    position.filledAt = Math.max(position.filledAt, filledAt);
  }

  /** Monotonic ms of our last known fill; −∞ without one. */
  filledAt(symbol: string, currency: Currency): number {
    return this.#tracked.get(symbol, currency)?.filledAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Average entry price of the open quantity; undefined where it is not known. */
  entryPrice(symbol: string, currency: Currency): Price | undefined {
    return this.#tracked.get(symbol, currency)?.entryPrice;
  }

  report(symbol: string, currency: Currency): PositionReport | undefined {
    return this.#tracked.get(symbol, currency)?.report;
  }

  /** Open positions, in the order in which their symbols first appeared. */
  *openPositions(): Iterable<{
    symbol: string;
    currency: Currency;
    quantity: Quantity;
    external: Quantity;
  }> {
    for (const position of this.#tracked.values) if (position.quantity !== 0) yield position;
  }

  /** Open and closed positions, in the order in which their symbols first appeared: a list that costs nothing. */
  get tracked(): readonly Readonly<
    Pick<TrackedPosition, 'symbol' | 'currency' | 'quantity' | 'unrealised'>
  >[] {
    return this.#tracked.values;
  }

  /** Symbols with a position, tracked or in the last list. */
  exposedSymbols(currency: Currency): readonly string[] {
    const symbols: string[] = [];
    for (const position of this.#tracked.values) {
      const isExposed = position.quantity !== 0 || position.reported !== undefined;
      if (isExposed && position.currency === currency) symbols.push(position.symbol);
    }
    return symbols;
  }

  /** Unrealised PnL at a price, USDT; 0 when flat, or when the entry price is not known. */
  unrealised(symbol: string, currency: Currency, price: Price): Usdt {
    return this.#tracked.get(symbol, currency)?.unrealised(price) ?? (ZERO as Usdt);
  }

  /** PnL that a fill would realise before its fee, USDT. */
  realised(fill: Omit<OwnFill, 'monotonic'> & SymbolCurrency): Usdt {
    return this.#tracked.get(fill.symbol, fill.currency)?.realised(fill) ?? (ZERO as Usdt);
  }

  applyFill(fill: OwnFill & SymbolCurrency): void {
    this.#track(fill.symbol, fill.currency).applyFill(fill);
  }

  /** The position that an order's reply names for its fills. */
  setPositionId(symbol: string, currency: Currency, positionId: string): void {
    this.#track(symbol, currency).positionId = positionId;
  }

  /**
   * Compares a list of positions with the tracked ones and keeps the rows' details.
   *
   * @param patienceMs how long the venue must repeat a differing quantity; longer where an unproved
   *   order of ours may explain it, since its own lookup decides first
   * @param isHidden symbols whose rows the list does not show
   */
  observe(
    positions: readonly PositionReport[],
    poll: { readonly currency: Currency; readonly startedAt: number },
    patienceMs: (symbol: string, reported: Quantity) => number,
    isHidden: (symbol: string) => boolean = () => false,
  ): PositionComparison {
    const rows = new Map(positions.map((row) => [row.symbol, row]));
    for (const row of positions) this.#track(row.symbol, poll.currency);
    const discrepancies: Discrepancy[] = [];
    let equal = true;
    for (const position of this.#tracked.values) {
      const { symbol, currency, quantity: tracked } = position;
      if (currency !== poll.currency || isHidden(symbol)) continue;
      const row = rows.get(symbol);
      const reported = signedQuantity(row);
      if (poll.startedAt <= position.changedAt) equal = false;
      else if (reported === tracked) position.confirm(row, poll.startedAt);
      else {
        equal = false;
        const patience = patienceMs(symbol, reported);
        const evidence = position.recordDiscrepancy(reported, poll.startedAt, patience);
        discrepancies.push({ symbol, tracked, reported, ...evidence });
      }
    }
    return { equal, discrepancies };
  }

  /** Accepts the venue's whole list at the start of a run, without comparison. */
  initialize(positions: readonly PositionReport[], currency: Currency, monotonic: number): void {
    const rows = new Map(positions.map((row) => [row.symbol, row]));
    for (const row of positions) this.#track(row.symbol, currency);
    for (const position of this.#tracked.values) {
      if (position.currency !== currency) continue;
      this.acceptReport(position.symbol, currency, rows.get(position.symbol), monotonic);
    }
  }

  /** Starts from a signed quantity alone, where the venue shows no row. */
  initializeQuantity(
    symbol: string,
    currency: Currency,
    quantity: Quantity,
    monotonic: number,
  ): void {
    this.acceptReport(symbol, currency, undefined, monotonic);
    this.#track(symbol, currency).quantity = quantity;
  }

  /** The venue's row replaces the tracked position. `unexplained`: the part not from our orders. */
  acceptReport(
    symbol: string,
    currency: Currency,
    row: PositionReport | undefined,
    monotonic: number,
    unexplained = ZERO as Quantity,
  ): void {
    this.#track(symbol, currency).accept(row, monotonic, unexplained);
  }

  /** Sets the external part: at the start, and when the operator has adopted it. */
  setExternalShare(symbol: string, currency: Currency, external: Quantity): void {
    const position = this.#track(symbol, currency);
    position.external = withinPosition(external, position.quantity);
  }

  /** Whether a row of position history proves that the tracked position is closed. */
  provesClosed(symbol: string, currency: Currency, closes: readonly CloseReport[]): boolean {
    return this.closeOf(symbol, currency, closes) !== undefined;
  }

  /** The row of position history that proves it. */
  closeOf(
    symbol: string,
    currency: Currency,
    closes: readonly CloseReport[],
  ): CloseReport | undefined {
    return this.#tracked.get(symbol, currency)?.closeOf(closes);
  }

  #track(symbol: string, currency: Currency): TrackedPosition {
    return this.#tracked.getOrAdd(symbol, currency, () => new TrackedPosition(symbol, currency));
  }
}
