import type { Currency } from '../../core/currency.js';
import { fixedFromText, textFromFixed, type Amount } from '../../core/fixed.js';
import type { JournalRecord } from '../../execution/journal-record.js';
import type { TransferDetail } from '../../venue/futures-api/futures-api.js';
import { transferRow } from './account-rows.js';
import type { AccountOptions } from './account-options.js';
import type { Io } from '../command-options.js';
import { confirm } from './confirmation.js';
import { EXIT } from '../exit-code.js';
import { SafetyRefusal, StartError } from '../failure.js';
import { OperatorSession } from './operator-session.js';
import { printJson, printRecord } from './printing.js';
import { configOf, patiently, valueOf, type VenueAccess } from './venue-access.js';

type Transfer = Extract<AccountOptions, { readonly what: 'transfer' }>;

/** A transfer completes at once; its row may take a moment to show. */
const SHOWN_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 500;
/** Rows to compare: far more than can come between two looks. */
const ROWS = 100;

/**
 * Moves money between the wallets. The request has no id of its own, so it is sent once and never
 * again: what it did is read from the rows that were not there before (hazard F6). The state folder
 * is locked meanwhile, so that no second transfer of ours can be mistaken for it (F7).
 */
export async function transfer(options: Transfer, access: VenueAccess, io: Io): Promise<number> {
  const config = configOf(access);
  const amount = fixedFromText<Currency>(options.amount);
  const text = textOf(options, access);
  const lines = [text, `at ${access.baseUrl}, account ${config.account}`];
  await confirm({ lines }, options.yes, io);
  const session = await OperatorSession.open(config, access, io);
  try {
    refuseAfterUnproved(session.bot.journalAtStart, options);
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
  const tell = (phase: 'begun' | 'done' | 'refused' | 'unproved') =>
    session.say({ kind: 'operation', what: 'transfer', phase, text });
  const before = new Set((await rowsOf(sending)).map(({ id }) => id));
  tell('begun');
  await session.bot.journaled();
  const { api, currency } = access;
  const outcome =
    currency === 'INR'
      ? await api.transferInr(options.direction, amount)
      : await api.transferUsdt(options.direction, amount);
  if (outcome.kind === 'no') {
    tell('refused');
    throw new StartError(`the venue refuses the transfer: ${outcome.text}. Nothing was moved`);
  }
  const row = await newRow(sending, before);
  tell(row === undefined ? 'unproved' : 'done');
  if (row === undefined) {
    const why = outcome.kind === 'unknown' ? `: ${outcome.cause}` : '';
    throw new StartError(
      `${text}: its outcome is not proved${why}. It is journaled and was not sent again; ` +
        'look at `sluice account transactions` before you repeat it',
    );
  }
  if (options.json) printJson(io, transferRow(row));
  else await printRecord(io, transferRow(row));
  return EXIT.done;
}

/** The row that was not there before, with what was asked for. */
async function newRow(
  sending: Sending,
  before: ReadonlySet<string>,
): Promise<TransferDetail | undefined> {
  const { options, amount, session, io } = sending;
  const until = io.clock.monotonicMs() + SHOWN_WITHIN_MS;
  for (;;) {
    const outcome = await readRows(sending);
    const rows = outcome.kind === 'yes' ? outcome.value : [];
    const row = rows.find(
      (each) =>
        !before.has(each.id) && each.direction === options.direction && each.amount === amount,
    );
    if (row !== undefined || io.clock.monotonicMs() >= until) return row;
    await session.until(() => false, LOOK_EVERY_MS);
  }
}

const readRows = ({ access }: Sending) =>
  patiently(() =>
    access.api.transactions(access.currency, {
      limit: ROWS,
      sortBy: 'created_at',
      sortOrder: 'desc',
    }),
  );

const rowsOf = async (sending: Sending): Promise<readonly TransferDetail[]> =>
  valueOf(await readRows(sending), 'transfers');

/** A second one on top of one that may have moved the money already is for a person to want. */
function refuseAfterUnproved(records: readonly JournalRecord[], { force }: Transfer): void {
  const last = records
    .flatMap((record) => (record.type === 'command' ? [record.command] : []))
    .filter((command) => command.kind === 'operation')
    .filter(({ what }) => what === 'transfer')
    .at(-1);
  const open = last?.phase === 'begun' || last?.phase === 'unproved';
  if (!open || force) return;
  throw new SafetyRefusal(
    `an earlier transfer has no proved outcome (${last.text}): look at \`sluice account transactions\`, then add --force`,
  );
}

function textOf({ direction, amount }: Transfer, { currency }: VenueAccess): string {
  const way = direction === 'deposit' ? 'spot → futures' : 'futures → spot';
  return `${textFromFixed(fixedFromText(amount))} ${currency}, ${way}`;
}
