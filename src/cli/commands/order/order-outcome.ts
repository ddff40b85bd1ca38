import type { Engine } from '../../../engine/engine.js';
import type { OwnOrder } from '../../../execution/order/own-order.js';
import type { Io } from '../../command-io.js';
import { EXIT, type ExitCode } from '../../../core/exit-code.js';
import { isFencedOff, ownOrderRow } from './own-order-row.js';
import { printJson, printRecord } from '../account/print.js';

/** The outcome of a manual order. */
export type OrderOutcome =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'order'; readonly order: OwnOrder };

/** The outcome of a command so far; undefined before the engine has handled it. */
export function commandOutcome(engine: Engine, commandId: string): OrderOutcome | undefined {
  const order = orderOfCommand(engine, commandId);
  if (order !== undefined) return { kind: 'order', order };
  // A session holds one command, so any refusal belongs to it.
  for (const [control, { lastText }] of engine.counts.refusedBy) {
    return { kind: 'refused', reason: `${lastText} (${control})` };
  }
  return undefined;
}

/** The order that a command caused. */
export const orderOfCommand = (engine: Engine, commandId: string): OwnOrder | undefined =>
  engine.ledger.all.find(
    ({ intent: { cause } }) => cause.kind === 'operator' && cause.commandId === commandId,
  );

const UNRESOLVED_TEXT =
  'its outcome is not proved yet. It is journaled, and the next start with this state_dir queries it; do not repeat it before';

const FENCED_OFF_TEXT =
  'nothing was placed: the venue did not take the order. Its id was used up by an order that cannot fill, and that one is canceled: you may place yours again';

const FILL_PENDING_TEXT =
  'the venue has accepted it but has not reported its fill yet: check it later with sluice order show';

/** Prints the outcome. @returns 0 when the venue accepted the order, 4 when the risk gate refused it, else 1 */
export async function printOutcome(
  outcome: OrderOutcome | undefined,
  { io, json }: { readonly io: Io; readonly json: boolean },
): Promise<ExitCode> {
  if (outcome === undefined) {
    io.stderr(`sluice: ${UNRESOLVED_TEXT}\n`);
    return EXIT.failed;
  }
  if (outcome.kind === 'refused') {
    if (json) printJson(io, { outcome: 'refused', reason: outcome.reason });
    io.stderr(`sluice: refused by the risk gate, nothing was sent: ${outcome.reason}\n`);
    return EXIT.refused;
  }
  const { order } = outcome;
  const answer = answerOfState(order);
  const row = ownOrderRow(order);
  if (json) printJson(io, { outcome: answer, order: row });
  else await printRecord(io, row, 'Order');
  if (answer === 'unknown') io.stderr(`sluice: ${UNRESOLVED_TEXT}\n`);
  if (order.state === 'accepted' && order.terms.type === 'market')
    io.stderr(`sluice: ${FILL_PENDING_TEXT}\n`);
  if (answer === 'no') io.stderr(`sluice: ${refusalText(order)}\n`);
  return answer === 'yes' ? EXIT.done : EXIT.failed;
}

const refusalText = (order: OwnOrder): string =>
  isFencedOff(order)
    ? `${FENCED_OFF_TEXT} (\`sluice why ${order.clientOrderId}\` has each answer of the venue)`
    : `the order was ${order.state}: ${order.endReason ?? 'no reason given'}`;

function answerOfState(order: OwnOrder): 'yes' | 'no' | 'unknown' {
  if (isFencedOff(order)) return 'no';
  if (order.isFence && !order.ended) return 'unknown';
  switch (order.state) {
    case 'filled':
    case 'canceled':
    case 'accepted':
      return 'yes';
    case 'rejected':
    case 'dropped':
    case 'burned':
      return 'no';
    default:
      return 'unknown';
  }
}
