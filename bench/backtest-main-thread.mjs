// `sluice backtest` without a thread of its own: what bench:backtest compares with.
import { runCli } from '../lib/src/cli/main.js';
import { nodeClock } from '../dist/src/io/node/node-clock.js';
import { nodeFiles } from '../dist/src/io/node/node-files.js';
import { nodeFolders } from '../dist/src/io/node/node-folders.js';
import { nodeRandom } from '../dist/src/io/node/node-random.js';
import { nodeScheduler } from '../dist/src/io/node/node-scheduler.js';

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  isTerminal: false,
  env: process.env,
  onSignal: () => () => undefined,
  clock: nodeClock,
  scheduler: nodeScheduler,
  random: nodeRandom,
  files: nodeFiles,
  folders: nodeFolders,
});
// As bin/sluice.mjs does.
setTimeout(() => process.exit(), 500).unref();
