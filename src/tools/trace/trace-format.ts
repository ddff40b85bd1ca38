import { textFromFixed, type Fixed } from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import { encodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import type { TermsTrace } from './trace.js';

/** ISO 8601 in UTC, without zero milliseconds. */
export const timeText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

export const termsTrace = (terms: OrderTerms): TermsTrace => ({
  symbol: terms.symbol,
  currency: terms.currency,
  side: terms.side,
  type: terms.type,
  quantity: textFromFixed(terms.quantity),
  ...optional('price', terms.price),
  reduce_only: terms.reduceOnly,
  ...optional('stop_loss', terms.stopLoss),
  ...optional('take_profit', terms.takeProfit),
});

const optional = <Name extends string>(
  name: Name,
  value: Fixed | undefined,
): Partial<Record<Name, string>> =>
  value === undefined ? {} : ({ [name]: textFromFixed(value) } as Record<Name, string>);

/** A record as in the journal: decimals as text. */
export const asJournaled = (record: JournalRecord): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(encodeJournalRecord(record)).toString('utf8')) as Record<string, unknown>;
