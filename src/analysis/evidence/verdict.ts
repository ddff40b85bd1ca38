import type { HonestyChecks } from '../../report/run/checks-schema.js';
import type { ProfitEvidence } from '../../report/run/evidence-schema.js';
import { formatMoney, formatPercent, formatSignedPercent } from '../../report/figure-format.js';

/** The figures that the verdict weighs. */
export interface VerdictFacts {
  readonly currency: string;
  readonly net: number;
  readonly return_pct: number | null;
  readonly benchmark_pct: number | null;
  /** Probability of the Sharpe ratio by chance alone. */
  readonly chance: number | null;
  readonly trades: number;
  readonly evidence: Omit<ProfitEvidence, 'verdict'>;
  readonly checks: HonestyChecks | null;
}

interface VerdictTest {
  readonly id: string;
  /** undefined: the run does not show it. */
  readonly holds: (facts: VerdictFacts) => boolean | undefined;
  readonly text: (facts: VerdictFacts) => string;
}

const SIGNIFICANCE = 0.05;
/** Most paths of the bootstrap that may meet a limit, per cent. */
const MAX_LIMIT_CHANCE = 5;
/** Least share of further runs with a profit, per cent. */
const MIN_POSITIVE = 80;
const MIN_WINDOWS = 50;

const netAt = ({ evidence }: VerdictFacts, factor: number): number =>
  evidence.costs.net_at.find((each) => each.factor === factor)?.net ?? Number.NaN;

/** The tests of a profit that lasts; docs/metrics.md lists them. */
const TESTS: readonly VerdictTest[] = [
  {
    id: 'profit',
    holds: ({ net }) => net > 0,
    text: ({ net, currency }) => `net ${formatMoney(net, currency)} after costs`,
  },
  {
    id: 'costs',
    holds: (facts) => netAt(facts, 2) > 0,
    text: (facts) => `${formatMoney(netAt(facts, 2), facts.currency)} at twice the costs`,
  },
  {
    id: 'best-trades',
    holds: ({ evidence }) => evidence.net_without_best_five > 0,
    text: ({ evidence, currency }) =>
      `${formatMoney(evidence.net_without_best_five, currency)} without the best five trades`,
  },
  {
    id: 'chance',
    holds: ({ chance }) => (chance === null ? undefined : chance < SIGNIFICANCE),
    text: ({ chance }) =>
      `a Sharpe ratio that chance reaches in ${formatPercent((chance ?? 0) * 100)} of runs`,
  },
  {
    id: 'benchmark',
    holds: ({ return_pct, benchmark_pct }) =>
      return_pct === null || benchmark_pct === null ? undefined : return_pct > benchmark_pct,
    text: ({ return_pct, benchmark_pct }) =>
      `${formatSignedPercent(return_pct)} against ${formatSignedPercent(benchmark_pct)} of buy and hold`,
  },
  {
    id: 'windows',
    holds: ({ evidence: { rolling } }) =>
      rolling.positive_pct === null ? undefined : rolling.positive_pct > MIN_WINDOWS,
    text: ({ evidence: { rolling } }) =>
      `${formatPercent(rolling.positive_pct)} of the spans of ${rolling.days} days with a gain`,
  },
  {
    id: 'limits',
    holds: ({ evidence: { bootstrap } }) =>
      bootstrap === null
        ? undefined
        : Math.max(bootstrap.day_limit_chance_pct, bootstrap.drawdown_limit_chance_pct) <=
          MAX_LIMIT_CHANCE,
    text: ({ evidence: { bootstrap } }) =>
      `a loss limit met in ${formatPercent(Math.max(bootstrap?.day_limit_chance_pct ?? 0, bootstrap?.drawdown_limit_chance_pct ?? 0))} of the resampled paths`,
  },
  {
    id: 'holdout',
    holds: ({ evidence: { holdout } }) => (holdout === null ? undefined : holdout.after.net > 0),
    text: ({ evidence: { holdout }, currency }) =>
      `${formatMoney(holdout?.after.net ?? 0, currency)} after ${holdout?.date.slice(0, 10)}`,
  },
  {
    id: 'look-ahead',
    holds: ({ checks }) =>
      checks === null || !['passed', 'failed'].includes(checks.look_ahead.status)
        ? undefined
        : checks.look_ahead.status === 'passed',
    text: ({ checks }) => `the look-ahead check ${checks?.look_ahead.status}`,
  },
  ...(['starts', 'parameters'] as const).map((kind): VerdictTest => ({
    id: kind,
    holds: ({ evidence: { robust } }) => {
      const share = robust?.[kind].positive_pct ?? null;
      return share === null ? undefined : share >= MIN_POSITIVE;
    },
    text: ({ evidence: { robust } }) =>
      `a profit in ${formatPercent(robust?.[kind].positive_pct ?? null)} of the runs with ${kind === 'starts' ? 'another start' : 'a parameter 20 % off'}`,
  })),
];

/** One line of evidence with its reasons: never advice. */
export function evidenceVerdict(facts: VerdictFacts): ProfitEvidence['verdict'] {
  if (facts.trades === 0) return { text: 'No evidence: no trade was closed', tests: [] };
  const tests = TESTS.flatMap(({ id, holds, text }) => {
    const held = holds(facts);
    return held === undefined ? [] : [{ id, holds: held, text: text(facts) }];
  });
  const [good, bad] = [true, false].map((side) => tests.filter(({ holds }) => holds === side));
  const parts = [
    `${good?.length ?? 0} of ${tests.length} tests speak for a profit after costs`,
    ...(bad?.length ? [`against it: ${bad.map(({ text }) => text).join('; ')}`] : []),
    ...(good?.length ? [`for it: ${good.map(({ text }) => text).join('; ')}`] : []),
  ];
  return { text: parts.join('. '), tests };
}
