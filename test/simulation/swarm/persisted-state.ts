import type { JournalLine } from './journal-tap.js';
import type { Counted } from './trader.js';

/** Keys of the engine's own, beside those of the strategy. */
const OWN_KEYS = /^(?:target|entry):/;

/** What a strategy kept with a step, or undefined. */
export function persistedStateIn(
  line: JournalLine,
): (Counted & { readonly who: string }) | undefined {
  const persisted = line['kept'] as { readonly key: string; readonly value: string } | undefined;
  if (persisted === undefined || OWN_KEYS.test(persisted.key)) return undefined;
  return {
    who: `${String(line['strategyId'])} ${persisted.key}`,
    ...(JSON.parse(persisted.value) as Counted),
  };
}
