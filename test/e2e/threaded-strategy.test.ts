import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox } from '../support/rigs/served-sandbox.js';
import type { StatusReport } from '../../src/live/status/status-report.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolder();
let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill('SIGKILL');
  folder.remove();
});

/** Is long and flat in turn; its state counts the candles over starts. */
const TURNS = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'turns',
  params: z.object({ every: z.number().int().min(1).default(1) }),
  state: { version: 1, initial: () => ({ seen: 0 }) },
  create: ({ params, state }) => ({
    onCandle(context) {
      state.seen += 1;
      context.explain('every ' + params.every + ', state ' + state.seen);
      if (state.seen % params.every === 0)
        context.target(context.position.quantity === 0 ? 1 : 0);
    },
  }),
});
`;

it('a strategy on a thread of its own is stopped, started and reloaded, keeps its state, and replays', async () => {
  const served = await serveSandbox({ clock: { kind: 'fast', factor: 60 }, limits: false });
  const at = (name: string): string => join(folder.path, name);
  writeFileSync(at('secret'), served.sandbox.secret, { mode: 0o600 });
  writeFileSync(at('turns.mjs'), TURNS);
  const config = at('bot.yaml');
  writeFileSync(
    config,
    `mode: sandbox
account: bot
venue: { base_url: '${served.server.baseUrl}', ws_url: '${served.server.wsUrl}', api_secret_file: '${at('secret')}' }
state_dir: '${at('state')}'
on_stop: keep
strategies:
  - { id: turns, use: ./turns.mjs, symbols: [BTCUSDT], isolation: thread, size: { notional: '100' }, params: { every: 1 } }
risk: { preset: standard, symbols_allow: [BTCUSDT], duplicate_window_ms: 1 }
`,
  );
  child = spawn(process.execPath, ['bin/sluice.mjs', 'run', '--config', config, '--json'], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child?.on('close', resolve));
  const run = (...words: readonly string[]) => runSluice([...words, '--config', config]);
  const strategyWhen = async (
    holds: (row: StatusReport['strategies'][number]) => boolean,
  ): Promise<StatusReport['strategies'][number]> => {
    for (let tries = 0; tries < 600; tries += 1) {
      const { exitCode, stdout } = await run('status', '--json');
      const row = exitCode === 0 ? (JSON.parse(stdout) as StatusReport).strategies[0] : undefined;
      if (row !== undefined && holds(row)) return row;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the strategy never got there');
  };

  await strategyWhen(({ state, intents }) => state === 'running' && intents > 1);
  const stopped = await run('strategy', 'stop', 'turns', '--close');
  expect(stopped.exitCode, stopped.stderr).toBe(0);
  expect(served.sandbox.exchange.positions('USDT')).toEqual([]);
  const started = await run('strategy', 'start', 'turns');
  expect([started.exitCode, started.stderr]).toEqual([0, '']);
  expect(started.stdout).toBe('turns is started; its state is running\n');
  await strategyWhen(({ state, intents }) => state === 'running' && intents > 0);

  writeFileSync(config, readFileSync(config, 'utf8').replace('every: 1', 'every: 0'));
  const faulty = await run('strategy', 'reload', 'turns');
  expect(faulty.exitCode).toBe(2);
  expect(faulty.stderr).toMatch(/strategies\[0\]\.params\.every/);
  await strategyWhen(({ state }) => state === 'running');
  writeFileSync(config, readFileSync(config, 'utf8').replace('every: 0', 'every: 2'));
  const reloaded = await run('strategy', 'reload', 'turns');
  expect([reloaded.exitCode, reloaded.stderr]).toEqual([0, '']);
  await strategyWhen(({ state, intents }) => state === 'running' && intents > 0);

  const status = await run('status', '--profit', '--json');
  expect(status.exitCode, status.stderr).toBe(0);
  const { profit } = JSON.parse(status.stdout) as StatusReport;
  const pnl = await run('pnl', '--by', 'strategy', '--json');
  const { rows } = JSON.parse(pnl.stdout) as { rows: { strategy: string; net: string }[] };
  expect(rows.map(({ strategy }) => strategy)).toContain('turns');
  expect(profit?.find(({ owner }) => owner === 'turns')?.realised).toMatch(/^-?\d/);

  child.kill('SIGINT');
  expect(await ended).toBe(0);
  const offline = await run('status', '--profit', '--json');
  const found = (JSON.parse(offline.stdout) as StatusReport).profit;
  const after = await run('pnl', '--by', 'strategy', '--json');
  const net = (JSON.parse(after.stdout) as { rows: typeof rows }).rows;
  expect(found?.map(({ owner, realised }) => [owner, realised])).toEqual(
    net.map((row) => [row.strategy, row.net]),
  );
  const text = await run('status', '--profit');
  expect(text.stdout).toMatch(/Profit by strategy[^]*realised net[^]*turns/);
  const replay = await runSluice(['replay', at('state'), '--json']);
  expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  await served.close();
}, 180_000);
