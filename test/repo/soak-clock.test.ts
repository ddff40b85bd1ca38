import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const PRELOAD = new URL('../longrun/proofs/soak/fast-clock.mjs', import.meta.url);
/** Prints ms of the three clocks over a timer of 2,000 ms, and real ms, in the first thread or in a worker. */
const MEASURE = `
  const start = [Date.now(), +new Date(), performance.now(), process.hrtime.bigint()];
  setTimeout(() => {
    const [wall, date, monotonic] = [Date.now(), +new Date(), performance.now()];
    const real = Number(process.hrtime.bigint() - start[3]) / 1e6;
    console.log(JSON.stringify({ wall: wall - start[0], date: date - start[1], monotonic: monotonic - start[2], real }));
  }, 2_000);`;
const MODULE = `data:text/javascript,${encodeURIComponent(MEASURE)}`;
const IN_WORKER = `new (require('node:worker_threads').Worker)(new URL(${JSON.stringify(MODULE)}));`;

test.each([
  ['the first thread', MEASURE],
  ['a worker', IN_WORKER],
])('the clocks and timers of %s run at the rate of the soak', (_thread, code) => {
  const preload = `${PRELOAD.href}?rate=10&from=${Date.now()}`;
  const { stdout } = spawnSync(process.execPath, ['--import', preload, '-e', code], {
    encoding: 'utf8',
  });
  const { wall, date, monotonic, real } = JSON.parse(stdout) as Record<string, number>;
  // Both ends of a span are read one after the other, so that a busy machine changes all of them alike.
  for (const span of [wall, date, monotonic]) {
    expect((span ?? 0) / (real ?? 0)).toBeGreaterThan(8);
    expect((span ?? 0) / (real ?? 0)).toBeLessThan(12);
  }
  expect(monotonic).toBeGreaterThanOrEqual(1_990);
});
