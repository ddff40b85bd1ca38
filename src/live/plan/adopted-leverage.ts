import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { entryStateKey } from '../../strategy/contract/entry-settings.js';

/**
 * Symbols whose leverage a person has accepted (`sluice strategy adopt`), and no run has traded since: the next
 * start sets it at the venue. A compaction drops the state that such a decision keeps, and with it the wait.
 */
export function adoptedLeverage(records: readonly JournalRecord[]): ReadonlySet<string> {
  const symbols = new Set<string>();
  for (const record of records) {
    const isTrading =
      record.type === 'mode' && record.symbol === undefined && record.to === 'TRADING';
    if (isTrading) symbols.clear();
    if (record.type !== 'ownership' || record.decision !== 'adopt') continue;
    const keys = new Set(record.kept.map(({ key }) => key));
    for (const symbol of record.symbols) {
      if (keys.has(entryStateKey(symbol))) symbols.add(symbol);
    }
  }
  return symbols;
}
