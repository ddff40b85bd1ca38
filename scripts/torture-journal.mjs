// Damages a journal in every way and opens it (reliability goal T9): each truncation of a tail of 64 KiB,
// each bit of 8 KiB, 10,000 losses of unsynced blocks. `--every N`: one truncation and bit of N.
// Usage: npm run torture:journal [-- --every 1 --json]
import { join } from 'node:path';
import { programOptions } from './program-options.mjs';
import { SCRATCH, transpile } from './transpile.mjs';

const values = programOptions(import.meta.url, {
  json: { type: 'boolean', default: false },
  every: { type: 'number', default: 1 },
});
const out = transpile({ out: join(SCRATCH, 'torture') });
const { tortureJournal } = await import(join(out, 'test/longrun/torture/journal-torture.js'));
const totals = await tortureJournal({ every: values.every });
const { truncations, flips, reorders, silent, crashes, needless } = totals;
process.stdout.write(
  values.json
    ? `${JSON.stringify(totals)}\n`
    : `${truncations} truncations, ${flips} flipped bits, ${reorders} reorders: ` +
        `${silent} accepted in silence, ${crashes} crashes, ${needless} refused without need\n`,
);
process.exitCode = silent + crashes + needless === 0 ? 0 : 1;
