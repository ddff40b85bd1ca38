import { formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { signed, signedPercent } from '../text.js';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAY_S = 86_400;
/** A run of fewer months is shown by days. */
const MIN_MONTHS = 4;

interface MapRow {
  readonly name: string;
  readonly cells: readonly (number | null)[];
  readonly total: number | null;
}

/** Returns of months, or of days where the run is short, as a table with shades. */
export function ReturnMap({ data }: { data: PageData }) {
  const months = data.figures.months ?? [];
  const byMonth = months.length >= MIN_MONTHS;
  const rows = byMonth ? monthRows(months) : dayRows(data);
  const columns = byMonth ? MONTHS : Array.from({ length: 31 }, (_, index) => String(index + 1));
  if (rows.length === 0) return <p class="absent">This run has no complete row of equity.</p>;
  const most = Math.max(
    1e-9,
    ...rows.flatMap(({ cells }) => cells.map((value) => Math.abs(value ?? 0))),
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Returns by time, per cent">
      <table class={byMonth ? 'map' : 'map days'}>
        <caption>
          Return of each {byMonth ? 'month' : 'day'}, per cent of the equity before it
        </caption>
        <thead>
          <tr>
            <th scope="col">{byMonth ? 'Year' : 'Month'}</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">{byMonth ? 'Year' : 'Month'}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells, total }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((column, index) => (
                <Cell key={column} value={cells[index] ?? null} most={most} />
              ))}
              <td class="total">{signedPercent(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ value, most }: { value: number | null; most: number }) {
  if (value === null) return <td class="empty" aria-label="no data" />;
  const shade = Math.round(Math.sqrt(Math.abs(value) / most) * 50);
  const colour = value < 0 ? 'var(--loss)' : 'var(--gain)';
  return (
    <td
      style={{ background: `color-mix(in srgb, ${colour} ${shade}%, var(--surface))` }}
      title={signedPercent(value)}
    >
      {signed(formatNumber(value, Math.abs(value) < 10 ? 1 : 0))}
    </td>
  );
}

function monthRows(
  months: readonly { readonly month: string; readonly return_pct: number | null }[],
): readonly MapRow[] {
  const years = new Map<string, (number | null)[]>();
  for (const { month, return_pct } of months) {
    const [year = '', number = '1'] = month.split('-');
    const row = years.get(year) ?? [];
    row[Number(number) - 1] = return_pct;
    years.set(year, row);
  }
  return [...years].map(([name, cells]) => ({ name, cells, total: compound(cells) }));
}

/** The equity rows hold the end of each UTC day. */
function dayRows({ equity: { times, equity }, cash }: PageData): readonly MapRow[] {
  const ends = new Map<number, number>();
  times.forEach((time, index) => ends.set(Math.ceil(time / DAY_S) - 1, equity[index] as number));
  const months = new Map<string, (number | null)[]>();
  let before = cash;
  for (const [day, end] of ends) {
    const date = new Date(day * DAY_S * 1_000);
    const month = date.toISOString().slice(0, 7);
    const row = months.get(month) ?? [];
    row[date.getUTCDate() - 1] = before > 0 ? (end / before - 1) * 100 : null;
    months.set(month, row);
    before = end;
  }
  return [...months].map(([name, cells]) => ({ name, cells, total: compound(cells) }));
}

function compound(shares: readonly (number | null | undefined)[]): number | null {
  let growth = 1;
  for (const share of shares) growth *= 1 + (share ?? 0) / 100;
  return (growth - 1) * 100;
}
