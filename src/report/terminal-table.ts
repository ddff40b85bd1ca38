import { createRequire } from 'node:module';
import type Table from 'cli-table3';

const require = createRequire(import.meta.url);

/** Loads with the first table: a run with `--json` prints none. */
export const terminalTable = (options: Table.TableConstructorOptions): Table.Table =>
  new (require('cli-table3') as typeof Table)(options);
