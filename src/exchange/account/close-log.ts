import type { CloseReport } from '../../core/account.js';
import { CURRENCIES, type Currency } from '../../core/currency.js';
import { ONE, type Amount, type Price, type Quantity, type Ratio } from '../../core/fixed/fixed.js';
import { Dictionary, MAX_VALUES } from '../../core/table/dictionary.js';
import { TypedTable } from '../../core/table/typed-table.js';

/** A close of the simulated exchange, which knows every field. */
type Close = Required<CloseReport>;

const CELL = {
  ...{ rowId: 0, positionId: 1, orderId: 2, kind: 3, quantity: 4, entryPrice: 5, closePrice: 6 },
  ...{ pnl: 7, openedAt: 8, closedAt: 9, hedge: 10 },
} as const;
const WIDTH = 11;
/** Of closes with a hedge rate other than 1. */
const HEDGE = { entry: 0, exit: 1 } as const;
const HEDGE_WIDTH = 2;

/** Rows beyond a page that are sorted at once. */
const MIN_BATCH = 64;

const ROLES: readonly Close['role'][] = ['trade', 'stop-loss', 'take-profit'];
const SIDES: readonly Close['side'][] = ['long', 'short'];
const KINDS: readonly Close['kind'][] = ['partial', 'closed', 'liquidated'];

/** Every close of a position, oldest first. */
export class CloseLog {
  readonly #rows = new TypedTable(WIDTH);
  readonly #hedgeRates = new TypedTable(HEDGE_WIDTH);
  readonly #symbols = new Dictionary<string>();
  readonly #leverages = new Dictionary<Ratio>();

  add(close: Close): void {
    const rows = this.#rows;
    const row = rows.add();
    rows.setId(row, CELL.rowId, close.rowId);
    rows.setId(row, CELL.positionId, close.positionId);
    rows.setId(row, CELL.orderId, close.orderId);
    const symbol = this.#symbols.indexOf(close.symbol);
    const leverage = this.#leverages.indexOf(close.leverage);
    rows.setNumber(row, CELL.kind, codeOf(close) + CODES * (symbol + MAX_VALUES * leverage));
    rows.setFixed(row, CELL.quantity, close.quantity);
    rows.setFixed(row, CELL.entryPrice, close.entryPrice);
    rows.setFixed(row, CELL.closePrice, close.closePrice);
    rows.setFixed(row, CELL.pnl, close.pnl);
    rows.setNumber(row, CELL.openedAt, close.openedAt);
    rows.setNumber(row, CELL.closedAt, close.closedAt);
    if (close.entryHedgeRate !== ONE || close.exitHedgeRate !== ONE)
      rows.setNumber(row, CELL.hedge, 1 + this.#addHedgeRates(close));
  }

  #addHedgeRates({ entryHedgeRate, exitHedgeRate }: Close): number {
    const rates = this.#hedgeRates;
    const row = rates.add();
    rates.setFixed(row, HEDGE.entry, entryHedgeRate);
    rates.setFixed(row, HEDGE.exit, exitHedgeRate);
    return row;
  }

  #hedgeRate(row: number, field: number): Ratio {
    const hedge = this.#rows.number(row, CELL.hedge) - 1;
    return hedge < 0 ? ONE : (this.#hedgeRates.fixed<Ratio>(hedge, field) as Ratio);
  }

  hasPosition(positionId: string): boolean {
    for (let row = 0; row < this.#rows.length; row += 1)
      if (this.#rows.id(row, CELL.positionId) === positionId) return true;
    return false;
  }

  /**
   * Newest open time first; closes of one position newest first. It costs the rows that it returns, since a position
   * closes after it opened.
   * @param limit most rows
   * @param from earliest open time, ms UTC
   */
  newestFirst(currency: Currency, limit = Infinity, from = -Infinity): readonly CloseReport[] {
    if (limit < 1) return [];
    const rows = this.#rows;
    let found: number[] = [];
    const openedAt = (row: number): number => rows.number(row, CELL.openedAt);
    /** Rows that closed up to it do not belong to the answer. */
    let until = -Infinity;
    for (let row = rows.length - 1; row >= 0; row -= 1) {
      const closedAt = rows.number(row, CELL.closedAt);
      if (closedAt <= until || closedAt < from) break;
      if (openedAt(row) < from || currencyOf(rows.number(row, CELL.kind)) !== currency) continue;
      found.push(row);
      if (found.length < 2 * limit + MIN_BATCH) continue;
      found = found.sort((a, b) => openedAt(b) - openedAt(a)).slice(0, limit);
      until = openedAt(found[limit - 1] as number);
    }
    found.sort((a, b) => openedAt(b) - openedAt(a));
    return found.slice(0, limit).map((row) => this.#at(row));
  }

  #at(row: number): Close {
    const rows = this.#rows;
    const kind = rows.number(row, CELL.kind);
    const choice = Math.floor((kind % CODES) / 4);
    const shared = Math.floor(kind / CODES);
    return {
      rowId: rows.id(row, CELL.rowId) as string,
      positionId: rows.id(row, CELL.positionId) as string,
      orderId: rows.id(row, CELL.orderId) as string,
      role: ROLES[choice % ROLES.length] as Close['role'],
      symbol: this.#symbols.at(shared % MAX_VALUES),
      currency: currencyOf(kind),
      side: SIDES[kind & 1] as Close['side'],
      kind: KINDS[Math.floor(choice / ROLES.length)] as Close['kind'],
      quantity: rows.fixed(row, CELL.quantity) as Quantity,
      entryPrice: rows.fixed(row, CELL.entryPrice) as Price,
      closePrice: rows.fixed(row, CELL.closePrice) as Price,
      pnl: rows.fixed(row, CELL.pnl) as Amount,
      leverage: this.#leverages.at(Math.floor(shared / MAX_VALUES)),
      entryHedgeRate: this.#hedgeRate(row, HEDGE.entry),
      exitHedgeRate: this.#hedgeRate(row, HEDGE.exit),
      openedAt: rows.number(row, CELL.openedAt),
      closedAt: rows.number(row, CELL.closedAt),
    };
  }
}

const CODES = KINDS.length * ROLES.length * 4;

const codeOf = ({ kind, role, currency, side }: Close): number =>
  4 * (KINDS.indexOf(kind) * ROLES.length + ROLES.indexOf(role)) +
  2 * CURRENCIES.indexOf(currency) +
  SIDES.indexOf(side);

const currencyOf = (code: number): Currency => CURRENCIES[(code >> 1) & 1] as Currency;
