import type { Currency } from '../../core/currency.js';
import { FIXED_PLACES, fixedFromText, type Amount } from '../../core/fixed.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import type { Operation } from '../../execution/operation/operation.js';
import { transferText } from '../../execution/operation/transferring.js';
import type { TransferDetail } from '../../venue/futures-api/futures-api.js';
import { transferRow } from './account-rows.js';
import type { AccountOptions } from './account-options.js';
import type { Io } from '../command-options.js';
import { confirm } from './confirmation.js';
import { EXIT } from '../exit-code.js';
import { SafetyRefusal, StartError } from '../failure.js';
import { OperatorSession } from './operator-session.js';
import { printJson, printRecord } from './printing.js';
import { configOf, read, type VenueAccess } from './venue-access.js';

type Transfer = Extract<AccountOptions, { readonly what: 'transfer' }>;

/** A transfer completes at once; its row may take a moment to show. */
const SHOWN_WITHIN_MS = 10_000;
/** Rows to compare: far more than can come between two looks. */
const ROWS = 100;

/**
 * Moves money between the wallets. The request has no id of its own, so it is sent once and never
 * again: what it did is read from the rows that were not there before (hazard F6). The state folder
 * is locked meanwhile, so that no second transfer of ours can be mistaken for it (F7).
 */
export async function transfer(options: Transfer, access: VenueAccess, io: Io): Promise<number> {
  const config = configOf(access);
  const amount = fixedFromText<Currency>(options.amount, FIXED_PLACES);
  const text = transferText({ amount, currency: access.currency, direction: options.direction });
  const lines = [text, `at ${access.baseUrl}, account ${config.account}`];
  await confirm({ lines }, options.yes, io);
  const session = await OperatorSession.open(config, access, io);
  try {
    refuseAfterUnproved(session, options);
    return await send({ options, amount, text, session, access, io });
  } finally {
    await session.close();
  }
}

interface Sending {
  readonly options: Transfer;
  readonly amount: Amount;
  readonly text: string;
  readonly session: OperatorSession;
  readonly access: VenueAccess;
  readonly io: Io;
}

async function send(sending: Sending): Promise<number> {
  const { options, amount, text, session, access, io } = sending;
  const { direction, force } = options;
  const { currency } = access;
  const id = session.say({ kind: 'transfer', currency, direction, amount, force });
  const operation = await session.operation(id, SHOWN_WITHIN_MS);
  const { state, evidence } = operation;
  if (state === 'refused') {
    throw new StartError(`the venue refuses the transfer: ${evidence}. Nothing was moved`);
  }
  if (state === 'dropped' || operation.attempts === 0) {
    throw new StartError(`${text}: nothing was sent: ${evidence || 'the account cannot be read'}`);
  }
  if (state !== 'done') {
    const why = evidence === '' ? '' : `: ${evidence}`;
    throw new StartError(
      `${text}: its outcome is not proved${why}. It is journaled and was not sent again; ` +
        'look at `sluice account transactions` before you repeat it',
    );
  }
  const row = transferRow(await rowOf(operation, sending));
  if (options.json) printJson(io, row);
  else await printRecord(io, row);
  return EXIT.done;
}

/** The row that has proved it, with all that the venue tells of it. */
async function rowOf(
  { step }: Operation,
  { options, amount, access: { api, currency } }: Sending,
): Promise<TransferDetail> {
  const known = step?.kind === 'transfer' ? step.known : [];
  const newest = { limit: ROWS, sortBy: 'created_at', sortOrder: 'desc' } as const;
  const rows = await read(() => api.transactions(currency, newest), 'transfers');
  const row = rows.find(
    (each) =>
      !known.includes(each.id) && each.direction === options.direction && each.amount === amount,
  );
  if (row === undefined) throw new StartError('the transfer is done, and its row is hidden again');
  return row;
}

/** A second one on top of one that may have moved the money already is for a person to want. */
function refuseAfterUnproved({ bot }: OperatorSession, { force }: Transfer): void {
  const [unproved] = bot.engine.operations.all.unproved('transfer');
  const text =
    unproved === undefined ? unprovedWord(bot.journalAtStart) : transferText(unproved.plan);
  if (text === undefined || force) return;
  throw new SafetyRefusal(
    `an earlier transfer has no proved outcome (${text}): look at \`sluice account transactions\`, then add --force`,
  );
}

/** How versions before 0.4 journaled a transfer. */
function unprovedWord(records: readonly JournalRecord[]): string | undefined {
  const last = records
    .flatMap((record) => (record.type === 'command' ? [record.command] : []))
    .filter((command) => command.kind === 'operation' || command.kind === 'transfer')
    .at(-1);
  if (last?.kind !== 'operation' || last.what !== 'transfer') return undefined;
  return last.phase === 'begun' || last.phase === 'unproved' ? last.text : undefined;
}
