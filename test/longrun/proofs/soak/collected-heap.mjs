// Preloaded into a daemon: its heap is collected before each sample, so that a sample has no garbage.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const INTERVAL_MS = 2_000;

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setInterval(() => collect(), INTERVAL_MS).unref();
}
