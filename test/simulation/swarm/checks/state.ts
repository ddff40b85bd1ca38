import { persistedStateIn } from '../persisted-state.js';
import type { Counted } from '../trader.js';
import type { Check, Finding } from '../watcher.js';

/**
 * A strategy that counts its decisions goes on after every death with the count that is durable: none is
 * lost and none is counted twice (P7, for what strategies keep).
 */
export const decisionsOnce: Check = {
  id: 'P7',
  name: 'DecisionsOnce',
  watch(world) {
    const last = new Map<string, Counted>();
    const follows = (who: string, { decisions, at }: Counted): Finding => {
      const before = last.get(who) ?? { decisions: 0, at: 0 };
      // A compaction, or a start, says the last one once more.
      if (decisions === before.decisions && at === before.at) return undefined;
      last.set(who, { decisions, at });
      if (decisions === before.decisions + 1 && at > before.at) return undefined;
      return `${who}: decision ${decisions} of ${at} follows decision ${before.decisions} of ${before.at}`;
    };
    return {
      onRecord(line) {
        const persisted = persistedStateIn(line);
        return persisted === undefined ? undefined : follows(persisted.who, persisted);
      },
      onQuiet() {
        for (const [who, { decisions }] of world.counts) {
          const durable = last.get(who)?.decisions ?? 0;
          if (decisions !== durable)
            return `${who} goes on from ${decisions} decisions, and ${durable} are durable`;
        }
        return undefined;
      },
    };
  },
};
