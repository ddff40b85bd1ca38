import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultSchema, type RunResult } from '../../src/report/run/result-schema.js';
import { randomCandlesCsv } from '../support/random-candles.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const folder = temporaryFolder();
const data = join(folder.path, 'btcusdt-1h-2025.csv');
beforeAll(() => {
  writeFileSync(data, randomCandlesCsv(7, 2_400));
  writeFileSync(join(folder.path, 'ethusdt-1h-2025.csv'), randomCandlesCsv(8, 2_400));
  for (const [phase, symbol] of ['btcusdt', 'ethusdt'].entries())
    writeFileSync(join(folder.path, `${symbol}-funding-2025.csv`), fundingCsv(2 * phase));
});
afterAll(() => {
  folder.remove();
});

/** Over twenty runs of the strategy, each on a thread of its own, on a busy machine. */
const TIMEOUT_MS = 120_000;

/** Strategies of each list. All ten: `npm run proof:look-ahead`. */
const COUNT = Number(process.env['SLUICE_RUNS'] ?? 5);

interface Checked {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly result: RunResult;
}

/** Rates of every eight hours that turn from high to low. */
const fundingCsv = (phase: number): string =>
  [
    'time,rate',
    ...Array.from({ length: 300 }, (_, index) => {
      const time = Date.UTC(2025, 0, 6) + index * 8 * 3_600_000;
      return `${time},${(Math.sin(index / 7 + phase) * 0.002).toFixed(6)}`;
    }),
  ].join('\n');

const checked = new Map<string, Promise<Checked>>();

/** Each strategy is checked once. */
function check(strategy: string, ...args: readonly string[]): Promise<Checked> {
  const known = checked.get(strategy) ?? runCheck(strategy, ...args);
  checked.set(strategy, known);
  return known;
}

/** `sluice backtest --check` as a process of its own. */
async function runCheck(strategy: string, ...args: readonly string[]): Promise<Checked> {
  const out = join(folder.path, `run-${strategy.replaceAll(/\W/g, '-')}`);
  const child = spawn(
    process.execPath,
    [
      ...[PROGRAM, 'backtest', '--check', '--json', '--no-report', '--no-bounds'],
      ...['--strategy', strategy, '--data', folder.path, '--out', out],
      ...(args.includes('--symbol') ? [] : ['--symbol', 'BTCUSDT']),
      ...['--interval', '1h', '--funding', folder.path, ...args],
    ],
    { cwd: folder.path },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.resume();
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const text = readFileSync(join(out, 'result.json'), 'utf8');
  return { exitCode, stderr, result: resultSchema.parse(JSON.parse(text)) };
}

const PEEKING: readonly (readonly [string, string, string, ...string[]])[] = [
  ['centred-average', 'future', 'target'],
  ['module-memory', 'state', 'target'],
  ['file-reader', 'file', 'file', '--param', `path=${data}`],
  ['dated-table', 'date', 'target'],
  ['stop-below-the-low', 'future', 'stop'],
  ['candle-view', 'future', 'target'],
  ['moved-history', 'future', 'target'],
  ['whole-sample-score', 'future', 'target'],
  ['patched-view', 'future', 'target'],
  ['dated-parameter', 'date', 'target'],
];

describe('the look-ahead check names each strategy that knows the future', () => {
  test.each(PEEKING.slice(0, COUNT))(
    '%s: the cause is %s, the field is %s',
    async (name, kind, field, ...args) => {
      const { exitCode, result, stderr } = await check(`${FIXTURES}peeking/${name}.ts`, ...args);
      const check_ = result.checks?.look_ahead;
      expect(check_, stderr).toMatchObject({ status: 'failed', offence: { kind, field } });
      expect(result.findings).toContainEqual({ id: 'look-ahead', text: check_?.offence?.text });
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );
});

const HONEST: readonly (readonly [string, ...string[]])[] = [
  ['sma-cross'],
  ['pairs-spread', '--symbol', 'BTCUSDT,ETHUSDT'],
  [`${FIXTURES}honest/weekday.ts`],
  [`${FIXTURES}honest/weights-file.ts`],
  [`${FIXTURES}honest/maker.ts`],
  ['donchian-breakout'],
  ['bollinger-reversion'],
  ['grid'],
  ['stream-momentum'],
  ['funding-tilt', '--symbol', 'BTCUSDT,ETHUSDT'],
];

describe('the look-ahead check passes each strategy that knows the past alone', () => {
  test.each(HONEST.slice(0, COUNT))(
    '%s',
    async (name, ...args) => {
      const { result, stderr } = await check(name, ...args);
      expect(result.checks?.look_ahead, stderr).toMatchObject({ status: 'passed', offence: null });
      expect(result.fills).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

describe('the warm-up check', () => {
  test(
    'passes a strategy whose warm-up is long enough, and the command exits with 0',
    async () => {
      const { exitCode, result } = await check('sma-cross');
      expect(result.checks?.warm_up).toMatchObject({ status: 'passed', offence: null });
      expect(exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'names the candle and the field that a longer warm-up changes',
    async () => {
      const { exitCode, result } = await check(`${FIXTURES}honest/short-warmup.ts`);
      expect(result.checks?.look_ahead.status).toBe('passed');
      expect(result.checks?.warm_up).toMatchObject({
        status: 'failed',
        offence: { kind: 'warm_up', symbol: 'BTCUSDT', field: 'target' },
      });
      expect(result.findings.map(({ id }) => id)).toContain('warm-up');
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );
});

test(
  'a file that a strategy reads beside its modules is named, and no offence',
  async () => {
    const { result } = await check(`${FIXTURES}honest/weights-file.ts`);
    expect(result.checks?.look_ahead.files).toEqual([`${FIXTURES}honest/weights.json`]);
  },
  TIMEOUT_MS,
);
