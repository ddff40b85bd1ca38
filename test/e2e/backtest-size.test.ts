import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const backtest = (...args: readonly string[]) =>
  runSluice(['backtest', '--out', join(folder.path, 'run'), ...args]);

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
    'no order is rejected with size %s at leverage %s',
    async (size, leverage) => {
      const { stdout } = await backtest('--size', size, '--leverage', leverage, '--json');
      const { rejected, fills } = JSON.parse(stdout) as Result;
      expect(rejected).toBe(0);
      expect(fills).toBeGreaterThan(100);
    },
    60_000,
  );
});

describe('a backtest with an INR wallet', () => {
  /** The equity of 1,000,000 INR in USDT, at 90 INR per USDT and the usual haircut of 2 %. */
  const EQUITY_USDT = 1_000_000 / 90 / 1.02;

  it('a size in per cent of equity counts the wallet in USDT, as a live run does', async () => {
    const wallet = ['--currency', 'INR', '--cash', '1000000', '--inr-rate', '90'];
    const { stdout } = await backtest('--size', 'equity_pct=20', ...wallet, '--slippage', '0');
    expect(stdout).toMatch(/from {8}price .* INR, fees .* INR, funding .* INR, slippage .* INR$/m);
    const [, first = ''] = readFileSync(join(folder.path, 'run/fills.csv'), 'utf8').split('\n');
    const [, , , , quantity = '', price = ''] = first.split(',');
    const notional = Number(quantity) * Number(price);
    const step = 0.001 * Number(price);
    expect(notional).toBeLessThanOrEqual(EQUITY_USDT * 0.2 + step);
    expect(notional).toBeGreaterThan(EQUITY_USDT * 0.2 - 2 * step);
  }, 60_000);
});

describe('a backtest whose orders are rejected', () => {
  const tooMuch = ['--size', 'notional=20000', '--leverage', '1'];

  it('the report first lists the rejected orders by reason, with the remedy', async () => {
    const { stdout } = await backtest(...tooMuch);
    expect(stdout.split('\n')[0]).toMatch(
      /^warning: [\d,]+ orders were rejected by the exchange: insufficient-balance\. give a smaller size \(--size\), more --leverage or more --cash$/,
    );
  }, 60_000);

  it('the JSON result counts them by reason, and standard error reports them', async () => {
    const { stdout, stderr } = await backtest(...tooMuch, '--json');
    const { rejected, rejected_by } = JSON.parse(stdout) as Result;
    expect(rejected).toBeGreaterThan(0);
    expect(rejected_by).toEqual({ 'insufficient-balance': rejected });
    expect(stderr).toMatch(/warning: [\d,]+ orders were rejected by the exchange/);
  }, 60_000);
});

/** A size that needs more candles than a signal has before it. */
function manyCandles(): string {
  const path = join(folder.path, 'many-candles.yaml');
  const size = '{ volatility_pct: 20, lookback: 10079 }';
  const strategy = `{ id: sma-cross, use: sma-cross, symbols: [BTCUSDT], size: ${size} }`;
  writeFileSync(path, `strategies:\n  - ${strategy}\n`);
  return path;
}

describe('a backtest without a fill', () => {
  it.each([
    [
      'the exchange rejects every order',
      ['--cash', '1'],
      /no order was filled: the exchange rejected/,
    ],
    ['a size is below one step', ['--size', 'quantity=0.00000001'], /no signal became an order/],
    ['a size lacks candles', ['--config', manyCandles()], /no signal became an order/],
    ['no two averages cross', ['--param', 'fast=9000', '--param', 'slow=10000'], /gave no signal/],
  ])(
    'says why, and has findings, where %s',
    async (_name, args, text) => {
      const { stdout } = await backtest('--strategy', 'sma-cross', ...args);
      expect(stdout).toMatch(text);
      expect(stdout).toMatch(/few-trades: 0 closed trades/);
    },
    60_000,
  );
});
