import type { Currency } from '../../core/currency.js';
import type { JournalRecord } from '../journal/journal-record.js';

/** Symbols that were halted and not taken up again when the journal ended: symbol → why. */
export function recoverHalts(records: readonly JournalRecord[]): ReadonlyMap<string, string> {
  const halts = new Map<string, string>();
  for (const record of records) {
    if (record.type !== 'mode' || record.symbol === undefined) continue;
    if (record.to === 'TRADING') halts.delete(record.symbol);
    else halts.set(record.symbol, record.cause);
  }
  return halts;
}

/** What a person has adopted: client order ids, and symbols too, which no id is equal to. */
export function recoverAdopted(records: readonly JournalRecord[]): ReadonlySet<string> {
  const adopted = new Set<string>();
  for (const record of records) {
    if (record.type === 'command' && record.command.kind === 'adopt') {
      adopted.add(record.command.what);
    }
  }
  return adopted;
}

/** Orders of another writer under our account name that no person has adopted. */
export function recoverStrays(records: readonly JournalRecord[]): ReadonlySet<string> {
  const adopted = recoverAdopted(records);
  const strays = records.flatMap((record) =>
    record.type === 'stray' && !adopted.has(record.clientOrderId) ? [record.clientOrderId] : [],
  );
  return new Set(strays);
}

/** Venue ms until which order history of each currency was compared with the journal. */
export function recoverJudged(records: readonly JournalRecord[]): ReadonlyMap<Currency, number> {
  return new Map(
    records.flatMap((record) =>
      record.type === 'history' ? [[record.currency, record.judgedUntil] as const] : [],
    ),
  );
}
