// The rows of `npm run bench`: command lines of `sluice backtest`, and the answers that must be right before a
// time counts. Limits of `standard` are wide, so that every order passes the whole gate.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CROSS =
  '--strategy sma-cross --symbol BTCUSDT --size quantity=0.01 --cash 10000 --taker-fee 0.0005';
const PLAIN = '--slippage 0 --funding none --risk none';
const STREAM = fileURLToPath(new URL('./quiet-stream.mjs', import.meta.url));

export const W1 = { fills: 55_295, equity: '4218.47563265' };

/** Brackets on each position, slippage and funding, the gate with preset standard. */
export const FULL_CONFIG = `mode: sandbox
account: bench
strategies:
  - id: sma-cross
    use: sma-cross
    symbols: [BTCUSDT]
    interval: 1m
    leverage: 1
    size: { quantity: '0.01' }
    protect: { stop_loss_pct: 2, take_profit_pct: 4 }
    params: { fast: 10, slow: 50 }
risk:
  preset: standard
  max_order_notional_usdt: '1000000'
  max_order_notional_pct_equity: 100
  max_position_notional: { usdt: '1000000', pct_equity: 100 }
  max_entries_per_minute: 1000
  max_orders_per_day: 10000
  daily_turnover_x_equity: 100000
  max_drawdown_pct: 100
  daily_loss_limit_pct: { soft: 99, hard: 100 }
  max_gross_exposure_pct: 10000
  max_net_exposure_pct: 10000
  duplicate_window_ms: 0
  symbols_allow: [BTCUSDT]
`;

/** `loop`: periods of the bare loop; without: those of W1. `isLoop`: it computes the same run. */
export const ENGINE_ROWS = [
  {
    ...{ name: 'w0', title: 'W0, 1,095 fills', goal: 'first 10 ×, warm 4 ×' },
    args: `${CROSS} --param fast=500 --param slow=2500 ${PLAIN}`,
    ...{ answer: { fills: 1_095 }, loop: [500, 2_500], isLoop: true },
  },
  {
    ...{ name: 'w1', title: 'W1, 55,295 fills', goal: 'first 25 ×, warm 25 ×' },
    args: `${CROSS} --param fast=10 --param slow=50 ${PLAIN}`,
    ...{ answer: W1, isLoop: true },
  },
  {
    ...{ name: 'full', title: 'W1, all realism, gate standard', goal: '1.5 × W1' },
    args: '--config CONFIG --cash 10000 --taker-fee 0.0005 --slippage 1 --funding 0.0001',
  },
  {
    ...{ name: 'stream', title: 'stream form, no orders', goal: 'warm 150 ns' },
    args: `--strategy ${STREAM} --symbol BTCUSDT --size quantity=0.01 --cash 10000 ${PLAIN}`,
    answer: { fills: 0 },
  },
  {
    ...{ name: 'holdout-breakout', title: 'hold-out: donchian-breakout, ETHUSDT', goal: 'as W0' },
    args: '--strategy donchian-breakout --symbol ETHUSDT --size equity_pct=10 --cash 50000 --slippage 2 --funding 0.0001 --risk none',
  },
  {
    ...{
      name: 'holdout-reversion',
      title: 'hold-out: bollinger-reversion, SOLUSDT',
      goal: 'as W1',
    },
    args: '--strategy bollinger-reversion --symbol SOLUSDT --size notional=50000 --cash 200000 --taker-fee 0.0002 --slippage 0 --funding none --risk none',
  },
  {
    ...{ name: 'symbols', title: '50 symbols, each (symbol, bar)', goal: '1.1 × one symbol' },
    args: `${CROSS} --param fast=500 --param slow=2500 ${PLAIN}`,
    symbols: 50,
  },
];

/** Names that are no engine rows. */
export const OTHER_ROWS = ['command', 'import', 'live'];

export const argsOf = (row, data, folder) =>
  row.args
    .replace('CONFIG', join(folder, 'config.yaml'))
    .split(' ')
    .concat('--interval', row.args.startsWith('--config') ? [] : '1m', '--data', data)
    .flat()
    .filter((word, index, words) => word !== '--interval' || words[index + 1] === '1m');

/** research of November 2026 on the same workload and kind of machine; ns a bar. */
export const PEERS = [
  ['vectorbt 0.25.2, warm', 117, 'whole columns, compiled before; no orders one by one'],
  ['vectorbt 0.25.2, first call', 3_410, 'its compiler runs'],
  ['grademark 0.3.0', 498, 'no fees, no reversal: half of the trades'],
  ['debut 5.0.8', 1_340, 'profit not compared, no equity curve'],
  ['backtesting.py', 6_650, 'closes the last trade'],
  ['backtrader 1.9.78', 90_900, 'its fastest mode'],
];
