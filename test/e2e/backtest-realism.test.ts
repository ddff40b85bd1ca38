import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const STRATEGY = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'holds',
  params: z.object({}),
  create: () => {
    let seen = 0;
    return {
      onCandle(context) {
        seen += 1;
        if (seen === 1) context.target(1);
      },
    };
  },
});
`;
const START = Date.UTC(2025, 0, 1) / 1_000;
/** Open, high, low and close. */
type Row = readonly [number, number, number, number];

interface Result {
  readonly final_equity: string;
  readonly equity_low: string | null;
  readonly equity_high: string | null;
  readonly ambiguous_bars: number;
  readonly liquidations: number;
  readonly slippage: string;
  readonly funding: string;
}

const csvOf = (rows: readonly Row[], stepSeconds: number): string =>
  `open_time,open,high,low,close,volume\n${rows
    .map((row, index) => `${START + index * stepSeconds},${row.join(',')},100`)
    .join('\n')}\n`;

/** One unit is bought at the open of the second candle, from 1,000 USDT. */
async function backtest(
  name: string,
  {
    rows,
    strategy = 'leverage: 1',
    marks,
    args = [],
  }: {
    readonly rows: readonly Row[];
    readonly strategy?: string;
    readonly marks?: { readonly rows: readonly Row[]; readonly stepSeconds: number };
    readonly args?: readonly string[];
  },
) {
  const at = (file: string): string => join(folder.path, `${name}-${file}`);
  writeFileSync(at('holds.mjs'), STRATEGY);
  writeFileSync(at('tape.csv'), csvOf(rows, 60));
  if (marks !== undefined) writeFileSync(at('marks.csv'), csvOf(marks.rows, marks.stepSeconds));
  writeFileSync(
    at('run.yaml'),
    `strategies:\n  - { id: holds, use: ./${name}-holds.mjs, symbols: [TAPEUSDT], interval: 1m, size: { quantity: '1' }, ${strategy} }\n`,
  );
  const { exitCode, stdout, stderr } = await runSluice([
    ...['backtest', '--config', at('run.yaml'), '--symbol', 'TAPEUSDT', '--data', at('tape.csv')],
    ...['--cash', '1000', '--taker-fee', '0', '--maker-fee', '0', '--out', at('out')],
    ...(marks === undefined ? [] : ['--mark', at('marks.csv')]),
    ...args,
    '--json',
  ]);
  expect(exitCode, stderr).toBe(0);
  const trades = readFileSync(join(at('out'), 'trades.csv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  return { result: JSON.parse(stdout) as Result, trades, warned: stderr };
}

const CALM: Row = [100, 100, 100, 100];

describe('the costs of a backtest', () => {
  it('slippage is by default the larger of 1 bps and 5 % of the range of the candle', async () => {
    const wild: Row = [100, 104, 96, 100];
    expect((await backtest('calm', { rows: [CALM, CALM, CALM] })).result.slippage).toBe('0.01');
    expect((await backtest('wild', { rows: [CALM, wild, CALM] })).result.slippage).toBe('0.4');
  });

  it('slippage by volume counts the share of the traded volume of the candle', async () => {
    const { result } = await backtest('volume', {
      rows: [CALM, CALM, CALM],
      args: ['--slippage', 'volume=0.5'],
    });
    // 100 × 0.5 × (1 ÷ 100)²
    expect(result.slippage).toBe('0.005');
    expect(result.final_equity).toBe('999.995');
  });
});

describe('the bounds of the final equity', () => {
  const bracket = 'protect: { stop_loss_pct: 5, take_profit_pct: 10 }';
  const exact = ['--slippage', '0'] as const;

  it('are the worst and the best order of the prices inside candles', async () => {
    const rows: Row[] = [CALM, CALM, [100, 115, 90, 100], CALM];
    const { result } = await backtest('both', { rows, strategy: bracket, args: exact });
    expect(result).toMatchObject({
      ambiguous_bars: 1,
      final_equity: '995',
      equity_low: '995',
      equity_high: '1010',
    });
    const better = await backtest('better', {
      rows,
      strategy: bracket,
      args: [...exact, '--intrabar', 'optimistic'],
    });
    expect(better.result).toMatchObject({
      final_equity: '1010',
      equity_low: '995',
      equity_high: '1010',
    });
  });

  it('are one value where no candle leaves the order open', async () => {
    const rows: Row[] = [CALM, CALM, [100, 104, 90, 100], CALM];
    const { result } = await backtest('one', { rows, strategy: bracket, args: exact });
    expect(result).toMatchObject({
      ambiguous_bars: 0,
      final_equity: '995',
      equity_low: '995',
      equity_high: '995',
    });
  });

  it('are null when the second run is left out', async () => {
    const rows: Row[] = [CALM, CALM, [100, 115, 90, 100], CALM];
    const args = [...exact, '--no-bounds'];
    const { result } = await backtest('none', { rows, strategy: bracket, args });
    expect(result).toMatchObject({ ambiguous_bars: 1, equity_low: null, equity_high: null });
  });
});

describe('mark prices of their own', () => {
  const crash: Row[] = [CALM, CALM, [100, 100, 40, 90], CALM];
  const strategy = 'leverage: 2';

  it('liquidate, and the last price does not', async () => {
    const last = await backtest('last', { rows: crash, strategy });
    expect(last.result.liquidations).toBe(1);
    const marks = { rows: [CALM, CALM, [100, 100, 80, 90] as Row, CALM], stepSeconds: 60 };
    const marked = await backtest('marked', { rows: crash, strategy, marks });
    expect(marked.result.liquidations).toBe(0);
    const calm = [CALM, CALM, [100, 100, 95, 100] as Row, CALM];
    const low = { rows: crash, stepSeconds: 60 };
    expect((await backtest('low', { rows: calm, strategy, marks: low })).result.liquidations).toBe(
      1,
    );
  });

  it('that are coarser than the candles serve funding alone, and the run says so', async () => {
    const rows = Array.from({ length: 8 * 60 + 2 }, () => CALM);
    const marks = { rows: [CALM, [200, 200, 10, 200] as Row], stepSeconds: 8 * 3_600 };
    const { result, warned } = await backtest('coarse', {
      rows,
      strategy,
      marks,
      args: ['--funding', '0.001', '--slippage', '0'],
    });
    expect(result.liquidations).toBe(0);
    // Settled at 08:00 at the mark price of 200.
    expect(result.funding).toBe('0.2');
    expect(warned).toContain('mark prices 480 min apart do not make 1m candles');
  });

  it('of another time are refused', async () => {
    writeFileSync(join(folder.path, 'tape.csv'), csvOf([CALM, CALM], 60));
    writeFileSync(join(folder.path, 'late.csv'), csvOf([CALM, CALM], 60).replaceAll('17', '18'));
    const { exitCode, stderr } = await runSluice([
      ...['backtest', '--symbol', 'TAPEUSDT', '--data', join(folder.path, 'tape.csv')],
      ...['--mark', join(folder.path, 'late.csv')],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no mark price lies in the range of the candles');
  });
});

describe('funding of a position that has outlived its margin', () => {
  it('is paid whole, out of the profit that keeps it open', async () => {
    const high: Row = [400, 400, 400, 400];
    const rows = [CALM, CALM, ...Array.from({ length: 8 * 60 }, () => high)];
    const { result } = await backtest('debt', {
      rows,
      args: ['--cash', '101', '--funding', '0.5', '--slippage', '0'],
    });
    // One unit of 400 USDT owes 200 USDT; balance and margin are 101 USDT.
    expect(result).toMatchObject({ liquidations: 0, funding: '200', final_equity: '201' });
  });
});

describe('several strategies of a configuration', () => {
  const tape = (seed: number, count: number): readonly Row[] => {
    let price = 100;
    let state = seed;
    return Array.from({ length: count }, () => {
      const open = price;
      state = (state * 16_807) % 2_147_483_647;
      price = Math.round((open + (state % 200) / 100 - 1 + (100 - open) / 50) * 100) / 100;
      return [open, Math.max(open, price) + 0.1, Math.min(open, price) - 0.1, price] as const;
    });
  };
  const entry = (id: string, symbol: string, interval: string): string =>
    `  - { id: ${id}, use: sma-cross, symbols: [${symbol}], interval: ${interval}, size: { quantity: '1' }, params: { fast: 3, slow: 8 } }\n`;
  const data = join(folder.path, 'several');
  const run = async (name: string, ...args: readonly string[]) => {
    const out = join(folder.path, name);
    const { exitCode, stdout, stderr } = await runSluice([
      ...['backtest', '--config', join(data, 'run.yaml'), '--data', data, '--funding', 'none'],
      ...['--cash', '100000', '--out', out, '--json', ...args],
    ]);
    const trades =
      exitCode === 0
        ? readFileSync(join(out, 'trades.csv'), 'utf8').trim().split('\n').slice(1)
        : [];
    return { exitCode, stderr, trades, stdout };
  };
  const write = (strategies: readonly string[]): void => {
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'aaausdt-1m-2025.csv'), csvOf(tape(7, 600), 60));
    writeFileSync(join(data, 'bbbusdt-1m-2025.csv'), csvOf(tape(11, 600), 60));
    writeFileSync(join(data, 'run.yaml'), `strategies:\n${strategies.join('')}`);
  };

  it('trade on one account, each as it does alone, on candles of its own interval', async () => {
    write([entry('quick', 'AAAUSDT', '1m'), entry('slow', 'BBBUSDT', '5m')]);
    const both = await run('both-run');
    expect(both.exitCode, both.stderr).toBe(0);
    const quick = await run('quick-run', '--strategy', 'quick');
    const slow = await run('slow-run', '--strategy', 'slow');
    const bySymbol = (symbol: string) => both.trades.filter((row) => row.startsWith(symbol));
    expect(bySymbol('AAAUSDT')).toEqual(quick.trades);
    expect(bySymbol('BBBUSDT')).toEqual(slow.trades);
    expect(slow.trades.length).toBeGreaterThan(3);
    expect(quick.trades.length).toBeGreaterThan(slow.trades.length);
    const result = JSON.parse(both.stdout) as {
      readonly by_strategy: Readonly<Record<string, { readonly trades: number }>>;
      readonly repeat: string;
      readonly run_hash: string;
    };
    expect(result.by_strategy).toMatchObject({
      quick: { trades: quick.trades.length },
      slow: { trades: slow.trades.length },
    });
    // The repeat command is the same run.
    const repeated = await runSluice([
      ...result.repeat.split(' ').slice(2),
      ...['--out', join(folder.path, 'again'), '--json'],
    ]);
    expect(JSON.parse(repeated.stdout)).toMatchObject({ run_hash: result.run_hash });
  });

  it('an option of one strategy is refused, with the ways out', async () => {
    write([entry('quick', 'AAAUSDT', '1m'), entry('slow', 'BBBUSDT', '5m')]);
    const { exitCode, stderr } = await run('refused', '--size', 'quantity=2', '--param', 'fast=5');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--size, --param: ');
    expect(stderr).toContain('has 2 strategies; name one with --strategy quick|slow');
  });

  it('two owners of one symbol are refused', async () => {
    write([entry('quick', 'AAAUSDT', '1m'), entry('slow', 'AAAUSDT', '5m')]);
    const { exitCode, stderr } = await run('owners');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('AAAUSDT');
  });

  it('a folder without candles that fit is refused by name', async () => {
    write([entry('quick', 'AAAUSDT', '1m')]);
    const { exitCode, stderr } = await run('detail', '--detail-interval', '3m');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no file of AAAUSDT 3m candles');
  });
});
