import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/io/node/node-clock.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeScheduler } from '../../src/io/node/node-scheduler.js';
import { STANDARD_LISTINGS } from '../../src/market/synthetic/listings.js';
import { candlesOf } from '../../src/market/synthetic/market.js';
import { loadReplay } from '../../src/market/synthetic/replay-files.js';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { listen } from '../../src/sandbox/http/server.js';
import { createSyntheticMarket } from '../../src/market/synthetic/synthetic-market.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { applyQuirks } from '../support/builders/quirks.js';

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const SHARED_DATA = join(process.env['SLUICE_SHARED'] ?? '../shared', 'data');
const MAY_31 = Date.UTC(2025, 4, 31, 13, 30);
const folder = temporaryFolder();
afterEach(() => {
  folder.remove();
});

/** Serves the candles as if live over real sockets, and lets the daemon trade on them. */
async function trade(directory: string, startMs: number, runFor: string) {
  const { market, listings } = await loadReplay(nodeFiles, directory, startMs);
  const sandbox = createSandbox(
    applyQuirks({ replay: { market, listings }, startMs, clock: { kind: 'fast', factor: 60 } }),
    { clock: nodeClock, scheduler: nodeScheduler },
  );
  sandbox.start();
  const server = await listen(sandbox, { port: 0 });
  try {
    mkdirSync(folder.path, { recursive: true });
    const secret = join(folder.path, 'secret');
    writeFileSync(secret, sandbox.secret, { mode: 0o600 });
    const config = join(folder.path, 'replay.yaml');
    const stateDir = join(folder.path, 'state');
    const text = demoConfig()
      .replace('http://127.0.0.1:8787', server.baseUrl)
      .replace('ws://127.0.0.1:8787', `${server.wsUrl}\n  api_secret_file: ${secret}`)
      .replace('state_dir: /state', `state_dir: ${stateDir}`);
    writeFileSync(config, text);
    const run = await runSluice(['run', '--config', config, '--duration', runFor, '--json']);
    const replay = await runSluice(['replay', stateDir, '--json']);
    return { run, replay, orders: sandbox.exchange.allOrders() };
  } finally {
    sandbox.stop();
    await server.close();
  }
}

function expectTraded({ run, replay, orders }: Awaited<ReturnType<typeof trade>>): void {
  expect(run.exitCode, run.stderr).toBe(0);
  const summary: unknown = JSON.parse(run.stdout);
  expect(summary).toMatchObject({ unknown: 0, reconciled: true });
  for (const symbol of SYMBOLS) {
    const filled = orders.filter((order) => order.symbol === symbol && order.status === 'filled');
    expect(filled.length, symbol).toBeGreaterThan(0);
  }
  expect(replay.exitCode, replay.stdout).toBe(0);
  expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
}

describe('the daemon over real HTTP and WebSocket', () => {
  it('trades a synthetic day that is served from files', async () => {
    const directory = join(folder.path, 'candles');
    mkdirSync(directory, { recursive: true });
    const start = Date.UTC(2025, 4, 5);
    const market = createSyntheticMarket(3, STANDARD_LISTINGS);
    for (const symbol of SYMBOLS) {
      const end = start + 86_400_000;
      const candles = candlesOf(market, {
        kind: 'last',
        symbol,
        interval: '1m',
        fromMs: start,
        toMs: end - 1,
        nowMs: end,
        limit: Infinity,
      });
      const rows = candles.map(
        ({ openTime, open, high, low, close, volume }) =>
          `${openTime / 1_000},${open},${high},${low},${close},${volume}`,
      );
      const name = `${symbol.toLowerCase()}-1m-2025-05-05.csv`;
      const text = ['open_time,open,high,low,close,volume', ...rows].join('\n');
      writeFileSync(join(directory, name), text);
    }
    expectTraded(await trade(directory, start + 12 * 3_600_000, '25s'));
  }, 90_000);

  it.skipIf(!existsSync(SHARED_DATA))(
    'trades real candles of BTC, ETH and SOL (needs SLUICE_SHARED)',
    async () => {
      expectTraded(await trade(SHARED_DATA, MAY_31, '25s'));
    },
    90_000,
  );
});
