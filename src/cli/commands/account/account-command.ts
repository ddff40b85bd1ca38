import type { AccountOptions } from './account-options.js';
import { LIST_VIEWS } from './account-lists.js';
import { futuresRow, spotRow } from './account-rows.js';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import { setLeverage, showLeverage } from './leverage-task.js';
import { printJson, printRows } from './print.js';
import type { Column } from '../../../report/rows-table.js';
import { transfer } from './transfer-task.js';
import {
  refuseWithoutConfig,
  withAccountConnection,
  type AccountConnection,
} from './account-connection.js';
import { readOrThrow } from '../../../venue/read-outcome.js';

/** Runs `sluice account`. @returns the exit code */
export async function accountCommand(options: AccountOptions, io: Io): Promise<number> {
  if (options.what === 'set-leverage' || options.what === 'transfer') refuseWithoutConfig(options);
  return withAccountConnection(options, io, (connection) => run(options, connection, io));
}

function run(options: AccountOptions, connection: AccountConnection, io: Io): Promise<number> {
  switch (options.what) {
    case 'funds':
      return funds(options, connection, io);
    case 'leverage':
      return showLeverage(options, connection, io);
    case 'set-leverage':
      return setLeverage(options, connection, io);
    case 'transfer':
      return transfer(options, connection, io);
    default:
      return list(options, connection, io);
  }
}

async function funds(
  { json }: AccountOptions,
  { api, currency }: AccountConnection,
  io: Io,
): Promise<number> {
  const futures = futuresRow(
    await readOrThrow(() => api.futuresWallet(currency), 'the futures wallet'),
  );
  const spot = spotRow(await readOrThrow(() => api.spotWallet(currency), 'the spot wallet'));
  if (json) printJson(io, { currency, futures, spot });
  else await printRows(io, [futures, spot], { columns: FUNDS_COLUMNS, none: '' });
  return EXIT.done;
}

const FUNDS_COLUMNS: readonly Column[] = [
  { key: 'wallet' },
  { key: 'currency' },
  { key: 'total', alignRight: true },
  { key: 'free', alignRight: true },
  { key: 'locked', alignRight: true },
];

async function list(
  options: Extract<AccountOptions, { readonly limit: number }>,
  { api, currency }: AccountConnection,
  io: Io,
): Promise<number> {
  const view = LIST_VIEWS[options.what];
  const rows = await view.read(api, currency, options);
  if (options.json) printJson(io, { currency, [options.what]: rows });
  else await printRows(io, rows, view);
  return EXIT.done;
}
