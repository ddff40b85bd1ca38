// Cost of the journal: an intent's write-ahead on the real disk, the time from a frame that closes a candle
// to the POST that follows from it, and a start over a journal of 100,000 records.
// Usage: npm run bench:journal [-- --intents 2000 --seconds 300 --records 100000 --starts 5]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { frameToPost } from './journal-latency.mjs';
import { startOver } from './journal-recovery.mjs';
import { syncedAppends, writeAhead } from './journal-write.mjs';
import { option, percentile } from './sandbox-process.mjs';

// Beside the checkout: the system's own folder for such things may lie in memory.
mkdirSync('.sluice', { recursive: true });
const folder = mkdtempSync(join(process.cwd(), '.sluice/bench-'));
/** Their candles close together: the last of them waits for the others. */
const TOGETHER = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const rounded = (value) => Math.round(value * 1_000) / 1_000;
const summary = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    count: sorted.length,
    p50_ms: rounded(percentile(sorted, 0.5)),
    p99_ms: rounded(percentile(sorted, 0.99)),
    max_ms: rounded(sorted.at(-1) ?? Number.NaN),
  };
};

try {
  const intents = option('intents', 2_000);
  // As many before: while code is new it is compiled beside the writes, on the core that they want.
  const ahead = await writeAhead(join(folder, 'write'), 2 * intents);
  const floor = await syncedAppends(join(folder, 'floor'), intents);
  const seconds = option('seconds', 300);
  const alone = await frameToPost(join(folder, 'alone'), seconds, ['BTCUSDT']);
  const together = await frameToPost(join(folder, 'together'), seconds, TOGETHER);
  const records = option('records', 100_000);
  const start = await startOver(join(folder, 'start'), records, option('starts', 5));
  const result = {
    disk_sync: summary(floor),
    write_ahead: {
      ...summary(ahead.slice(intents)),
      ...{ first: summary(ahead.slice(0, intents)), target_p99_ms: 2 },
    },
    frame_to_post: {
      ...summary(alone),
      ...{ [`${TOGETHER.length}_at_once`]: summary(together), target_p99_ms: 5 },
    },
    recovery: {
      records,
      read_and_rebuild_ms: rounded(start.rebuildMs),
      compaction_ms: rounded(start.compactionMs),
      exec_to_trading: { ...summary(start.tradingMs), target_p50_ms: 3_000, target_p99_ms: 5_000 },
    },
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
