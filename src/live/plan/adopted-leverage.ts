import type { JournalRecord } from '../../execution/journal/journal-record.js';

/**
 * Symbols whose leverage a person has accepted (`sluice strategy adopt`), and no run has set at the venue since:
 * the next start sets it.
 */
export function adoptedLeverage(records: readonly JournalRecord[]): ReadonlySet<string> {
  const symbols = new Set<string>();
  for (const record of records) {
    if (record.type === 'leverage') symbols.delete(record.symbol);
    if (record.type !== 'ownership' || record.decision !== 'adopt') continue;
    for (const symbol of record.symbols) symbols.add(symbol);
  }
  return symbols;
}
