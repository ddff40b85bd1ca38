import {
  formatCount,
  formatMoney,
  formatNumber,
  formatPercent,
} from '../../../../src/report/figure-format.js';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { Signed } from '../sign.js';
import { dayText, signedMoney, signedPercent } from '../text.js';

type Evidence = NonNullable<PageData['evidence']>;

/** The figures of `evidence`, with the verdict and its reasons. */
export function EvidenceSection({ data, evidence }: { data: PageData; evidence: Evidence }) {
  const { currency } = data;
  return (
    <>
      <p class="sentence">{evidence.verdict.text}.</p>
      <div class="pair">
        <Figures caption="Worst cases" rows={worstRows(evidence, currency)} />
        <Nets
          caption={`Net profit by costs, ${currency}`}
          rows={evidence.costs.net_at.map(({ factor, net }) => [`${factor} × costs`, net])}
        />
        <Nets
          caption={`Net profit by size, ${currency}`}
          rows={evidence.capacity.net_at.map(({ factor, net }) => [`${factor} × size`, net])}
        />
        <Nets
          caption={`Net profit by year, ${currency}`}
          rows={evidence.years.map(({ year, net }) => [year, net])}
        />
        <Nets
          caption={`Net profit by market, ${currency}`}
          rows={evidence.regimes.map(({ regime, days, net }) => [
            `${regime}, ${formatNumber(days, 0)} days`,
            net,
          ])}
        />
        <Figures caption="Other paths" rows={pathRows(evidence, currency)} />
      </div>
    </>
  );
}

type Row = readonly [name: string, value: string];

function worstRows(evidence: Evidence, currency: string): readonly Row[] {
  const { worst_day, losing_run, nearest_liquidation, costs, below_minimum } = evidence;
  const bps = (value: number | null): string =>
    value === null ? '–' : `${formatNumber(value, 2)} bps`;
  return [
    ['Fees and slippage paid', bps(costs.paid_bps)],
    ['Break-even costs', bps(costs.break_even_bps)],
    ['Net without the best five trades', formatMoney(evidence.net_without_best_five, currency)],
    [
      'Worst day',
      worst_day === null ? '–' : `${signedPercent(worst_day.return_pct)}, ${worst_day.date}`,
    ],
    [
      'Longest losing run',
      losing_run === null
        ? '–'
        : `${formatCount(losing_run.trades, 'trade')}, ${formatMoney(losing_run.net, currency)}`,
    ],
    [
      'Nearest liquidation',
      nearest_liquidation === null
        ? '–'
        : `${formatPercent(nearest_liquidation.distance_pct)}, ${nearest_liquidation.symbol}, ${dayText(Date.parse(nearest_liquidation.time))}`,
    ],
    ...(below_minimum ?? []).map(({ equity_usdt, entries, below }): Row => [
      `Entries below the minimum at ${formatNumber(equity_usdt, 0)} USDT`,
      `${formatNumber(below, 0)} of ${formatNumber(entries, 0)}`,
    ]),
  ];
}

function pathRows(evidence: Evidence, currency: string): readonly Row[] {
  const { rolling, bootstrap, holdout, robust } = evidence;
  return [
    [
      `Spans of ${rolling.days} days with a gain`,
      `${formatPercent(rolling.positive_pct)}, worst ${signedPercent(rolling.worst_pct)}`,
    ],
    ...(bootstrap === null
      ? []
      : ([
          [
            'Resampled drawdown, 5, 50 and 95 %',
            [bootstrap.drawdown_pct_5, bootstrap.drawdown_pct_50, bootstrap.drawdown_pct_95]
              .map(formatPercent)
              .join(', '),
          ],
          [
            `Chance of a day of −${formatPercent(bootstrap.day_limit_pct)}`,
            formatPercent(bootstrap.day_limit_chance_pct),
          ],
          [
            `Chance of a drawdown of ${formatPercent(bootstrap.drawdown_limit_pct)}`,
            formatPercent(bootstrap.drawdown_limit_chance_pct),
          ],
        ] as const)),
    ...(holdout === null
      ? []
      : ([
          [`Net before ${holdout.date.slice(0, 10)}`, formatMoney(holdout.before.net, currency)],
          [`Net after it`, formatMoney(holdout.after.net, currency)],
        ] as const)),
    ...(robust === null
      ? []
      : (['starts', 'parameters'] as const).map((kind): Row => [
          kind === 'starts' ? 'Other starts with a profit' : 'Parameters 20 % off with a profit',
          `${formatPercent(robust[kind].positive_pct)} of ${formatNumber(robust[kind].runs, 0)}`,
        ])),
    ...faultRows(robust),
  ];
}

/** Further runs without figures. */
function faultRows(robust: Evidence['robust']): readonly Row[] {
  if (robust === null) return [];
  const { runs, missing, refused, failures } = robust;
  const of = (count: number): string => `${formatNumber(count, 0)} of ${formatNumber(runs, 0)}`;
  return [
    ...failures.map(({ run, reason }): Row => [`Failed: ${run}`, reason]),
    ...(missing > 0 ? [['Runs left out by Ctrl-C', of(missing)] as const] : []),
    ...(refused > 0 ? [['Parameters that the strategy does not take', of(refused)] as const] : []),
  ];
}

function Figures({ caption, rows }: { caption: string; rows: readonly Row[] }) {
  return (
    <table class="list">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Nets({
  caption,
  rows,
}: {
  caption: string;
  rows: readonly (readonly [name: string, net: number])[];
}) {
  return (
    <table class="list">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, net]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Signed value={net}>{signedMoney(net)}</Signed>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
