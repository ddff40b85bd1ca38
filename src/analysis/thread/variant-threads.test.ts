import { expect, test } from 'vitest';
import { unwatchedHeartbeat } from '../../backtest/heartbeat.js';
import { nodeClock } from '../../io/node/node-clock.js';
import { variantPool } from './variant-threads.js';

/** A thread that compiles one module, and answers with the modules that it was given. */
const ENTRY = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.once('message', ({ compiled }) => {
      const failure = JSON.stringify([...compiled]);
      parentPort.postMessage({ failure, reads: [], compiled: new Map([['source', 'code']]) });
    });`)}`,
);

test('a module that one thread has compiled is given to the threads after it', async () => {
  const pool = variantPool({
    entry: ENTRY,
    options: {},
    io: { isTerminal: false, stderr: () => undefined, clock: nodeClock },
    heartbeat: unwatchedHeartbeat(),
  });
  const job = { variant: {}, candles: 1 };
  const [first] = await pool.run([job]);
  const [second] = await pool.run([job]);
  expect(first?.failure).toBe('[]');
  expect(second?.failure).toBe('[["source","code"]]');
});
