import type { CatalogEntry } from './catalog.js';
import { stateJson } from './dataset-record.js';

const intervalOf = ({ dataset }: CatalogEntry): string | null =>
  dataset.kind === 'funding' ? null : dataset.interval;

/** An entry as `--json` prints it. */
export const entryJson = (entry: CatalogEntry) => ({
  symbol: entry.dataset.symbol,
  kind: entry.dataset.kind,
  interval: intervalOf(entry),
  path: entry.path,
  ...(entry.state === undefined ? { record: null } : stateJson(entry.state)),
});

/** An entry as a row of a table. */
export function entryRow(entry: CatalogEntry): Readonly<Record<string, unknown>> {
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
