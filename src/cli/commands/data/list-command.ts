import type { CatalogEntry } from '../../../catalog/catalog.js';
import { stateJson } from '../../../catalog/dataset-record.js';
import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { Column, Row } from '../../../report/rows-table.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import type { DataListOptions } from './data-options.js';
import { openCatalog } from './open-catalog.js';

/** Runs `sluice data list`. @returns the exit code */
export async function dataListCommand(options: DataListOptions, io: Io): Promise<number> {
  const catalog = openCatalog(options, io);
  const all = await catalog.list();
  const entries = all.filter(
    ({ dataset }) => options.symbol === undefined || dataset.symbol === options.symbol,
  );
  if (options.json) {
    printJson(io, { catalog: catalog.folder, datasets: entries.map(entryJson) });
    return EXIT.done;
  }
  const none =
    all.length === 0
      ? `no data in ${oneLine(catalog.folder)}: sluice data import or sluice data download adds some`
      : `no data of ${options.symbol ?? 'that symbol'} in ${oneLine(catalog.folder)}`;
  await printRows(io, entries.map(entryRow), { columns: COLUMNS, none, isDense: true });
  return EXIT.done;
}

const COLUMNS: readonly Column[] = [
  { key: 'symbol' },
  { key: 'kind' },
  { key: 'interval' },
  { key: 'from' },
  { key: 'to' },
  { key: 'rows', alignRight: true },
  { key: 'gaps', alignRight: true },
  { key: 'missing', alignRight: true },
  { key: 'size', alignRight: true },
  { key: 'source' },
];

const intervalOf = ({ dataset }: CatalogEntry): string | null =>
  dataset.kind === 'funding' ? null : dataset.interval;

const entryJson = (entry: CatalogEntry) => ({
  symbol: entry.dataset.symbol,
  kind: entry.dataset.kind,
  interval: intervalOf(entry),
  path: entry.path,
  ...(entry.state === undefined ? { record: null } : stateJson(entry.state)),
});

function entryRow(entry: CatalogEntry): Row {
  const { dataset, state } = entry;
  const named = { symbol: dataset.symbol, kind: dataset.kind, interval: intervalOf(entry) };
  if (state === undefined) return { ...named, source: 'no record: run sluice data verify' };
  const { ranges, gaps, rows, bytes, sources } = state;
  return {
    ...named,
    from: minute(ranges[0]?.fromMs),
    to: minute(ranges.at(-1)?.toMs),
    rows: String(rows),
    gaps: String(gaps.length),
    missing: String(gaps.reduce((sum, gap) => sum + gap.missing, 0)),
    size: `${(bytes / 1e6).toFixed(1)} MB`,
    source: sourceText(sources.map(({ text }) => text)),
  };
}

const sourceText = (texts: readonly string[]): string => {
  const last = texts.at(-1) ?? '';
  return texts.length > 1 ? `${last} and ${texts.length - 1} more` : last;
};

const minute = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
