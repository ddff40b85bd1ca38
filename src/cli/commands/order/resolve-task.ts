import { mayBeResolved, type OwnOrder } from '../../../execution/order/own-order.js';
import type { OrderDetail } from '../../../venue/futures-api/futures-api.js';
import type { OrderOptions } from './order-options.js';
import type { Io } from '../../command-io.js';
import { confirm, readBeforeSending } from '../account/confirmation.js';
import { EXIT, type ExitCode } from '../../../core/exit-code.js';
import { SafetyRefusal, StartError } from '../../../core/command-errors.js';
import { findOrder } from './find-order.js';
import { OperatorSession } from '../account/operator-session.js';
import { ownOrderRow, orderTermsText } from './own-order-row.js';
import { printJson, printRecord } from '../account/print.js';
import { configOf, type AccountConnection } from '../account/account-connection.js';

type ResolveOptions = Extract<OrderOptions, { readonly what: 'resolve' }>;

const CONFIRM_PHRASE = 'never-landed';
const PROCESS_TIMEOUT_MS = 5_000;

/**
 * Ends an own order with an unproved outcome, on the user's decision. The session is opened but not
 * started: a start would wait for the proof of this very order, and nothing needs to be sent.
 */
export async function resolveOrder(
  options: ResolveOptions,
  connection: AccountConnection,
  io: Io,
): Promise<ExitCode> {
  const config = configOf(connection);
  const { clientOrderId, json, yes } = options;
  const venueOrder = await readBeforeSending(findOrder(connection, { clientOrderId }));
  const session = await OperatorSession.open(config, connection, io);
  try {
    const order = session.bot.engine.ledger.byClientOrderId(clientOrderId);
    if (order === undefined)
      throw new StartError(
        `the journal in ${config.stateDir} has no order ${clientOrderId}; the summary of sluice run lists the unproved orders`,
      );
    refuseResolved(order, venueOrder);
    await confirm(
      { lines: warningLines(order, connection.baseUrl), phrase: CONFIRM_PHRASE },
      yes,
      io,
    );
    session.submitCommand({ kind: 'resolve', clientOrderId, as: 'never-landed' });
    const resolved = await session.waitUntil(() => order.ended, PROCESS_TIMEOUT_MS);
    await session.bot.flushJournal();
    if (!resolved) throw new StartError(`order ${clientOrderId} was not resolved: try again`);
    const row = ownOrderRow(order);
    if (json) printJson(io, { outcome: 'resolved', order: row });
    else await printRecord(io, row, 'Order');
    return EXIT.done;
  } finally {
    await session.close();
  }
}

/** @throws SafetyRefusal when the journal or the venue proves the state of the order */
function refuseResolved(order: OwnOrder, venueOrder: OrderDetail | undefined): void {
  const { clientOrderId: id, state } = order;
  if (order.ended) throw refusal(`order ${id} has ended, and that is proved: it is ${state}`);
  if (venueOrder !== undefined)
    throw refusal(
      `the venue has order ${id}, ${venueOrder.status}: it landed. The next start takes it over; sluice order cancel --client-id ${id} cancels it`,
    );
  if (mayBeResolved(order)) return;
  const use = `use sluice order cancel --client-id ${id}`;
  const why = state === 'accepted' ? 'the venue has accepted it' : 'nothing of it is at the venue';
  throw refusal(`order ${id} has a proved state, ${STATE_NAMES[state] ?? state}: ${why}; ${use}`);
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  accepted: 'open',
  waiting: 'not sent',
};

const refusal = (text: string): SafetyRefusal => new SafetyRefusal(`nothing was changed: ${text}`);

/** The consequences, which the user reads before the confirmation. */
function warningLines(order: OwnOrder, baseUrl: string): readonly string[] {
  const { clientOrderId: id, terms } = order;
  const { symbol } = terms;
  return [
    `resolve ${id}: ${orderTermsText(terms)}, as never landed`,
    `neither a lookup nor the lists of ${baseUrl} show it, but that is no proof`,
    ...(order.conflictSeen
      ? [
          'the venue refused its id as used (HTTP 409): it landed, or a hard rejection used up the id',
        ]
      : []),
    `from now on its headroom is free, entries of ${symbol} are sent again, and the order is never queried`,
    `if it landed after all, no own order explains its fill: ${symbol} or the account halts, and trading resumes only after sluice run --adopt ${symbol} or --adopt ${id}`,
  ];
}
