import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { Signed } from '../sign.js';
import {
  minuteText,
  plainText,
  reasonText,
  signedMoney,
  signedPercent,
  spanText,
} from '../text.js';
import type { Trade } from '../trades.js';

const PAGE_ROWS = 25;

interface Column {
  readonly name: string;
  readonly valueOf: (trade: Trade) => number | string;
  readonly text: (trade: Trade) => preact.ComponentChildren;
}

const COLUMNS: readonly Column[] = [
  { name: '#', valueOf: ({ row }) => row, text: ({ row }) => formatNumber(row, 0) },
  { name: 'Symbol', valueOf: ({ symbol }) => symbol, text: ({ symbol }) => symbol },
  {
    name: 'Side',
    valueOf: ({ side }) => side,
    text: ({ side }) => (side === 'long' ? 'Long' : 'Short'),
  },
  {
    name: 'Entry',
    valueOf: ({ entryTime }) => entryTime,
    text: ({ entryTime }) => minuteText(entryTime),
  },
  {
    name: 'Exit',
    valueOf: ({ exitTime }) => exitTime,
    text: ({ exitTime }) => minuteText(exitTime),
  },
  { name: 'Held', valueOf: ({ heldMs }) => heldMs, text: ({ heldMs }) => spanText(heldMs) },
  {
    name: 'Entry price',
    valueOf: ({ entryPrice }) => entryPrice,
    text: ({ entryPrice }) => plainText(entryPrice),
  },
  {
    name: 'Exit price',
    valueOf: ({ exitPrice }) => exitPrice,
    text: ({ exitPrice }) => plainText(exitPrice),
  },
  {
    name: 'Net',
    valueOf: ({ net }) => net,
    text: ({ net }) => <Signed value={net}>{signedMoney(net)}</Signed>,
  },
  { name: 'Result', valueOf: ({ pct }) => pct, text: ({ pct }) => signedPercent(pct) },
  { name: 'MAE', valueOf: ({ mae }) => mae ?? 0, text: ({ mae }) => signedPercent(mae) },
  { name: 'MFE', valueOf: ({ mfe }) => mfe ?? 0, text: ({ mfe }) => signedPercent(mfe) },
  { name: 'Exit by', valueOf: ({ reason }) => reason, text: ({ reason }) => reasonText(reason) },
  {
    name: 'Quantity',
    valueOf: ({ quantity }) => quantity,
    text: ({ quantity }) => plainText(quantity),
  },
];

/** Columns of words: they begin at the left. */
const WORDS = new Set(['Symbol', 'Side', 'Exit by']);

interface Filter {
  readonly side: string;
  readonly result: string;
  readonly symbol: string;
  readonly reason: string;
}

const ALL: Filter = { side: '', result: '', symbol: '', reason: '' };

interface TradesTableProps {
  readonly data: PageData;
  readonly trades: readonly Trade[];
  readonly selected: Trade | undefined;
  readonly onSelect: (trade: Trade) => void;
}

