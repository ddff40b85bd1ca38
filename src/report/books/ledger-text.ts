import { add, textFromFixed, type Amount, type Fixed } from '../../core/fixed/fixed.js';
import type { LedgerKind, LedgerRow } from './ledger-row.js';
import type { LocalTime } from './local-time.js';
import type { Statement } from './statement.js';

/** A ledger row for people and programs; decimals are texts, absent facts are null. */
export interface LedgerLine {
  readonly time_utc: string | null;
  readonly time_local: string | null;
  readonly kind: LedgerKind | 'opening' | 'closing';
  readonly currency: string;
  /** Change of balance and locked margin. */
  readonly amount: string | null;
  /** Balance and locked margin after the row. */
  readonly balance: string;
  readonly owner: string | null;
  readonly symbol: string | null;
  readonly side: string | null;
  readonly quantity: string | null;
  readonly price: string | null;
  readonly value: string | null;
  readonly gst: string | null;
  readonly hedge_rate: string | null;
  readonly order_id: string | null;
  readonly client_order_id: string | null;
  readonly position_id: string | null;
  readonly row_id: string | null;
}

const text = (value: Fixed | undefined): string | null =>
  value === undefined ? null : textFromFixed(value);

const NO_FACTS = {
  time_utc: null,
  time_local: null,
  amount: null,
  owner: null,
  symbol: null,
  side: null,
  quantity: null,
  price: null,
  value: null,
  gst: null,
  hedge_rate: null,
  order_id: null,
  client_order_id: null,
  position_id: null,
  row_id: null,
};

/** Opening, the rows with the balance after each, closing. */
export function ledgerLines(statement: Statement, time: LocalTime): readonly LedgerLine[] {
  const { currency, opening, closing, rows } = statement;
  let balance: Amount = opening;
  const lines = rows.map((row) => {
    balance = add(balance, row.amount);
    return lineOf(row, balance, time);
  });
  return [
    { ...NO_FACTS, kind: 'opening', currency, balance: textFromFixed(opening) },
    ...lines,
    { ...NO_FACTS, kind: 'closing', currency, balance: textFromFixed(closing) },
  ];
}

const lineOf = (row: LedgerRow, balance: Amount, time: LocalTime): LedgerLine => ({
  time_utc: new Date(row.at).toISOString(),
  time_local: time.text(row.at),
  kind: row.kind,
  currency: row.currency,
  amount: textFromFixed(row.amount),
  balance: textFromFixed(balance),
  owner: row.owner,
  symbol: row.symbol ?? null,
  side: row.side ?? null,
  quantity: text(row.quantity),
  price: text(row.price),
  value: text(row.value),
  gst: text(row.gst),
  hedge_rate: text(row.hedgeRate),
  order_id: row.orderId ?? null,
  client_order_id: row.clientOrderId ?? null,
  position_id: row.positionId ?? null,
  row_id: row.rowId ?? null,
});

/** One line a record after a line of names, as RFC 4180 has it. A text that a spreadsheet would compute is quoted with `'`. */
export function csvText(rows: readonly object[], columns: readonly string[]): string {
  const lines = rows.map((row) => {
    const values = new Map<string, unknown>(Object.entries(row));
    return columns.map((column) => cell(values.get(column))).join(',');
  });
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(plain) && !NUMBER.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
