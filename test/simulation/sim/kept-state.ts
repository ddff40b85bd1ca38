import type { JournalLine } from './journal-tap.js';
import type { Counted } from './trader.js';

/** Keys of the engine's own, beside those of the strategy. */
const OWN_KEYS = /^(?:target|entry):/;

/** What a strategy kept with a step, or undefined. */
export function keptIn(line: JournalLine): (Counted & { readonly who: string }) | undefined {
  const kept = line['kept'] as { readonly key: string; readonly value: string } | undefined;
  if (kept === undefined || OWN_KEYS.test(kept.key)) return undefined;
  return {
    who: `${String(line['strategyId'])} ${kept.key}`,
    ...(JSON.parse(kept.value) as Counted),
  };
}
