import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultSchema, type RunResult } from '../../src/report/run/result-schema.js';
import { randomCandlesCsv } from '../support/random-candles.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));
const folder = temporaryFolder();
const data = join(folder.path, 'btcusdt-1h-2025.csv');
const brittle = join(folder.path, 'brittle.ts');
beforeAll(() => {
  writeFileSync(data, randomCandlesCsv(3, 600));
  writeFileSync(
    brittle,
    `import { defineStrategy, z } from 'sluice/strategy';
     export default defineStrategy({
       name: 'brittle',
       params: z.object({ level: z.number().default(100) }),
       create: ({ params }) => ({
         onCandle(context) {
           if (params.level > 100) throw new Error('the level is too high');
           context.target(context.candle.close > context.candle.open ? 1 : 0);
         },
       }),
     });`,
  );
});
afterAll(() => {
  folder.remove();
});

/** Thirty runs of the strategy, each on a thread of its own, on a busy machine. */
const TIMEOUT_MS = 120_000;

interface Robust {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly result: RunResult;
  readonly page: string;
}

/** `sluice backtest` as a process of its own: its threads run the built program. */
async function backtest(name: string, ...args: readonly string[]): Promise<Robust> {
  const out = join(folder.path, name);
  const child = spawn(
    process.execPath,
    [
      ...[PROGRAM, 'backtest', '--robust', '--no-bounds', '--funding', 'none', '--data', data],
      ...['--symbol', 'BTCUSDT', '--interval', '1h', '--out', out, ...args],
    ],
    { cwd: folder.path },
  );
  const [stdout, stderr, [exitCode]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  const text = (file: string): string => readFileSync(join(out, file), 'utf8');
  const result = resultSchema.parse(JSON.parse(text('result.json')));
  return { exitCode, stdout, stderr, result, page: text('report.html') };
}

describe('sluice backtest --robust', () => {
  test(
    'a further run that fails is named in the summary, the result and the page, and ends with exit code 1',
    async () => {
      const { exitCode, stdout, result, page } = await backtest('failing', '--strategy', brittle);
      expect(result.errors).toEqual([]);
      const { robust } = result.evidence ?? {};
      expect(robust).toMatchObject({ missing: 0, refused: 0, failed: 1 });
      expect(robust?.failures).toEqual([
        { run: 'level=120', reason: expect.stringContaining('the level is too high') as string },
      ]);
      expect(robust?.parameter_runs.map(({ value }) => value)).toEqual(['80']);
      expect(stdout).toMatch(
        /Further runs +1 of \d+ failed:\n.*level=120: .*the level is too high/,
      );
      expect(page).toContain('"run":"level=120"');
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  test(
    'with --json the failure is on standard error, and the exit code is the same',
    async () => {
      const args = ['--strategy', brittle, '--json'];
      const { exitCode, stdout, stderr } = await backtest('failing-json', ...args);
      expect(JSON.parse(stdout)).toMatchObject({ evidence: { robust: { failed: 1 } } });
      expect(stderr).toMatch(/further runs of --robust have no result/);
      expect(stderr).toMatch(/level=120: .*the level is too high/);
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  test(
    'values that the strategy does not take are counted, and are no failure',
    async () => {
      const params = ['--param', 'fast=5', '--param', 'slow=6'];
      const { exitCode, stdout, result } = await backtest(
        'refused',
        '--strategy',
        'sma-cross',
        ...params,
      );
      expect(result.evidence?.robust).toMatchObject({ missing: 0, refused: 2, failed: 0 });
      expect(result.evidence?.robust?.parameter_runs).toHaveLength(2);
      expect(stdout).toMatch(
        /Further runs +2 of \d+ have parameters that the strategy does not take: no failure/,
      );
      expect(exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );
});
