import { mayBeResolved, type OwnOrder } from '../../execution/order/own-order.js';
import type { OrderDetail } from '../../venue/futures-api/futures-api.js';
import type { OrderOptions } from './account-options.js';
import type { Io } from '../command-options.js';
import { confirm } from './confirmation.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { SafetyRefusal, StartError } from '../failure.js';
import { findOrder } from './find-order.js';
import { OperatorSession } from './operator-session.js';
import { ownOrderRow, termsText } from './own-order-row.js';
import { printJson, printRecord } from './printing.js';
import { configOf, type VenueAccess } from './venue-access.js';

type Resolve = Extract<OrderOptions, { readonly what: 'resolve' }>;

const WORD = 'never-landed';
const HEARD_WITHIN_MS = 5_000;

/**
 * Ends an order of ours whose outcome nobody has proved, on a person's word. The session is not started: it
 * would wait for the very order that is meant, and nothing is to be sent.
 */
export async function resolveOrder(
  options: Resolve,
  access: VenueAccess,
  io: Io,
): Promise<ExitCode> {
  const config = configOf(access);
  const { clientOrderId, json, yes } = options;
  const shown = await findOrder(access, { clientOrderId });
  const session = await OperatorSession.open(config, access, io);
  try {
    const order = session.bot.engine.ledger.byClientOrderId(clientOrderId);
    if (order === undefined)
      throw new StartError(
        `the journal in ${config.stateDir} has no order ${clientOrderId}; the summary of sluice run names those that are unproved`,
      );
    refuseProved(order, shown);
    await confirm({ lines: warningOf(order, access.baseUrl), word: WORD }, yes, io);
    session.say({ kind: 'resolve', clientOrderId, as: 'never-landed' });
    const heard = await session.until(() => order.ended, HEARD_WITHIN_MS);
    await session.bot.journaled();
    if (!heard) throw new StartError(`order ${clientOrderId} was not resolved: try again`);
    const row = ownOrderRow(order);
    if (json) printJson(io, { outcome: 'resolved', order: row });
    else await printRecord(io, row, 'Order');
    return EXIT.done;
  } finally {
    await session.close();
  }
}

/** @throws SafetyRefusal where somebody knows better than the person */
function refuseProved(order: OwnOrder, shown: OrderDetail | undefined): void {
  const { clientOrderId: id, state } = order;
  if (order.ended) throw refusal(`order ${id} is over, and that is proved: it is ${state}`);
  if (shown !== undefined)
    throw refusal(
      `the venue has order ${id}, ${shown.status}: it landed. The next start takes it over; sluice order cancel --client-id ${id} takes it back`,
    );
  if (mayBeResolved(order)) return;
  const use = `use sluice order cancel --client-id ${id}`;
  const why = state === 'accepted' ? 'the venue has taken it' : 'nothing of it is at the venue';
  throw refusal(`order ${id} has a proved state, ${STATE_NAMES[state] ?? state}: ${why}; ${use}`);
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  accepted: 'open',
  waiting: 'not sent',
};

const refusal = (text: string): SafetyRefusal => new SafetyRefusal(`nothing was changed: ${text}`);

/** The warning that the operator reads before the word is given: its consequences for the order. */
function warningOf(order: OwnOrder, baseUrl: string): readonly string[] {
  const { clientOrderId: id, terms } = order;
  const { symbol } = terms;
  return [
    `resolve ${id}: ${termsText(terms)}, as never landed`,
    `neither a lookup nor the lists of ${baseUrl} show it, and that is no proof`,
    ...(order.conflictSeen
      ? ['the venue has refused its id as used (409): it landed, or a hard rejection burned the id']
      : []),
    `from now on it counts for nothing: its room is free, entries of ${symbol} leave again, and it is never looked for`,
    `if it landed after all, no order of ours explains its fill: ${symbol} or the account halts, and trading goes on only after sluice run --adopt ${symbol} or --adopt ${id}`,
  ];
}
