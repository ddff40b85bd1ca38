import { CURRENCIES, type Currency } from '../../core/currency.js';
import { fixedFromText, type Amount } from '../../core/fixed/fixed.js';
import { csvText, ledgerLines, type LedgerLine } from './ledger-text.js';
import type { LocalTime } from './local-time.js';
import type { Statement } from './statement.js';

/** `journal`: rows of this bot's journal, which the venue has not confirmed. */
export type LedgerSource = 'venue' | 'journal';

/** In the order of the CSV file. */
const COLUMNS = [
  'time_utc',
  'time_local',
  'kind',
  'currency',
  'amount',
  'balance',
  'owner',
  'symbol',
  'side',
  'quantity',
  'price',
  'value',
  'gst',
  'hedge_rate',
  'order_id',
  'client_order_id',
  'position_id',
  'row_id',
  'source',
] as const satisfies readonly (keyof LedgerLine | 'source')[];

/** The ledger as CSV: for each statement its opening, its rows and its closing. */
export function ledgerCsv(
  statements: readonly Statement[],
  time: LocalTime,
  source: LedgerSource,
): { readonly text: string; readonly lines: number } {
  const lines = statements
    .flatMap((statement) => ledgerLines(statement, time))
    .map((line) => ({ ...line, source }));
  return { text: csvText(lines, COLUMNS), lines: lines.length };
}

/** Closings in a file of `ledgerCsv`. Empty for another file. */
export function closingsOf(text: string): ReadonlyMap<Currency, Amount> {
  const found = new Map<Currency, Amount>();
  for (const currency of CURRENCIES) {
    const pattern = new RegExp(`^,,closing,${currency},,(-?\\d+(?:\\.\\d+)?),`, 'm');
    const balance = pattern.exec(text)?.[1];
    if (balance !== undefined) found.set(currency, fixedFromText<'USDT'>(balance));
  }
  return found;
}
