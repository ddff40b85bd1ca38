import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const strategy = (name: string, body: string): string => {
  const path = join(folder.path, `${name}.mjs`);
  writeFileSync(
    path,
    `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: '${name}',
  params: z.object({}),
  create: () => {
    let seen = 0;
    return {
      onCandle(context) {
        seen += 1;
        ${body}
      },
    };
  },
});
`,
  );
  return path;
};

const backtest = (file: string, ...more: readonly string[]) =>
  runSluice(['backtest', '--strategy', file, '--out', join(folder.path, 'run'), ...more]);

interface Erred {
  readonly errors: readonly Readonly<Record<string, unknown>>[];
}

describe('a backtest of a strategy that throws', () => {
  const file = strategy('throws', "if (seen > 2) throw new Error('enough');\n context.target(1);");

  it('the backtest ends with 1 and first prints the error, its place and its candle', async () => {
    const { exitCode, stdout } = await backtest(file);
    expect(exitCode).toBe(1);
    expect(stdout.split('\n')[0]).toMatch(
      /^error: throws: onCandle threw Error: enough at \/.*throws\.mjs:10, candle BTCUSDT 1m \d{4}-\d\d-\d\dT\d\d:02:00\.000Z \(3 times\)$/,
    );
    expect(stdout.split('\n')[1]).toMatch(
      /^strategy throws has failed and is no longer called; its position: 0\.\d+ BTCUSDT$/,
    );
    expect(stdout).not.toContain('gave no signal');
  });

  it('the JSON result lists the error', async () => {
    const { exitCode, stdout } = await backtest(file, '--json');
    expect(exitCode).toBe(1);
    const { errors } = JSON.parse(stdout) as Erred;
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      strategy: 'throws',
      message: 'onCandle threw Error: enough',
      file,
      line: 10,
      candle: expect.stringMatching(/T\d\d:02:00\.000Z$/) as unknown,
      count: 3,
    });
  });

  it('a strategy that throws too seldom to be stopped gets the same report', async () => {
    const once = strategy('once', "if (seen === 50) throw new TypeError('once');");
    const { exitCode, stdout } = await backtest(once);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^error: once: onCandle threw TypeError: once at/);
    expect(stdout).toMatch(/strategy once is still called; its position: none/);
    expect(stdout).not.toContain('gave no signal');
  });

  it('an intent from a promise after the last candle is an error of the run', async () => {
    const late = strategy('late', 'Promise.resolve().then(() => context.target(1));');
    const { exitCode, stdout } = await backtest(late, '--json');
    expect(exitCode).toBe(1);
    expect((JSON.parse(stdout) as Erred).errors).toMatchObject([
      { message: expect.stringContaining('came outside of any step') as unknown },
    ]);
  });

  it('the list is empty and the exit code 0 when nothing was thrown', async () => {
    const { exitCode, stdout } = await backtest(strategy('calm', 'context.target(1);'), '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ errors: [] });
  });
});
