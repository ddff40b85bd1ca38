import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sluice, temporaryFolder } from '../harness/command-line.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const backtest = (...args: readonly string[]) =>
  sluice(['backtest', '--out', join(folder.path, 'run'), ...args]);

interface Result {
  readonly fills: number;
  readonly rejected: number;
  readonly rejected_by: Readonly<Record<string, number>>;
}

describe('a backtest that puts all of its equity into each trade', () => {
  it.each([
    ['equity_pct=100', '1'],
    ['equity_pct=500', '5'],
  ])(
    'of size %s at leverage %s has no order rejected',
    async (size, leverage) => {
      const { stdout } = await backtest('--size', size, '--leverage', leverage, '--json');
      const { rejected, fills } = JSON.parse(stdout) as Result;
      expect(rejected).toBe(0);
      expect(fills).toBeGreaterThan(100);
    },
    60_000,
  );
});

describe('a backtest whose orders are rejected', () => {
  const tooMuch = ['--size', 'notional=20000', '--leverage', '1'];

  it('says so before anything else, by reason, with what helps', async () => {
    const { stdout } = await backtest(...tooMuch);
    expect(stdout.split('\n')[0]).toMatch(
      /^warning: [\d,]+ orders were rejected by the exchange: insufficient-balance\. give a smaller size \(--size\), more --leverage or more --cash$/,
    );
  }, 60_000);

  it('counts them by reason in its JSON, and says so on standard error', async () => {
    const { stdout, stderr } = await backtest(...tooMuch, '--json');
    const { rejected, rejected_by } = JSON.parse(stdout) as Result;
    expect(rejected).toBeGreaterThan(0);
    expect(rejected_by).toEqual({ 'insufficient-balance': rejected });
    expect(stderr).toMatch(/warning: [\d,]+ orders were rejected by the exchange/);
  }, 60_000);
});
