import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const STRATEGY = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'rides',
  params: z.object({ fails: z.coerce.number().default(0) }),
  create: ({ params }) => {
    let seen = 0;
    return {
      onCandle(context) {
        seen += 1;
        context.target(seen < 5 || params.fails > 0 ? 1 : 0);
        if (seen >= 5 && params.fails > 0) throw new Error('enough');
      },
    };
  },
});
`;
const START = Date.UTC(2025, 0, 1) / 1_000;

/** The exit reasons and the standard error of a run over these closes. */
async function exitsOf(
  name: string,
  closes: readonly number[],
  strategy: string,
  source = STRATEGY,
) {
  const at = (file: string): string => join(folder.path, `${name}-${file}`);
  writeFileSync(at('rides.mjs'), source);
  const rows = closes.map((close, index) => {
    const open = closes[index - 1] ?? close;
    const [high, low] = [Math.max(open, close), Math.min(open, close)];
    return `${START + index * 60},${open},${high},${low},${close},1`;
  });
  writeFileSync(at('tape.csv'), `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(
    at('run.yaml'),
    `strategies:\n  - { id: rides, use: ./${name}-rides.mjs, symbols: [TAPEUSDT], interval: 1m, size: { quantity: '1' }, ${strategy} }\n`,
  );
  const out = at('out');
  const { stdout, stderr } = await runSluice([
    ...['backtest', '--config', at('run.yaml'), '--symbol', 'TAPEUSDT'],
    ...['--data', at('tape.csv'), '--out', out],
  ]);
  const [header = '', ...trades] = readFileSync(join(out, 'trades.csv'), 'utf8').trim().split('\n');
  expect(header.split(',').at(-1)).toBe('exit_reason');
  return { reasons: trades.map((row) => row.split(',').at(-1)), printed: stdout + stderr };
}

it.each([
  ['signal', [100, 100, 100, 100, 100, 100, 100, 100], 'leverage: 1'],
  ['stop_loss', [100, 100, 100, 90, 90, 90, 90], 'protect: { stop_loss_pct: 5 }'],
  ['take_profit', [100, 100, 100, 110, 110, 110], 'protect: { take_profit_pct: 5 }'],
  ['trailing_stop', [100, 100, 110, 120, 110, 100], 'protect: { trailing_pct: 5 }'],
  ['liquidation', [100, 100, 100, 60, 40, 40], 'leverage: 2'],
  [
    'flatten',
    [100, 100, 100, 100, 100, 100, 100, 100, 100, 100],
    'on_error: flatten, params: { fails: 1 }',
  ],
])(
  'an exit by %s has its reason in trades.csv',
  async (reason, closes, strategy) => {
    const { reasons, printed } = await exitsOf(reason, closes, strategy);
    expect(reasons).toEqual([reason]);
    expect(printed).not.toContain('without an order of ours');
  },
  30_000,
);

it('a strategy that only enters does so again after each stop in the candle of its entry', async () => {
  const entering = STRATEGY.replace(/context\.target\(.*\);/, "context.enter({ side: 'buy' });");
  const closes = [100, 94, 88, 82, 76];
  const protect = 'protect: { stop_loss_pct: 5 }';
  const { reasons } = await exitsOf('enters', closes, protect, entering);
  expect(reasons).toEqual(['stop_loss', 'stop_loss', 'stop_loss', 'stop_loss']);
}, 30_000);

it('a triggered stop has the reason stop', async () => {
  const { printed } = await exitsOf(
    'told',
    [100, 100, 100, 90, 90],
    'protect: { stop_loss_pct: 5 }',
  );
  // 95, less the default slippage: 5 % of the candle's range of 10.
  expect(printed).toMatch(/stop-loss of TAPEUSDT filled at 94\.5, position from 1 to 0/);
}, 30_000);

it('an increase keeps the trailed stop, so that the whole position leaves at it', async () => {
  const at = (file: string): string => join(folder.path, `increase-${file}`);
  writeFileSync(
    at('rides.mjs'),
    STRATEGY.replace('seen < 5 || params.fails > 0 ? 1 : 0', 'seen < 5 ? 0.5 : 1'),
  );
  // After 120 the stop is 114. The increase at 118 alone would have one at 112.1, which 113 does not reach.
  const closes = [100, 100, 110, 120, 118, 118, 113, 118, 118];
  const rows = closes.map((close, index) => {
    const open = closes[index - 1] ?? close;
    return `${START + index * 60},${open},${Math.max(open, close)},${Math.min(open, close)},${close},10`;
  });
  writeFileSync(at('tape.csv'), `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(
    at('run.yaml'),
    `strategies:\n  - { id: rides, use: ./increase-rides.mjs, symbols: [TAPEUSDT], interval: 1m, size: { quantity: '2' }, protect: { trailing_pct: 5 } }\n`,
  );
  await runSluice([
    ...['backtest', '--config', at('run.yaml'), '--symbol', 'TAPEUSDT', '--slippage', '0'],
    ...['--data', at('tape.csv'), '--out', at('out')],
  ]);
  const [header = '', ...trades] = readFileSync(at('out/trades.csv'), 'utf8').trim().split('\n');
  const column = (name: string): number => header.split(',').indexOf(name);
  const cells = trades.map((trade) => trade.split(','));
  expect(
    cells.map((row) => ['quantity', 'exit_price', 'exit_reason'].map((name) => row[column(name)])),
  ).toEqual([['2', '114', 'trailing_stop']]);
}, 30_000);
