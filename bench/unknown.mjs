// How long an unclear order stays unproved while the venue answers, and how long a sweep of 40 orders
// takes while one reply in five is a 429 or a 500. The real bot on virtual time: no machine matters.
// Usage: npm run bench:unknown [-- --seeds 20]
import { join } from 'node:path';
import { SCRATCH, transpile } from '../scripts/transpile.mjs';
import { option, percentile } from './sandbox-process.mjs';

const seeds = option('seeds', 20);
const MINUTES = 10;
const out = transpile({ out: join(SCRATCH, 'bench') });
const { sweep, timesToProof } = await import(join(out, 'bench/unknown-orders/measures.js'));

const times = [];
const sweeps = [];
for (let seed = 1; seed <= seeds; seed += 1) {
  times.push(...(await timesToProof(seed, MINUTES)));
  sweeps.push(await sweep(seed));
  process.stderr.write(`bench:unknown: seed ${seed} of ${seeds}\n`);
}
times.sort((a, b) => a - b);
const lasts = sweeps.map(({ lastCancelMs }) => lastCancelMs).sort((a, b) => a - b);
const result = {
  unknowns: times.length,
  p50_ms: percentile(times, 0.5),
  p99_ms: percentile(times, 0.99),
  sweep_orders: Math.min(...sweeps.map(({ orders }) => orders)),
  sweep_ms: lasts.at(-1),
  sweep_p50_ms: percentile(lasts, 0.5),
  sweeps: sweeps.length,
  sweep_cancels: Math.max(...sweeps.map(({ cancels }) => cancels)),
  left_open: Math.max(...sweeps.map(({ left }) => left)),
};
console.log(JSON.stringify(result));
const holds =
  result.p50_ms <= 1_000 &&
  result.p99_ms <= 3_000 &&
  result.sweep_ms <= 6_000 &&
  result.left_open === 0;
process.exit(holds ? 0 : 1);
