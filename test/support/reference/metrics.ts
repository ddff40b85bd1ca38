/**
 * The metrics of docs/metrics.md from the texts of `trades.csv` and `equity.csv`, written from that page alone.
 * It shares no code with src/, and is plain rather than fast.
 */
export interface ReferenceInput {
  readonly trades: string;
  readonly equity: string;
  readonly cash: number;
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Entry times of open positions, ISO 8601. */
  readonly openSince: readonly string[];
}

const DAY = 86_400;

const table = (csv: string): Record<string, string>[] => {
  const [head = '', ...lines] = csv.trim().split('\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((value, index) => [names[index] ?? '', value])),
  );
};
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const avg = (values: readonly number[]): number => sum(values) / values.length;
const stdev = (values: readonly number[]): number =>
  Math.sqrt(sum(values.map((value) => (value - avg(values)) ** 2)) / (values.length - 1));
const seconds = (iso: string): number => Date.parse(iso) / 1_000;

export function referenceMetrics(input: ReferenceInput): Record<string, number> {
  const { cash } = input;
  const rows = table(input.equity).map((row) => ({
    time: Number(row['time']),
    equity: Number(row['equity']),
  }));
  const start = seconds(input.from);
  const end = seconds(input.to);

  // One equity a day.
  const ends = new Map<number, { time: number; equity: number }>();
  for (const row of rows) ends.set(Math.ceil(row.time / DAY), row);
  const firstDay = Math.floor(start / DAY) + 1;
  const lastDay = Math.ceil((rows.at(-1)?.time ?? NaN) / DAY);
  const returns: number[] = [];
  let before = cash;
  for (let day = firstDay; day <= lastDay; day += 1) {
    const equity = ends.get(day)?.equity ?? before;
    returns.push(equity / before - 1);
    before = equity;
  }
  const last = rows.at(-1)?.equity ?? NaN;
  const cagr = (last / cash) ** ((365 * DAY) / (end - start)) - 1;

  // The deepest fall counts every row, the lengths count days.
  let [peak, deepest] = [cash, 0];
  for (const { equity } of rows) {
    peak = Math.max(peak, equity);
    deepest = Math.max(deepest, 1 - equity / peak);
  }
  const days = [{ time: start, equity: cash }, ...ends.values()];
  const falls: { depth: number; days: number }[] = [];
  for (let from = 0; from < days.length;) {
    const top = days[from] ?? { time: NaN, equity: NaN };
    let to = from + 1;
    while (to < days.length && (days[to]?.equity ?? 0) < top.equity) to += 1;
    const within = days.slice(from + 1, to);
    if (within.length > 0) {
      const until = days[to] ?? days.at(-1) ?? top;
      falls.push({
        depth: 1 - Math.min(...within.map(({ equity }) => equity)) / top.equity,
        days: (until.time - top.time) / DAY,
      });
    }
    from = to;
  }

  const trades = table(input.trades).map((row) => ({
    net: Number(row['net_pnl']),
    value: Number(row['quantity']) * Number(row['entry_price']),
    exitValue: Number(row['quantity']) * Number(row['exit_price']),
    entry: seconds(row['entry_time'] ?? ''),
    exit: seconds(row['exit_time'] ?? ''),
    mae: Number(row['mae_pct']),
    mfe: Number(row['mfe_pct']),
    side: row['side'] ?? '',
  }));
  const nets = trades.map(({ net }) => net);
  const shares = trades.map(({ net, value }) => (net / value) * 100);
  const [won, lost] = [nets.filter((net) => net > 0), nets.filter((net) => net < 0)];

  // Seconds are marked one by one interval: sort of sweep over all borders.
  const spans = [
    ...trades.map(({ entry, exit }) => [entry, exit] as const),
    ...input.openSince.map((since) => [seconds(since), end] as const),
  ];
  const borders = [...new Set(spans.flat())].sort((a, b) => a - b);
  const exposed = sum(
    borders.slice(1).map((border, index) => {
      const previous = borders[index] ?? NaN;
      return spans.some(([from, to]) => from <= previous && to >= border) ? border - previous : 0;
    }),
  );

  const meanReturn = avg(returns);
  const daily = meanReturn / stdev(returns);
  const deviations = returns.map((value) => value - meanReturn);
  const rho = Math.max(
    0,
    sum(deviations.slice(1).map((value, index) => value * (deviations[index] ?? NaN))) /
      sum(deviations.map((value) => value * value)),
  );
  const variance = (1 + rho) / (1 - rho);
  return {
    return_pct: (last / cash - 1) * 100,
    cagr_pct: cagr * 100,
    volatility_pct: stdev(returns) * Math.sqrt(365) * 100,
    sharpe: daily * Math.sqrt(365),
    sortino:
      (meanReturn / Math.sqrt(avg(returns.map((value) => Math.min(value, 0) ** 2)))) *
      Math.sqrt(365),
    calmar: cagr / deepest,
    psr: normal((daily * Math.sqrt(returns.length)) / Math.sqrt(variance)),
    ...(daily > 0 && { min_track_record_days: variance * (1.6448536269514722 / daily) ** 2 }),
    max_drawdown_pct: deepest * 100,
    avg_drawdown_pct: avg(falls.map(({ depth }) => depth)) * 100,
    max_drawdown_days: Math.max(0, ...falls.map((fall) => fall.days)),
    avg_drawdown_days: avg(falls.map((fall) => fall.days)),
    under_water_pct:
      (sum(falls.map((fall) => fall.days)) / (((days.at(-1)?.time ?? NaN) - start) / DAY)) * 100,
    exposure_pct: (exposed / (end - start)) * 100,
    turnover:
      sum(trades.map(({ value, exitValue }) => value + exitValue)) /
      avg([...ends.values()].map(({ equity }) => equity)),
    win_rate_pct: (won.length / nets.length) * 100,
    profit_factor: -sum(won) / sum(lost),
    payoff_ratio: -avg(won) / avg(lost),
    expectancy: avg(nets),
    best_trade: Math.max(...nets),
    worst_trade: Math.min(...nets),
    avg_trade_pct: avg(shares),
    best_trade_pct: Math.max(...shares),
    worst_trade_pct: Math.min(...shares),
    longest_winning_streak: streak(nets.map((net) => net > 0)),
    longest_losing_streak: streak(nets.map((net) => net <= 0)),
    avg_trade_hours: avg(trades.map(({ entry, exit }) => (exit - entry) / 3_600)),
    longest_trade_hours: Math.max(...trades.map(({ entry, exit }) => (exit - entry) / 3_600)),
    avg_mae_pct: avg(trades.map(({ mae }) => mae)),
    avg_mfe_pct: avg(trades.map(({ mfe }) => mfe)),
  };
}

const streak = (flags: readonly boolean[]): number =>
  Math.max(
    0,
    ...flags
      .map((flag) => (flag ? 'x' : ' '))
      .join('')
      .split(' ')
      .map(({ length }) => length),
  );

/** By the trapezoid rule on 200,000 steps: slow, and unlike any series. */
function normal(z: number): number {
  const steps = 200_000;
  const low = -12;
  if (z <= low) return 0;
  const width = (z - low) / steps;
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  let total = (density(low) + density(z)) / 2;
  for (let step = 1; step < steps; step += 1) total += density(low + step * width);
  return total * width;
}
