import type { PageData } from '../../../../src/report/page/page-data.js';
import { FIGURE_GROUPS, valueText } from './figure-names.js';
import { definedKeys } from './metrics-document.js';
import { minus, wordsOf } from '../text.js';

const NAMED = new Set(FIGURE_GROUPS.flatMap(([, names]) => Object.keys(names)));
/** Shown elsewhere. */
const LEFT_OUT = new Set([
  'from',
  'to',
  'currency',
  'days',
  'version',
  'schema_version',
  'run_hash',
  'repeat',
]);
type Row = readonly [key: string, name: string, value: string];

/** Every figure of the run that is one value; the name leads to its definition. */
export function StatisticsList({ data }: { data: PageData }) {
  const figures = data.figures as unknown as Readonly<Record<string, unknown>>;
  const groups = [...FIGURE_GROUPS, ['Further figures', furtherNames(figures)] as const];
  return (
    <div class="lists">
      {groups.map(([title, names]) => {
        const rows = Object.entries(names).flatMap(([key, name]): Row[] =>
          figures[key] === undefined
            ? []
            : [[key, name, minus(valueText(key, figures[key], data.currency))]],
        );
        if (rows.length === 0) return null;
        return (
          <table key={title} class="list">
            <caption>{title}</caption>
            <tbody>
              {rows.map(([key, name, value]) => (
                <tr key={key}>
                  <th scope="row">
                    {definedKeys.has(key) ? <a href={`#def-${key}`}>{name}</a> : name}
                  </th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        );
      })}
    </div>
  );
}

const furtherNames = (
  figures: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([key, value]) =>
      NAMED.has(key) || LEFT_OUT.has(key) || typeof value === 'object' ? [] : [[key, wordsOf(key)]],
    ),
  );
