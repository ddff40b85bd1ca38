import { nodeCacheFiles } from '../../../io/node/cache/node-cache-files.js';
import { nodeClock } from '../../../io/node/node-clock.js';
import { nodeFiles } from '../../../io/node/node-files.js';
import { nodeFolders } from '../../../io/node/node-folders.js';
import { nodeRandom } from '../../../io/node/node-random.js';
import { nodeScheduler } from '../../../io/node/node-scheduler.js';
import type { Io } from '../../command-io.js';

/** A thread's process without output. Node delivers signals to the main thread only. */
export const silentIo: Io = {
  stdout: () => undefined,
  stderr: () => undefined,
  isTerminal: false,
  env: process.env,
  onSignal: () => () => undefined,
  clock: nodeClock,
  scheduler: nodeScheduler,
  random: nodeRandom,
  files: nodeFiles,
  folders: nodeFolders,
  cacheFiles: nodeCacheFiles,
};
