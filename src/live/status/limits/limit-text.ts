import { windowText } from '../../../risk/catalog/limit-scope.js';
import type { Column } from '../../../report/rows-table.js';
import type { LimitStatus } from '../status-report.js';

/** Rows of a status without `--all`. */
const SHOWN_LIMITS = 12;
/** Ages change with every read: rows keep their order within such a part of their limit. */
const RANK_PARTS = 10;
/** After every row with a value. */
const NOTHING_COMPARED = RANK_PARTS + 1;

const right = (key: string, head: string): Column => ({ key, head, alignRight: true });

const NUMBER_COLUMNS: readonly Column[] = [
  { key: 'control' },
  { key: 'key', head: 'limit' },
  { key: 'of' },
  right('used', 'used'),
  right('bounded', 'limit'),
  right('left', 'left'),
  { key: 'unit' },
  { key: 'window', head: 'within' },
];
const STATE_COLUMNS: readonly Column[] = [
  { key: 'control' },
  { key: 'name' },
  { key: 'key' },
  { key: 'of' },
  { key: 'state' },
];

interface LimitTable {
  readonly title: string;
  readonly rows: readonly Record<string, string | null>[];
  readonly columns: readonly Column[];
}

/** The tightest limits first. Without `all` only these, of those that a breach has an effect on. */
export function limitTables(limits: readonly LimitStatus[], all: boolean): readonly LimitTable[] {
  const numbers = limits.filter(({ unit, limit }) => unit !== null && limit !== null);
  const unknown = limits.filter(({ unit, limit }) => unit !== null && limit === null);
  const ranked = [...unknown, ...numbers].sort((a, b) => rankOf(a) - rankOf(b));
  const compared = ranked.filter(
    (row) => row.enforced && (rankOf(row) < NOTHING_COMPARED || row.control === 'R01'),
  );
  const shown = all ? ranked : compared.slice(0, SHOWN_LIMITS);
  const hidden = limits.length - shown.length;
  const title = all
    ? 'Limits, the tightest first'
    : `Limits, the tightest first (${hidden} more controls and limits: sluice status --all)`;
  return [
    { title, rows: shown.map(numberRow), columns: NUMBER_COLUMNS },
    {
      title: 'Controls without a number',
      rows: all ? limits.filter(({ unit }) => unit === null).map(stateRow) : [],
      columns: STATE_COLUMNS,
    },
  ];
}

/** Tenths of the limit that are left; a fact that is not known is the tightest, since the gate refuses. */
function rankOf({ is_known: isKnown, used, limit, headroom, bound }: LimitStatus): number {
  if (!isKnown) return -1;
  if (used === null || headroom === null) return NOTHING_COMPARED;
  const whole = Number(bound === 'least' ? used : limit);
  return whole <= 0 ? 0 : Math.floor((Number(headroom) / whole) * RANK_PARTS);
}

const ofText = ({ symbol, strategy, scope }: LimitStatus): string =>
  symbol ?? strategy ?? (scope === 'order' ? 'each order' : scope);

const numberRow = (row: LimitStatus) => ({
  control: row.control,
  key: row.key,
  of: ofText(row),
  used: row.used ?? (row.is_known ? (row.state ?? null) : 'not known'),
  bounded: row.bound === 'least' && row.limit !== null ? `at least ${row.limit}` : row.limit,
  left: row.headroom,
  unit: row.unit,
  window: row.window_ms === null ? null : windowText(row.window_ms),
});

const stateRow = (row: LimitStatus) => ({
  control: row.control,
  name: row.name,
  key: row.key,
  of: ofText(row),
  state: row.state,
});
