import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { resultSchema, type RunResult } from '../../src/report/run/result-schema.js';
import { runHashOf } from '../../src/report/run/run-hash.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const DAY = ['--from', '2025-05-05', '--to', '2025-05-06'];

function readRun(out: string) {
  const text = (file: string): string => readFileSync(join(out, file), 'utf8');
  const json = JSON.parse(text('result.json')) as unknown;
  const tables = {
    'trades.csv': text('trades.csv'),
    'equity.csv': text('equity.csv'),
    'fills.csv': text('fills.csv'),
  };
  return { json, result: json as RunResult, tables };
}

async function backtest(name: string, ...args: readonly string[]) {
  const out = join(folder.path, name);
  const { exitCode, stdout, stderr } = await runSluice(['backtest', '--out', out, ...args]);
  expect(exitCode, stderr).toBe(0);
  return { stdout, ...readRun(out) };
}

/** A shell command in a folder, with the program of this checkout in place of `npx sluice`. */
function shell(command: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', command.replace(/^npx sluice /, `"${process.execPath}" "${PROGRAM}" `)],
    { cwd, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  return stdout;
}

const candleRows = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    const close = 100 + 10 * Math.sin(index / 20);
    const open = 100 + 10 * Math.sin((index - 1) / 20);
    const [high, low] = [Math.max(open, close) + 0.1, Math.min(open, close) - 0.1];
    const cells = [open, high, low, close].map((price) => price.toFixed(4));
    return [1_746_403_200 + index * 60, ...cells, 5].join(',');
  });

function dataFolder(name: string, file: string): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  const header = 'open_time,open,high,low,close,volume';
  writeFileSync(join(path, file), `${[header, ...candleRows(600)].join('\n')}\n`);
  return path;
}

const CONFIG = `strategies:
  - id: cross
    use: sma-cross
    symbols: [BTCUSDT, ETHUSDT]
    interval: 5m
    leverage: 2
    size: { equity_pct: 20, on_limit: refuse }
    protect: { stop_loss_pct: 2, trailing_pct: 1.5, max_hold: 4h }
    entry: { marketable_limit: { bps: 10, ttl_ms: 5000 } }
    on_error: flatten
    params: { fast: 3, slow: 9 }
risk:
  preset: standard
`;

