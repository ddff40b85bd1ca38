import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

const TARGET = fileURLToPath(new URL('../fixtures/constant-target.ts', import.meta.url));
const FUTURES = 'GET /fapi/v1/futures';
/** Reads that an exit does not need. */
const ENTRY_READS = [
  FUTURES,
  `${FUTURES}/funds`,
  `${FUTURES}/orders`,
  `${FUTURES}/{asset_id}/leverage`,
];

let rig: DaemonRig;
let daemon: RunningDaemon | undefined;

beforeEach(async () => {
  rig = await DaemonRig.open();
}, 60_000);
afterEach(async () => {
  await rig.faults([]);
  await stop();
  await rig.close();
}, 60_000);

function start(target: number): void {
  const text = readFileSync(rig.config, 'utf8');
  const strategy = `  - { id: held, use: '${TARGET}', symbols: [BTCUSDT], isolation: none, size: { notional: '200' }, params: { value: ${target}, warmup: 3 } }\n`;
  const from = text.indexOf('  - {');
  writeFileSync(
    rig.config,
    `${text.slice(0, from)}${strategy}${text.slice(text.indexOf('risk:'))}`,
  );
  daemon = rig.start();
}

async function stop(): Promise<void> {
  daemon?.press();
  await daemon?.ended;
  daemon = undefined;
}

/** @returns the quantity */
async function stopWithPosition(): Promise<string> {
  start(1);
  const { positions } = await rig.statusWhen((status) =>
    status.positions.some(({ own }) => own !== '0'),
  );
  await stop();
  expect(rig.atVenue().positions).toBe(1);
  return positions[0]?.own ?? '';
}

const failing = (reads: readonly string[]): Promise<void> =>
  rig.faults(reads.map((on) => ({ on, fault: '500_before', probability: 1 })));

it('the exit of an open position leaves after a start whose other reads of the account all fail', async () => {
  await stopWithPosition();
  await failing(ENTRY_READS);
  start(0);
  const flat = await rig.statusWhen(({ running, positions }) => running && positions.length === 0);
  expect(rig.atVenue().positions).toBe(0);
  expect(flat.symbols).toMatchObject({ BTCUSDT: { mode: 'REDUCE_ONLY' } });
}, 120_000);

it('a person closes a position while the same reads fail', async () => {
  const quantity = await stopWithPosition();
  await failing(ENTRY_READS);
  const place = ['order', 'place', 'sell', 'BTCUSDT', '--quantity', quantity, '--reduce-only'];
  const { exitCode, stderr } = await rig.run(...place, '--yes', '--json');
  expect([exitCode, rig.atVenue().positions], stderr).toEqual([0, 0]);
}, 120_000);

it('a flatten without a daemon needs no file of the configuration', async () => {
  await stopWithPosition();
  rmSync(rig.config);
  const { exitCode, stderr } = await runSluice(['kill', rig.stateDir, '--level', 'flatten']);
  expect([exitCode, rig.atVenue().positions], stderr).toEqual([0, 0]);
}, 120_000);

it('a flatten is carried out while the candles of the warm-up are not read yet', async () => {
  await stopWithPosition();
  await failing(['GET /fapi/v1/price/kline']);
  start(1);
  await rig.statusWhen(({ causes }) =>
    causes.includes('the strategies wait: the candles of the warm-up are not read yet'),
  );
  const kill = await rig.run('kill', '--level', 'flatten');
  expect([kill.exitCode, rig.atVenue().positions], kill.stderr).toEqual([0, 0]);
}, 120_000);

it('strategies trade as soon as the candles of their warm-up can be read', async () => {
  await stopWithPosition();
  await failing(['GET /fapi/v1/price/kline']);
  start(-1);
  await rig.statusWhen(({ causes }) => causes.some((each) => each.includes('warm-up')));
  expect(rig.served.sandbox.exchange.positions('USDT')[0]?.quantity).toBeGreaterThan(0);
  await rig.faults([]);
  await rig.statusWhen(({ positions }) => positions.some(({ own }) => own.startsWith('-')));
}, 120_000);
