// The swarm simulation: many seeds, each a world of its own (test/simulation/swarm), on every core.
// Usage: npm run sim [-- --seeds 1000 --from 1 --jobs 2 --minutes N --without NAME,NAME --json --no-corpus --no-shrink]
//        npm run sim -- --seed N [--trace --hash]
import { programOptions } from './program-options.mjs';
import { join } from 'node:path';
import { ROOT, SCRATCH, transpile } from './transpile.mjs';

const values = programOptions(import.meta.url, {
  seeds: { type: 'number', default: 1_000 },
  from: { type: 'number', default: 1 },
  seed: { type: 'number' },
  jobs: { type: 'number' },
  without: { type: 'string' },
  minutes: { type: 'number' },
  trace: { type: 'boolean', default: false },
  hash: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  'no-corpus': { type: 'boolean', default: false },
  'no-shrink': { type: 'boolean', default: false },
});
const out = transpile({ out: join(SCRATCH, 'sim') });
const { swarm } = await import(join(out, 'test/simulation/swarm/swarm.js'));
process.exitCode = await swarm({
  worker: join(out, 'test/simulation/swarm/main.js'),
  corpusFile: join(ROOT, 'test/simulation/swarm/corpus.json'),
  ...values,
});
