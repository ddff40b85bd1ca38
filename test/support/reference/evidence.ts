/**
 * Figures of `evidence` from the texts of a run's tables, written from docs/metrics.md alone. It shares no code with
 * src/, and is plain rather than fast.
 */
export interface EvidenceInput {
  readonly trades: string;
  readonly fills: string;
  readonly equity: string;
  readonly cash: number;
  readonly net: number;
  /** ISO 8601. */
  readonly from: string;
  readonly holdout: string;
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
const seconds = (iso: string): number => Date.parse(iso) / 1_000;

export function referenceEvidence(input: EvidenceInput): Record<string, unknown> {
  const rows = table(input.equity).map((row) => ({
    time: Number(row['time']),
    equity: Number(row['equity']),
  }));
  // A row at midnight belongs to the day that ends.
  const first = Math.floor(seconds(input.from) / DAY);
  const last = Math.ceil((rows.at(-1)?.time ?? NaN) / DAY) - 1;
  const equities = [input.cash];
  for (let day = first; day <= last; day += 1) {
    const own = rows.filter(({ time }) => Math.ceil(time / DAY) - 1 === day);
    equities.push(own.at(-1)?.equity ?? equities.at(-1) ?? NaN);
  }
  const returns = equities.slice(1).map((equity, index) => equity / (equities[index] ?? NaN) - 1);
  const worst = returns.indexOf(Math.min(...returns));

  const nets = table(input.trades).map((row) => Number(row['net_pnl']));
  const best = [...nets].sort((a, b) => b - a).slice(0, 5);
  const runs: number[][] = [[]];
  for (const net of nets)
    if (net > 0) runs.push([]);
    else runs.at(-1)?.push(net);
  const [longest = []] = runs.sort((a, b) => b.length - a.length || sum(a) - sum(b));

  const fills = table(input.fills);
  const of = (name: string): number[] => fills.map((row) => Number(row[name]));
  const costs = sum(of('fee')) + sum(of('slippage'));
  const prices = of('price');
  const traded = sum(of('quantity').map((quantity, index) => quantity * (prices[index] ?? NaN)));
  const windows = equities.slice(90).map((equity, index) => equity / (equities[index] ?? NaN) - 1);
  const atHoldout =
    rows.filter(({ time }) => time <= seconds(input.holdout)).at(-1)?.equity ?? input.cash;
  return {
    'worst_day.date': new Date((first + worst) * DAY * 1_000).toISOString().slice(0, 10),
    'worst_day.return_pct': (returns[worst] ?? NaN) * 100,
    net_without_best_five: input.net - sum(best.filter((net) => net > 0)),
    'losing_run.trades': longest.length,
    'losing_run.net': sum(longest),
    'costs.net_at.0.net': input.net + costs / 2,
    'costs.net_at.3.net': input.net - 2 * costs,
    'costs.paid_bps': (costs / traded) * 10_000,
    'costs.break_even_bps': ((input.net + costs) / traded) * 10_000,
    'rolling.windows': windows.length,
    'rolling.worst_pct': Math.min(...windows) * 100,
    'rolling.positive_pct': (windows.filter((each) => each > 0).length / windows.length) * 100,
    'holdout.before.net': atHoldout - input.cash,
    'holdout.after.net': (rows.at(-1)?.equity ?? NaN) - atHoldout,
  };
}
