import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFramedLog } from '../../src/io/log/framed-log.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeProcessFacts } from '../../src/io/node/process/node-process-facts.js';
import type { DriftReport } from '../../src/tools/drift/drift-report.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { runSluice, temporaryFolder, type CliResult } from '../support/rigs/cli-runner.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { isField } from '../support/builders/quirks.js';
import { stateOnDisk } from '../support/builders/state-on-disk.js';

/** A settlement of funding, at 08:00, lies within the two hours. */
const START = Date.UTC(2025, 4, 5, 7);
const RISK =
  '{ preset: standard, symbols_allow: [BTCUSDT, ETHUSDT, SOLUSDT], daily_turnover_x_equity: 100, max_orders_per_day: 5000 }';
const CONFIG = demoConfig({ risk: RISK })
  .replace('use: sma-cross', `use: ${resolve('test/fixtures/flip-flop.ts')}`)
  .replace('params: { fast: 3, slow: 8 }', 'params: { every: 5 }');
const FAULTS = [
  { on: 'POST /fapi/v2/futures/order', fault: 'resp_lost', probability: 0.05 },
  { on: 'POST /fapi/v2/futures/order', fault: 'req_lost', probability: 0.05 },
  { on: 'POST /fapi/v2/futures/order', fault: '500_before', probability: 0.02 },
  { on: 'GET /fapi/v1/futures/orders/detail', fault: 'resp_lost', probability: 0.1 },
  { on: '*', fault: 'resp_delay', probability: 0.2, delay_ms: 40 },
  { on: 'WS', fault: 'ws_drop', probability: 0.0005 },
];

const folder = temporaryFolder();
const states = { faults: '', restarted: '', held: '' };

async function session(
  name: string,
  use: (world: BotWorld) => Promise<void>,
  config = CONFIG,
): Promise<string> {
  const sandbox = { clock: { kind: 'fast', factor: 60 }, held: true } as const;
  const world = new BotWorld({ config, sandbox, startMs: START });
  await use(world);
  return stateOnDisk(world, join(folder.path, name));
}

beforeAll(async () => {
  states.faults = await session('faults', async (world) => {
    const bot = await world.start();
    await world.setFaults(FAULTS);
    await world.time.run(120_000);
    await world.setFaults([]);
    await world.time.run(5_000);
    await world.stop(bot);
  });
  states.restarted = await session('restarted', async (world) => {
    const first = await world.start();
    await world.time.run(40_000);
    await world.stop(first, 'keep');
    // Ten venue minutes without a bot.
    await world.time.run(10_000);
    const second = await world.start();
    await world.time.run(40_000);
    await world.stop(second, 'keep');
  });
  states.held = await session('held', async (world) => {
    const first = await world.start();
    await world.time.run(20_000);
    await world.stop(first, 'keep');
    world.config = CONFIG.replace("notional: '250'", "notional: '300'");
    const second = await world.start();
    await world.time.run(5_000);
    await world.stop(second, 'keep');
  });
}, 240_000);
afterAll(() => {
  folder.remove();
});

const drift = (...words: readonly string[]): Promise<CliResult> => runSluice(['drift', ...words]);

async function reportOf(state: string): Promise<DriftReport> {
  const { stdout, stderr } = await drift(state, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as DriftReport;
}

/** Text of decimals, summed without floats. */
function units(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const value = BigInt(whole + fraction.padEnd(18, '0'));
  return sign === '-' ? -value : value;
}
const sum = (texts: readonly string[]): bigint =>
  texts.reduce((total, text) => total + units(text), 0n);

describe('sluice drift', () => {
  // The venue of the field credits a rebate for each fill, which drift does not model (docs/drift.md).
  it.skipIf(isField)(
    'explains two venue hours with faults down to 0.01 USDT',
    async () => {
      const replayed = await runSluice(['replay', states.faults, '--json']);
      expect(JSON.parse(replayed.stdout)).toMatchObject({ identical: true });
      const report = await reportOf(states.faults);
      expect(report).toMatchObject({ mode: 'sandbox', currency: 'USDT', identical: true });
      expect(report.session_fills).toBeGreaterThan(20);
      expect(Math.abs(Number(report.remainder)), JSON.stringify(report.parts)).toBeLessThanOrEqual(
        0.01,
      );
      expect(report.explained).toBe(true);
      expect((await drift(states.faults)).exitCode).toBe(0);
    },
    60_000,
  );

  it('its parts and its remainder sum to the gap, and each decision to its own', async () => {
    const { parts, remainder, gap, session_net, backtest_net, differing } = await reportOf(
      states.faults,
    );
    expect(sum([...Object.values(parts), remainder])).toBe(units(gap));
    expect(units(session_net) - units(backtest_net)).toBe(units(gap));
    for (const row of differing) expect(sum(Object.values(row.parts))).toBe(units(row.gap));
    for (const [cause, amount] of Object.entries(parts)) {
      if (cause === 'funding') continue;
      const rows = differing.map((row) => row.parts[cause as keyof typeof parts] ?? '0');
      expect(sum(rows), cause).toBe(units(amount));
    }
  });

  it.skipIf(isField)('names the candles that a stopped bot missed', async () => {
    const report = await reportOf(states.restarted);
    expect(report.sessions).toEqual(['000001', '000002']);
    expect(report.explained, JSON.stringify(report.parts)).toBe(true);
    expect(report.parts.funding).not.toBe('0');
    const missed = report.differing.filter(({ cause }) => cause === 'missing_data');
    expect(missed.length).toBeGreaterThan(0);
    for (const row of missed) {
      expect(row.session).toBeNull();
      expect(row.note).toMatch(/^\d+ of its 1m candles did not arrive in time$/);
    }
  });

  it('prints the split and the largest decisions for people', async () => {
    const { stdout } = await drift(states.faults);
    for (const text of ['gap', 'latency', 'partial_fill', 'remainder', 'replay: identical'])
      expect(stdout).toContain(text);
    expect(stdout).toMatch(/the 10 largest of \d+ decisions that differ/);
  });

  it('a session that began with an open position is refused', async () => {
    const { exitCode, stderr } = await drift(states.held);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/began with an open position of [A-Z, ]*USDT.* compare a session/);
  });

  it('a folder without a record, or of another version, is refused with its remedy', async () => {
    const missing = await drift(join(folder.path, 'nothing'));
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toMatch(/holds no recorded run: give the state_dir of a daemon/);
    const old = join(folder.path, 'old');
    cpSync(states.restarted, old, { recursive: true });
    const record = join(old, 'record');
    for (const name of readdirSync(record)) rmSync(join(record, name));
    const log = await openFramedLog(nodeFiles, record, '000001');
    log.append(new TextEncoder().encode('{"v":99}'));
    await log.sync();
    await log.close();
    const refused = await drift(old);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(/version 99.* Run the version of Sluice that wrote the record/);
  });

  it('a running session is refused', async () => {
    const running = join(folder.path, 'running');
    cpSync(states.restarted, running, { recursive: true });
    writeFileSync(join(running, 'owner.lock'), '');
    const held = await nodeProcessFacts.locks.exclusive(join(running, 'owner.lock'));
    const { exitCode, stderr } = await drift(running);
    await held?.release();
    expect(exitCode).toBe(3);
    expect(stderr).not.toBe('');
  });
});