/** Closed trades, sortable and filtered. The button of a row shows the trade in the price chart. */
export function TradesTable({ data, trades, selected, onSelect }: TradesTableProps) {
  const [filter, setFilter] = useState(ALL);
  const [sort, setSort] = useState({ column: '#', descending: false });
  const [page, setPage] = useState(0);
  const columns = COLUMNS.filter(({ name }) => name !== 'Symbol' || data.trades.symbols.length > 1);
  const rows = useMemo(() => sorted(filtered(trades, filter), sort), [trades, filter, sort]);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  useEffect(() => {
    const index = selected === undefined ? -1 : rows.indexOf(selected);
    if (index >= 0) setPage(Math.floor(index / PAGE_ROWS));
  }, [selected, rows]);
  const shown = Math.min(page, pages - 1);
  const body = useRef<HTMLTableSectionElement>(null);
  if (trades.length === 0) return <p class="absent">No trade closed in this run.</p>;
  return (
    <>
      <Filters
        data={data}
        filter={filter}
        onFilter={(next) => {
          setFilter(next);
          setPage(0);
        }}
      />
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of trades">
        <table class="trades" aria-label={`Closed trades, ${data.currency}`}>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th
                  key={name}
                  scope="col"
                  class={WORDS.has(name) ? 'word' : ''}
                  aria-sort={sortState(name, sort)}
                >
                  <button
                    type="button"
                    onClick={() => {
                      setSort({
                        column: name,
                        descending: sort.column === name && !sort.descending,
                      });
                      setPage(0);
                    }}
                  >
                    {name}
                    <span aria-hidden="true" class="arrow">
                      {sort.column === name ? (sort.descending ? '↓' : '↑') : ''}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody
            ref={body}
            onKeyDown={(event) => {
              moveFocus(event, body.current);
            }}
          >
            {rows.slice(shown * PAGE_ROWS, (shown + 1) * PAGE_ROWS).map((trade) => (
              <tr
                key={trade.row}
                class={trade === selected ? 'selected' : ''}
                onClick={() => {
                  onSelect(trade);
                }}
              >
                {columns.map(({ name, text }) =>
                  name === '#' ? (
                    <td key={name}>
                      <button
                        type="button"
                        class="link"
                        aria-label={`Show trade ${trade.row} in the chart`}
                        aria-pressed={trade === selected}
                        onClick={(event) => {
                          event.stopPropagation();
                          onSelect(trade);
                        }}
                      >
                        {text(trade)}
                      </button>
                    </td>
                  ) : (
                    <td key={name} class={WORDS.has(name) ? 'word' : ''}>
                      {text(trade)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="pager">
        <span role="status">
          {rows.length === trades.length
            ? formatCount(rows.length, 'trade')
            : `${formatNumber(rows.length, 0)} of ${formatCount(trades.length, 'trade')}`}
          {rows.length > 0 &&
            `, net ${signedMoney(rows.reduce((sum, { net }) => sum + net, 0))} ${data.currency}`}
        </span>
        <span class="buttons">
          <button
            type="button"
            class="quiet"
            disabled={shown === 0}
            onClick={() => {
              setPage(shown - 1);
            }}
          >
            Previous
          </button>
          <span>
            {shown + 1} of {formatNumber(pages, 0)}
          </span>
          <button
            type="button"
            class="quiet"
            disabled={shown >= pages - 1}
            onClick={() => {
              setPage(shown + 1);
            }}
          >
            Next
          </button>
        </span>
      </div>
    </>
  );
}

type Sort = { readonly column: string; readonly descending: boolean };

const sortState = (name: string, { column, descending }: Sort) =>
  name !== column ? 'none' : descending ? 'descending' : 'ascending';

function sorted(trades: readonly Trade[], { column, descending }: Sort): readonly Trade[] {
  const valueOf = COLUMNS.find(({ name }) => name === column)?.valueOf;
  if (valueOf === undefined) return trades;
  const sign = descending ? -1 : 1;
  return [...trades].sort((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    return (left < right ? -1 : left > right ? 1 : 0) * sign || a.row - b.row;
  });
}

const filtered = (trades: readonly Trade[], { side, result, symbol, reason }: Filter) =>
  trades.filter(
    (trade) =>
      (side === '' || trade.side === side) &&
      (result === '' || trade.net > 0 === (result === 'won')) &&
      (symbol === '' || trade.symbol === symbol) &&
      (reason === '' || trade.reason === reason),
  );

/** Arrow keys move between the rows' buttons. */
function moveFocus(event: KeyboardEvent, body: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const buttons = [...(body?.querySelectorAll('button') ?? [])];
  const index = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = buttons[index + (event.key === 'ArrowDown' ? 1 : -1)];
  if (index < 0 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

interface FiltersProps {
  readonly data: PageData;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

function Filters({ data: { trades }, filter, onFilter }: FiltersProps) {
  const choices = [
    [
      'side',
      'Side',
      [
        ['long', 'Long'],
        ['short', 'Short'],
      ],
    ],
    [
      'result',
      'Result',
      [
        ['won', 'Won'],
        ['lost', 'Lost'],
      ],
    ],
    ['symbol', 'Symbol', trades.symbols.map((name) => [name, name])],
    ['reason', 'Exit by', trades.reasons.map((name) => [name, reasonText(name)])],
  ] as const;
  return (
    <div class="filters">
      {choices
        .filter(([, , options]) => options.length > 1)
        .map(([key, name, options]) => (
          <label key={key}>
            {name}
            <select
              value={filter[key]}
              onChange={(event) => {
                onFilter({ ...filter, [key]: event.currentTarget.value });
              }}
            >
              <option value="">all</option>
              {options.map(([value = '', text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ))}
    </div>
  );
}
