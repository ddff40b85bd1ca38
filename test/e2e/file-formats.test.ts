import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const START = Date.UTC(2025, 0, 1);

/** Fifty minutes of candles under this header, with these time stamps. */
function tape(name: string, header: string, stamp: (ms: number) => string): string {
  const path = join(folder.path, name);
  const rows = Array.from({ length: 50 }, (_, at) => `${stamp(START + at * 60_000)},10,11,9,10,1`);
  writeFileSync(path, `${header},open,high,low,close,volume\n${rows.join('\n')}\n`);
  return path;
}
const seconds = (ms: number): string => String(ms / 1_000);

const backtest = (...args: readonly string[]) =>
  runSluice(['backtest', '--out', join(folder.path, 'run'), ...args]);

describe('candles of a file', () => {
  it.each([
    ['time', seconds],
    ['timestamp', String],
    ['date', (ms: number) => new Date(ms).toISOString()],
    ['Date', (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')],
    ['datetime', (ms: number) => new Date(ms + 19_800_000).toISOString().replace('Z', '+05:30')],
  ])('times are parsed under the header %s', async (header, stamp) => {
    const data = tape('BTCUSDT-stamps.csv', header, stamp);
    const range = ['--from', '2025-01-01T00:10:00Z', '--to', '2025-01-01T00:20:00Z'];
    const { exitCode, stdout, stderr } = await backtest('--data', data, ...range, '--json');
    expect(stderr).not.toContain('sluice: /');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ bars: 10 });
  });

  it('a warning names a candle that opens off the times of the venue', async () => {
    const data = tape('BTCUSDT-shifted.csv', 'time', (ms) => String(ms + 30_000));
    const shifted = await backtest('--data', data);
    expect(shifted.exitCode).toBe(0);
    expect(shifted.stderr).toContain(
      "the 1m candle of 2025-01-01T00:00:30.000Z opens off the venue's times, such as 2025-01-01T00:00:00.000Z",
    );
    const aligned = await backtest('--data', tape('BTCUSDT-aligned.csv', 'time', seconds));
    expect(aligned.stderr).not.toContain('opens off');
  });

  it('a warning names each end of the range that the candles do not reach', async () => {
    const data = ['--data', tape('BTCUSDT-short.csv', 'time', seconds)];
    const beyond = await backtest(...data, '--from', '2024-12-31', '--to', '2025-02-01');
    expect(beyond.exitCode).toBe(0);
    expect(beyond.stderr).toMatch(
      /BTCUSDT begin at 2025-01-01T00:00:00\.000Z, after --from\n.*BTCUSDT end at 2025-01-01T00:50:00\.000Z, before --to/,
    );
    const whole = ['--from', '2025-01-01T00:00:00Z', '--to', '2025-01-01T00:50:00Z'];
    expect((await backtest(...data, ...whole)).stderr).not.toMatch(/after --from|before --to/);
  });

  it('the symbol comes from the file name and is never guessed', async () => {
    const named = await backtest('--data', tape('eth-usdt.csv', 'time', seconds));
    expect(named.stdout).toMatch(/sma-cross on ETHUSDT 1m/);
    const unnamed = tape('mine.csv', 'time', seconds);
    const guessed = await backtest('--data', unnamed);
    expect(guessed.exitCode).toBe(2);
    expect(guessed.stderr).toMatch(/has no symbol; give it with --symbol/);
    const cliResult = await backtest('--data', unnamed, '--symbol', 'sol/usdt:usdt');
    expect(cliResult.stdout).toMatch(/sma-cross on SOLUSDT 1m/);
  });

  it('a day that does not exist is refused with its line', async () => {
    const data = tape('btcusdt-bad.csv', 'date', () => '2025-02-30');
    const { exitCode, stderr } = await backtest('--data', data);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/btcusdt-bad\.csv:2: open_time "2025-02-30" is not a number/);
  });
});

describe('a configuration', () => {
  it('symbols may be written in the usual forms, in strategies and in risk', async () => {
    const path = join(folder.path, 'symbols.yaml');
    writeFileSync(
      path,
      `strategies:
  - { id: cross, use: sma-cross, symbols: [btc/usdt], interval: 1m, size: { quantity: '0.01' } }
risk: { preset: standard, symbols_allow: ['BTC/USDT:USDT'], max_order_qty: { btcusdt: '5' } }
`,
    );
    const { exitCode, stdout } = await backtest('--config', path);
    expect(stdout).toMatch(/cross on BTCUSDT 1m/);
    expect(stdout).not.toContain('R28');
    expect(exitCode).toBe(0);
  }, 30_000);

  it('a strategy is found by name in the project’s own folder', async () => {
    mkdirSync(join(folder.path, 'strategies'), { recursive: true });
    writeFileSync(
      join(folder.path, 'strategies', 'own-one.mjs'),
      `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({ name: 'own-one', params: z.object({}), create: () => ({ onCandle() {} }) });
`,
    );
    const path = join(folder.path, 'own.yaml');
    writeFileSync(
      path,
      `strategies:\n  - { id: own, use: own-one, symbols: [BTCUSDT], interval: 1m, size: { quantity: '0.01' } }\n`,
    );
    const { exitCode, stdout } = await backtest('--config', path, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ bars: 10_080 });
  }, 30_000);
});

describe('strategy check', () => {
  it('the given number of candles is run', async () => {
    const args = [
      'bin/sluice.mjs',
      'strategy',
      'check',
      'sma-cross',
      '--candles',
      '3000',
      '--json',
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    expect(JSON.parse(stdout)).toMatchObject({ candles: 3_000 });
  }, 120_000);
});

describe('replay', () => {
  it('replay accepts the folder above the runs and prints which run it replays', async () => {
    const stateDir = join(folder.path, 'state');
    const path = join(folder.path, 'run.yaml');
    writeFileSync(
      path,
      `mode: sandbox
account: guest
venue: { embedded: { clock: fast:60, seed: 1, start: 2025-05-05T00:00:00Z } }
state_dir: ${stateDir}
strategies:
  - { id: cross, use: sma-cross, symbols: [BTCUSDT], interval: 1m, isolation: none, size: { notional: '250' } }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`,
    );
    await runSluice(['run', '--config', path, '--duration', '2s']);
    const [session = ''] = readdirSync(stateDir);
    const { exitCode, stdout, stderr } = await runSluice(['replay', stateDir, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ identical: true });
    expect(stderr).toContain(`replaying ${join(stateDir, session)}`);
    expect(exitCode).toBe(0);
  }, 60_000);
});
