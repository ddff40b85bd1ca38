import type { AccountOptions } from './account-options.js';
import { LISTS } from './account-lists.js';
import { futuresRow, spotRow } from './account-rows.js';
import type { Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';
import { setLeverage, showLeverage } from './leverage-task.js';
import { printJson, printRows } from './printing.js';
import type { Column } from './rows-table.js';
import { transfer } from './transfer-task.js';
import { read, refuseWithoutConfig, withVenueAccess, type VenueAccess } from './venue-access.js';

/** `sluice account …` @returns the exit code */
export async function accountCommand(options: AccountOptions, io: Io): Promise<number> {
  if (options.what === 'set-leverage' || options.what === 'transfer') refuseWithoutConfig(options);
  return withVenueAccess(options, io, (access) => run(options, access, io));
}

function run(options: AccountOptions, access: VenueAccess, io: Io): Promise<number> {
  switch (options.what) {
    case 'funds':
      return funds(options, access, io);
    case 'leverage':
      return showLeverage(options, access, io);
    case 'set-leverage':
      return setLeverage(options, access, io);
    case 'transfer':
      return transfer(options, access, io);
    default:
      return list(options, access, io);
  }
}

async function funds(
  { json }: AccountOptions,
  { api, currency }: VenueAccess,
  io: Io,
): Promise<number> {
  const futures = futuresRow(await read(() => api.futuresWallet(currency), 'the futures wallet'));
  const spot = spotRow(await read(() => api.spotWallet(currency), 'the spot wallet'));
  if (json) printJson(io, { currency, futures, spot });
  else await printRows(io, [futures, spot], { columns: FUNDS, none: '' });
  return EXIT.done;
}

const FUNDS: readonly Column[] = [
  { key: 'wallet' },
  { key: 'currency' },
  { key: 'total', right: true },
  { key: 'free', right: true },
  { key: 'locked', right: true },
];

async function list(
  options: Extract<AccountOptions, { readonly limit: number }>,
  { api, currency }: VenueAccess,
  io: Io,
): Promise<number> {
  const shown = LISTS[options.what];
  const rows = await shown.read(api, currency, options);
  if (options.json) printJson(io, { currency, [options.what]: rows });
  else await printRows(io, rows, shown);
  return EXIT.done;
}
