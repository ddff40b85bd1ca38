import { formatNumber, formatPercent, formatRatio } from '../../../../src/report/figure-format.js';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { Signed } from '../sign.js';
import { reasonText, signedMoney, signedPercent } from '../text.js';
import { Bar } from './costs.js';

type Group = NonNullable<PageData['figures']['by_side']>[string];

/** Net profit by side, symbol and exit reason. */
export function Groups({ data: { figures, currency } }: { data: PageData }) {
  const tables = [
    ['Long and short', 'Side', figures.by_side, sideText],
    ['By exit', 'Exit', figures.by_exit_reason, reasonText],
    ['By symbol', 'Symbol', figures.by_symbol, (name: string) => name],
  ] as const;
  return (
    <div class="pair">
      {tables.map(([caption, column, groups, nameOf]) => (
        <GroupTable
          key={caption}
          caption={`${caption}, ${currency}`}
          column={column}
          groups={groups ?? {}}
          nameOf={nameOf}
        />
      ))}
    </div>
  );
}

const sideText = (side: string): string => (side === 'long' ? 'Long' : 'Short');

interface GroupTableProps {
  readonly caption: string;
  readonly column: string;
  readonly groups: Readonly<Record<string, Group>>;
  readonly nameOf: (key: string) => string;
}

function GroupTable({ caption, column, groups, nameOf }: GroupTableProps) {
  const rows = Object.entries(groups).sort(([, a], [, b]) => b.net - a.net);
  const most = Math.max(1e-9, ...rows.map(([, { net }]) => Math.abs(net)));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class="bars groups">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{column}</th>
            <th scope="col">Trades</th>
            <th scope="col">Won</th>
            <th scope="col">Factor</th>
            <th scope="col">Mean</th>
            <th scope="col">Net</th>
            <td class="bar" />
          </tr>
        </thead>
        <tbody>
          {rows.map(([key, group]) => (
            <tr key={key}>
              <th scope="row">{nameOf(key)}</th>
              <td>{formatNumber(group.trades, 0)}</td>
              <td>{formatPercent(group.win_rate_pct)}</td>
              <td>{formatRatio(group.profit_factor)}</td>
              <td>{signedPercent(group.avg_trade_pct)}</td>
              <td>
                <Signed value={group.net}>{signedMoney(group.net)}</Signed>
              </td>
              <td class="bar" aria-hidden="true">
                <Bar share={group.net / most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
