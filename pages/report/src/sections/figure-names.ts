import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRatio,
} from '../../../../src/report/figure-format.js';
import { wordsOf } from '../text.js';

/** Names of figures, in the order of the page. */
export const FIGURE_GROUPS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    'Profit',
    {
      net_profit: 'Net profit',
      price_pnl: 'Profit of the price moves',
      fees: 'Fees',
      funding: 'Funding',
      slippage: 'Slippage',
      final_equity: 'Equity at the end',
      equity_low: 'Equity at the end, lower bound',
      equity_high: 'Equity at the end, upper bound',
      return_pct: 'Return',
      cagr_pct: 'Yearly growth (CAGR)',
      beta: 'Beta against buy and hold',
      alpha_pct: 'Alpha, a year',
    },
  ],
  [
    'Risk',
    {
      volatility_pct: 'Volatility, a year',
      sharpe: 'Sharpe ratio',
      sortino: 'Sortino ratio',
      calmar: 'Calmar ratio',
      psr: 'Probability of a true Sharpe above 0',
      sharpe_p_value: 'Probability of chance alone',
      min_track_record_days: 'Minimum track record',
      max_drawdown_pct: 'Deepest drawdown',
      avg_drawdown_pct: 'Mean drawdown',
      max_drawdown_days: 'Longest drawdown',
      avg_drawdown_days: 'Mean length of a drawdown',
      under_water_pct: 'Time under water',
      exposure_pct: 'Time in the market',
      turnover: 'Turnover, times the equity',
    },
  ],
  [
    'Trades',
    {
      trades: 'Closed trades',
      fills: 'Fills',
      win_rate_pct: 'Won',
      profit_factor: 'Profit factor',
      payoff_ratio: 'Payoff ratio',
      expectancy: 'Mean trade',
      best_trade: 'Best trade',
      worst_trade: 'Worst trade',
      avg_trade_pct: 'Mean trade, per cent',
      best_trade_pct: 'Best trade, per cent',
      worst_trade_pct: 'Worst trade, per cent',
      longest_winning_streak: 'Longest winning streak',
      longest_losing_streak: 'Longest losing streak',
      avg_trade_hours: 'Mean time in a trade',
      longest_trade_hours: 'Longest time in a trade',
      avg_mae_pct: 'Mean MAE',
      avg_mfe_pct: 'Mean MFE',
      liquidations: 'Liquidations',
      refused: 'Refused orders',
      rejected: 'Rejected orders',
      ambiguous_bars: 'Ambiguous candles',
      bars: 'Candles',
    },
  ],
];
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  FIGURE_GROUPS.flatMap(([, names]) => Object.entries(names)),
);

export const figureName = (key: string): string => NAMES[key] ?? wordsOf(key);

const MONEY = new Set(['expectancy', 'best_trade', 'worst_trade']);

/** A figure of `result.json` with its unit. Money is in `currency`. */
export function valueText(key: string, value: unknown, currency: string): string {
  if (value === null) return '–';
  if (typeof value === 'string') {
    const amount = Number(value);
    if (value === '' || Number.isNaN(amount)) return value;
    return formatMoney(amount, key === 'slippage' ? 'USDT' : currency);
  }
  if (typeof value !== 'number') return String(value);
  if (MONEY.has(key)) return formatMoney(value, currency);
  if (key === 'psr' || key === 'sharpe_p_value') return formatPercent(value * 100);
  if (key.endsWith('_pct')) return formatPercent(value);
  if (key.endsWith('_days')) return formatDuration(value);
  if (key.endsWith('_hours')) return formatDuration(value / 24);
  return Number.isInteger(value) ? formatNumber(value, 0) : formatRatio(value);
}