describe('the folder of a run', () => {
  const config = join(folder.path, 'backtest.yaml');
  writeFileSync(config, CONFIG);

  test.each([
    { name: 'defaults', args: [] },
    { name: 'costs', args: ['--slippage', '3', '--funding', '0.0001', '--size', 'equity_pct=50'] },
    { name: 'rupees', args: ['--currency', 'INR', '--cash', '1000000', '--slippage', '2'] },
    { name: 'configured', args: ['--config', config] },
  ])(
    'every key of a real run is in the documented schema, and the JSON output is the file ($name)',
    async ({ name, args }) => {
      const { json, stdout } = await backtest(name, ...DAY, ...args, '--json');
      expect(resultSchema.parse(json)).toEqual(json);
      expect(JSON.parse(stdout)).toEqual(json);
    },
    60_000,
  );

  test('the hash follows from the files of the folder, and the summary prints it', async () => {
    const { stdout, result, tables } = await backtest('hash', ...DAY);
    expect(runHashOf(result, tables)).toBe(result.run_hash);
    expect(stdout).toContain(`hash   ${result.run_hash}`);
    const changed = { ...tables, 'fills.csv': tables['fills.csv'].replace('taker', 'maker') };
    expect(runHashOf(result, changed)).not.toBe(result.run_hash);
  }, 60_000);

  test('the inputs hold the parameters with their defaults and the configuration as resolved', async () => {
    const { result } = await backtest('inputs', ...DAY, '--config', config, '--param', 'fast=4');
    expect(result.inputs).toMatchObject({
      strategies: [
        {
          id: 'cross',
          symbols: ['BTCUSDT', 'ETHUSDT'],
          interval: '5m',
          leverage: '2',
          size: { equity_pct: '20', on_limit: 'refuse' },
          protect: { stop_loss_pct: 2, trailing_pct: 1.5, max_hold_ms: 14_400_000 },
          entry: { marketable_limit: { bps: 10, ttl_ms: 5_000 } },
          on_error: 'flatten',
          params: { fast: 4, slow: 9 },
        },
      ],
      period: { asked_from: '2025-05-05T00:00:00.000Z', asked_to: '2025-05-06T00:00:00.000Z' },
      base_interval: '1m',
      taker_fee: '0.00059',
      risk: { preset: 'standard' },
      data: [{ role: 'config', path: config }],
      seed: 1,
    });
    expect(result.inputs.instruments.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT']);
  }, 60_000);

  test('the costs of fills.csv sum to those of the result, and the parts to the net profit', async () => {
    const { result, tables } = await backtest(
      'sums',
      ...DAY,
      '--slippage',
      '4',
      '--funding',
      '0.0003',
    );
    const [header = '', ...rows] = tables['fills.csv'].trim().split('\n');
    const column = (name: string): readonly string[] => {
      const index = header.split(',').indexOf(name);
      return rows.map((row) => row.split(',')[index] ?? '');
    };
    const total = (texts: readonly string[]): bigint =>
      texts.reduce((sum, text) => sum + units(text), 0n);
    expect(rows).toHaveLength(result.fills);
    expect(total(column('fee'))).toBe(units(result.fees));
    expect(total(column('slippage'))).toBe(units(result.slippage));
    expect(units(result.slippage)).toBeGreaterThan(0n);
    expect(units(result.funding)).not.toBe(0n);
    expect(total(Object.values(result.profit_split))).toBe(units(result.net_profit));
    expect(new Set(column('role'))).toEqual(new Set(['taker']));
    expect(column('reason')[0]).toBe('entry');
  }, 60_000);
});

/** Plain decimal text of at most 8 places, in units of 1e-8. */
function units(text: string): bigint {
  const [whole = '0', places = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + places.padEnd(8, '0'));
  return text.startsWith('-') ? -value : value;
}

describe('the same run again', () => {
  test('the repeat command gives the same hash and the same trades to the last digit', () => {
    const cwd = dataFolder('repeated', "btcusdt-1m-it's own.csv");
    const first = ['--data', `"btcusdt-1m-it's own.csv"`, '--param fast=5 --slippage 2'].join(' ');
    shell(`npx sluice backtest ${first} --size quantity=0.5 --funding 0.0001 --out one`, cwd);
    const one = readRun(join(cwd, 'one'));
    expect(one.result.fills).toBeGreaterThan(10);
    const stdout = shell(`${one.result.repeat} --out two --json`, cwd);
    const two = readRun(join(cwd, 'two'));
    expect(two.result.run_hash).toBe(one.result.run_hash);
    expect(two.tables).toEqual(one.tables);
    expect((JSON.parse(stdout) as RunResult).run_hash).toBe(one.result.run_hash);
  }, 120_000);

  test('a run of a configuration is repeated in the same way', () => {
    const cwd = join(folder.path, 'configured-again');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'my.yaml'), CONFIG);
    shell(`npx sluice backtest --config my.yaml --to 2025-05-06 --out one`, cwd);
    const one = readRun(join(cwd, 'one'));
    shell(`${one.result.repeat} --out two`, cwd);
    expect(readRun(join(cwd, 'two')).result.run_hash).toBe(one.result.run_hash);
  }, 120_000);

  test('the hash is that of any folder, and another with another price or cost', async () => {
    const here = join(dataFolder('here', 'btcusdt-1m-a.csv'), 'btcusdt-1m-a.csv');
    const there = join(dataFolder('there', 'other.csv'), 'other.csv');
    const of = async (name: string, data: string, ...args: readonly string[]) =>
      (await backtest(name, '--data', data, '--symbol', 'BTCUSDT', ...args)).result.run_hash;
    const hash = await of('h1', here);
    expect(await of('h2', there)).toBe(hash);
    expect(await of('h3', here, '--taker-fee', '0.0006')).not.toBe(hash);
    const text = readFileSync(there, 'utf8');
    writeFileSync(there, text.replace(/,5\n$/, ',6\n'));
    expect(await of('h4', there)).not.toBe(hash);
  }, 120_000);
});

describe('the committed example', () => {
  const example = fileURLToPath(new URL('../../backtests/example', import.meta.url));

  test('its hash follows from its files, and its command gives its tables again', () => {
    const { json, result, tables } = readRun(example);
    expect(resultSchema.parse(json)).toEqual(json);
    expect(runHashOf(result, tables)).toBe(result.run_hash);
    const cwd = join(folder.path, 'example');
    mkdirSync(cwd);
    shell(`${result.repeat} --out again`, cwd);
    expect(readRun(join(cwd, 'again')).tables).toEqual(tables);
  }, 60_000);

  test('it is smaller than 200 kB', () => {
    // Git ignores a page that a checkout may have there.
    const names = readdirSync(example).filter((name) => name !== 'report.html');
    const bytes = names.map((name) => readFileSync(join(example, name)).length);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(200_000);
  });
});

describe('the folder of a run is whole or absent', () => {
  test('a run whose strategy fails to load leaves no folder', async () => {
    const cwd = join(folder.path, 'absent');
    mkdirSync(cwd);
    const { exitCode } = await runSluice([
      'backtest',
      ...['--strategy', 'no-such-strategy', '--out', join(cwd, 'run')],
    ]);
    expect(exitCode).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('a run in a folder that exists replaces the earlier run and keeps other files', async () => {
    const { result } = await backtest('again', ...DAY);
    const out = join(folder.path, 'again');
    writeFileSync(join(out, 'notes.txt'), 'mine');
    copyFileSync(join(out, 'trades.csv'), join(out, 'report.html'));
    const second = await backtest('again', ...DAY, '--param', 'fast=11', '--no-report');
    expect(second.result.run_hash).not.toBe(result.run_hash);
    expect(readdirSync(out).sort()).toEqual([
      'equity.csv',
      'fills.csv',
      'notes.txt',
      'result.json',
      'trades.csv',
    ]);
  }, 60_000);
});
