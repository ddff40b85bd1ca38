// The real daemon against a sandbox in another process: how long after the frame from which a decision
// follows the POST of its order begins to leave. Journal and record lie on the real disk.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeClock } from '../dist/src/io/node/node-clock.js';
import { nodeFiles } from '../dist/src/io/node/node-files.js';
import { nodeRandom } from '../dist/src/io/node/node-random.js';
import { nodeScheduler } from '../dist/src/io/node/node-scheduler.js';
import { strategyWorkers } from '../dist/src/strategy/isolation/strategy-worker.js';
import { runCommand } from '../dist/src/cli/commands/run/run-command.js';
import { nodeRunPorts } from '../dist/src/cli/commands/run/run-ports.js';
import { createNodeNet } from '../dist/src/io/net/node-net.js';
import { startSandbox } from './sandbox-process.mjs';

/** Candles so far apart that nothing waits for the rate budget: that is the venue's time. */
const CLOCK = 'fast:20';
const FLIP = fileURLToPath(new URL('./flip.mjs', import.meta.url));

/**
 * @param {readonly string[]} symbols a strategy for each
 * @returns ms from frame to POST, for each order but the first of a symbol
 */
export async function frameToPost(folder, seconds, symbols) {
  mkdirSync(folder);
  const sandbox = await startSandbox(['--no-limits', '--clock', CLOCK, '--seed', '1']);
  // A venue computes its candles on a machine of its own, not on the core that the bot wants then.
  sandbox.giveWay();
  try {
    const config = writeConfig(folder, sandbox, symbols);
    const costs = [];
    const net = observedNet(createNodeNet(), costs);
    const stderrLines = [];
    const exitCode = await runCommand(
      { config, json: true, debug: false, durationMs: seconds * 1_000 },
      {
        ...{ stdout: () => undefined, stderr: (text) => stderrLines.push(text), isTerminal: false },
        ...{ env: process.env, onSignal: () => () => undefined, clock: nodeClock },
        ...{ scheduler: nodeScheduler, random: nodeRandom, files: nodeFiles },
        startThread: strategyWorkers(),
      },
      { ...nodeRunPorts, openNet: () => net },
    );
    if (exitCode !== 0 || costs.length === 0) throw new Error(stderrLines.slice(-5).join(''));
    return costs;
  } finally {
    await sandbox.stop();
  }
}

function observedNet(inner, costs) {
  /** Symbol → when its newest candle frame came. */
  const receivedAt = new Map();
  /** Symbols whose first order has left: that one followed from the start and no frame. */
  const started = new Set();
  return {
    close: () => inner.close(),
    connect: (url, handlers) =>
      inner.connect(url, {
        ...handlers,
        onMessage(text) {
          const symbol = /kline@1m@(\w+)/.exec(text)?.[1]?.toUpperCase();
          if (symbol !== undefined) receivedAt.set(symbol, performance.now());
          handlers.onMessage(text);
        },
      }),
    request(request) {
      const symbol = /v2\/futures\/order\?.*symbol=(\w+)/.exec(request.url)?.[1];
      const at = receivedAt.get(symbol);
      if (request.method === 'POST' && at !== undefined && receivedAt.delete(symbol)) {
        if (started.has(symbol)) costs.push(performance.now() - at);
        started.add(symbol);
      }
      return inner.request(request);
    },
  };
}

function writeConfig(folder, { baseUrl, wsUrl, secret }, symbols) {
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const strategies = symbols.map((symbol) =>
    [
      `  - id: cross-${symbol.slice(0, 3).toLowerCase()}`,
      `    use: '${FLIP}'`,
      `    symbols: [${symbol}]`,
      `    leverage: 2`,
      `    size: { notional: '100' }`,
    ].join('\n'),
  );
  const lines = [
    'mode: sandbox',
    'account: bench',
    `venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${secretFile}' }`,
    `state_dir: '${join(folder, 'state')}'`,
    'strategies:',
    ...strategies,
    `risk: { preset: standard, symbols_allow: [${symbols.join(', ')}] }`,
    '',
  ];
  const path = join(folder, 'config.yaml');
  writeFileSync(path, lines.join('\n'));
  return path;
}
