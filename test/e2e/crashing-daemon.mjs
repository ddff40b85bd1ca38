// The real daemon, which kills itself with SIGKILL at a chosen point of its first order's way.
// Usage: node doomed-daemon.mjs CONFIG POINT
import { appendFileSync } from 'node:fs';
import { nodeClock } from '../../dist/src/io/node/node-clock.js';
import { nodeFiles } from '../../dist/src/io/node/node-files.js';
import { nodeRandom } from '../../dist/src/io/node/node-random.js';
import { nodeScheduler } from '../../dist/src/io/node/node-scheduler.js';
import { runCommand } from '../../dist/src/cli/commands/run/run-command.js';
import { nodeRunPorts } from '../../dist/src/cli/commands/run/run-ports.js';
import { createNodeNet } from '../../dist/src/io/net/node-net.js';

const [config, point] = process.argv.slice(2);
/** Long enough for the kernel to have the bytes, far too short for an answer held back. */
const BYTES_LEAVE_MS = 50;
const killSelf = () => process.kill(process.pid, 'SIGKILL');
const isPlace = ({ method, url }) => method === 'POST' && url.includes('/fapi/v2/futures/order');

const inner = createNodeNet();
const net = {
  connect: (url, handlers) => inner.connect(url, handlers),
  close: () => inner.close(),
  request(request) {
    if (!isPlace(request)) return inner.request(request);
    if (point === 'attempt-journaled') killSelf();
    const answer = inner.request(request);
    if (point === 'bytes-sent') setTimeout(killSelf, BYTES_LEAVE_MS);
    return answer.then((response) => {
      if (point === 'answer-read') killSelf();
      return response;
    });
  },
};

const files = {
  ...nodeFiles,
  async openAppend(path) {
    const file = await nodeFiles.openAppend(path);
    if (!path.endsWith('/journal.log')) return file;
    return {
      initialSize: file.initialSize,
      append(bytes) {
        const text = Buffer.from(bytes).toString('latin1');
        const attempt = text.indexOf('"type":"attempt"');
        // One write holds both: it is torn where the attempt begins.
        if (point === 'intent-journaled' && attempt >= 0) {
          appendFileSync(path, bytes.subarray(0, attempt));
          killSelf();
        }
        return file.append(bytes);
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
};

const exitCode = await runCommand(
  { config, json: true, debug: false, durationMs: 120_000 },
  {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    isTerminal: false,
    env: process.env,
    onSignal: () => () => undefined,
    clock: nodeClock,
    scheduler: nodeScheduler,
    random: nodeRandom,
    files,
  },
  { ...nodeRunPorts, openNet: () => net },
);
process.exit(exitCode);
