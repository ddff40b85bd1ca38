import type { CatalogEntry } from './catalog.js';
import type { TimeRange } from './coverage.js';
import type { Dataset } from './dataset.js';

export type CatalogFaultKind =
  'unreadable' | 'no-record' | 'checksum' | 'duplicate' | 'order' | 'bad' | 'gap';

/**
 * The shell command that repairs a fault of a file: it downloads a gap, and makes other rows again from their
 * sources.
 */
export function repairCommand(
  folder: string,
  { dataset, state, path }: Pick<CatalogEntry, 'dataset' | 'state' | 'path'>,
  kind: CatalogFaultKind,
  range: TimeRange,
): string {
  const sources = state?.sources ?? [];
  const venue = sources.findLast(({ sha256 }) => sha256 === null);
  if (kind === 'gap') return downloadCommand(folder, dataset, range, venue?.text);
  const commands = sources
    .filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs > range.fromMs)
    .map(({ text, sha256, ...own }) => {
      if (sha256 === null) return `${downloadCommand(folder, dataset, own, text)} --overwrite`;
      return `sluice data import ${shellWord(text)} ${datasetOptions(dataset)} --catalog ${shellWord(folder)} --overwrite`;
    });
  // Without a record no source is known: the file makes way, and a backtest names the range that it needs.
  return commands.length === 0
    ? `mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}`
    : commands.join(' && ');
}

/**
 * The shell command that downloads a range.
 * @param range undefined: a placeholder stands for it
 * @param baseUrl of the venue; undefined: a placeholder stands for it
 */
export const downloadCommand = (
  folder: string,
  dataset: Dataset,
  range: TimeRange | undefined,
  baseUrl?: string,
): string => {
  // The venue keeps no history of funding.
  if (dataset.kind === 'funding')
    return `sluice data import FILE ${datasetOptions(dataset)} --catalog ${shellWord(folder)}`;
  return [
    'sluice data download',
    `--base-url ${baseUrl === undefined ? 'URL' : shellWord(baseUrl)}`,
    datasetOptions(dataset),
    range === undefined
      ? '--from DATE'
      : `--from ${instantText(range.fromMs)} --to ${instantText(range.toMs)}`,
    `--catalog ${shellWord(folder)}`,
  ].join(' ');
};

const datasetOptions = (dataset: Dataset): string =>
  dataset.kind === 'funding'
    ? `--kind funding --symbol ${dataset.symbol}`
    : `--kind ${dataset.kind} --symbol ${dataset.symbol} --interval ${dataset.interval}`;

/** `2025-05-05` at midnight, else `2025-05-05T00:01:00Z`. */
const instantText = (ms: number): string =>
  new Date(ms).toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');

/** For a POSIX shell. */
const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
