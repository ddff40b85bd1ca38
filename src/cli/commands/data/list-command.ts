import { entryJson, entryRow } from '../../../catalog/entry-text.js';
import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { Column } from '../../../report/rows-table.js';
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
