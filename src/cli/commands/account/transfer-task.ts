import type { Currency } from '../../../core/currency.js';
import { FIXED_PLACES, fixedFromText, type Amount } from '../../../core/fixed/fixed.js';
import type { JournalRecord } from '../../../execution/journal/journal-record.js';
import type { Operation } from '../../../execution/operation/operation.js';
import { transferText } from '../../../execution/operation/transfer-executor.js';
import type { TransferDetail } from '../../../venue/futures-api/futures-api.js';
import { transferRow } from './account-rows.js';
import type { AccountOptions } from './account-options.js';
import type { Io } from '../../command-io.js';
import { confirm } from './confirmation.js';
import { EXIT } from '../../../core/exit-code.js';
import { SafetyRefusal, StartError } from '../../../core/command-errors.js';
import { OperatorSession } from './operator-session.js';
import { printJson, printRecord } from './print.js';
import { configOf, type AccountConnection } from './account-connection.js';
import { readOrThrow } from '../../../venue/read-outcome.js';

type TransferOptions = Extract<AccountOptions, { readonly what: 'transfer' }>;

/** A transfer completes at once, but its row may appear later. */
const CONFIRM_TIMEOUT_MS = 10_000;
/** Rows to compare: far more than can appear between two reads. */
const MAX_ROWS = 100;

/**
 * Transfers between the wallets. The request has no client id, so it is sent once and never repeated.
 * Its outcome is read from the transfer rows that are new since. The state folder stays locked, so that
 * no second transfer of this account can be mistaken for it.
 */
export async function transfer(
  options: TransferOptions,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const config = configOf(connection);
  const amount = fixedFromText<Currency>(options.amount, FIXED_PLACES);
  const text = transferText({
    amount,
    currency: connection.currency,
    direction: options.direction,
  });
  const lines = [text, `at ${connection.baseUrl}, account ${config.account}`];
  await confirm({ lines }, options.yes, io);
  const session = await OperatorSession.open(config, connection, io);
  try {
    refuseAfterUnproved(session, options);
    return await send({ options, amount, text, session, connection, io });
  } finally {
    await session.close();
  }
}

interface TransferContext {
  readonly options: TransferOptions;
  readonly amount: Amount;
  readonly text: string;
  readonly session: OperatorSession;
  readonly connection: AccountConnection;
  readonly io: Io;
}

async function send(context: TransferContext): Promise<number> {
  const { options, amount, text, session, connection, io } = context;
  const { direction, force } = options;
  const { currency } = connection;
  const id = session.submitCommand({ kind: 'transfer', currency, direction, amount, force });
  const operation = await session.waitForOperation(id, CONFIRM_TIMEOUT_MS);
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
        'check `sluice account transactions` before you repeat it',
    );
  }
  const row = transferRow(await fetchTransferRow(operation, context));
  if (options.json) printJson(io, row);
  else await printRecord(io, row);
  return EXIT.done;
}

/** The new row that proves the transfer. */
async function fetchTransferRow(
  { step }: Operation,
  { options, amount, connection: { api, currency } }: TransferContext,
): Promise<TransferDetail> {
  const known = step?.kind === 'transfer' ? step.known : [];
  const newest = { limit: MAX_ROWS, sortBy: 'created_at', sortOrder: 'desc' } as const;
  const rows = await readOrThrow(() => api.transactions(currency, newest), 'transfers');
  const row = rows.find(
    (each) =>
      !known.includes(each.id) && each.direction === options.direction && each.amount === amount,
  );
  if (row === undefined)
    throw new StartError(
      'the transfer is done, but the venue no longer lists its row; check `sluice account transactions`',
    );
  return row;
}

/** An unproved transfer may have moved the money already, so a second one needs --force. */
function refuseAfterUnproved({ bot }: OperatorSession, { force }: TransferOptions): void {
  const [unproved] = bot.engine.operations.all.unproved('transfer');
  const text =
    unproved === undefined
      ? unprovedLegacyTransfer(bot.journalAtStart)
      : transferText(unproved.plan);
  if (text === undefined || force) return;
  throw new SafetyRefusal(
    `an earlier transfer has no proved outcome (${text}): check \`sluice account transactions\`, then add --force`,
  );
}

/** Versions before 0.4 journaled a transfer as an operation command. */
function unprovedLegacyTransfer(records: readonly JournalRecord[]): string | undefined {
  const last = records
    .flatMap((record) => (record.type === 'command' ? [record.command] : []))
    .filter((command) => command.kind === 'operation' || command.kind === 'transfer')
    .at(-1);
  if (last?.kind !== 'operation' || last.what !== 'transfer') return undefined;
  return last.phase === 'begun' || last.phase === 'unproved' ? last.text : undefined;
}
