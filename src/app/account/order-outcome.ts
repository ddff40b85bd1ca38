import type { Engine } from '../../engine/engine.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { Io } from '../command-options.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { ownOrderRow } from './own-order-row.js';
import { printJson, printRecord } from './printing.js';

/** How an order by hand came out. */
export type OrderOutcome =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'order'; readonly order: OwnOrder };

/** What became of a word so far; undefined while the engine has not heard it. */
export function outcomeOf(engine: Engine, commandId: string): OrderOutcome | undefined {
  const order = orderOf(engine, commandId);
  if (order !== undefined) return { kind: 'order', order };
  // In such a session nothing but the word asks for anything.
  for (const [control, { lastText }] of engine.counts.refusedBy) {
    return { kind: 'refused', reason: `${lastText} (${control})` };
  }
  return undefined;
}

/** The order that a word caused. */
export const orderOf = (engine: Engine, commandId: string): OwnOrder | undefined =>
  engine.ledger.all.find(
    ({ intent: { cause } }) => cause.kind === 'operator' && cause.commandId === commandId,
  );

const PENDING =
  'its outcome is not proved yet. It is journaled and looked for at the next start with this state_dir; do not repeat it before';

const FILLING = 'the venue has it and has not told its fill yet: sluice order show tells later';

/** Prints it. @returns 0 when the venue has or had it, 4 when our gate refused it, else 1 */
export async function tellOutcome(
  outcome: OrderOutcome | undefined,
  { io, json }: { readonly io: Io; readonly json: boolean },
): Promise<ExitCode> {
  if (outcome === undefined) {
    io.stderr(`sluice: ${PENDING}\n`);
    return EXIT.failed;
  }
  if (outcome.kind === 'refused') {
    if (json) printJson(io, { outcome: 'refused', reason: outcome.reason });
    io.stderr(`sluice: refused by the gate, nothing was sent: ${outcome.reason}\n`);
    return EXIT.refused;
  }
  const { order } = outcome;
  const answer = answerOf(order);
  const row = ownOrderRow(order);
  if (json) printJson(io, { outcome: answer, order: row });
  else await printRecord(io, row, 'Order');
  if (answer === 'unknown') io.stderr(`sluice: ${PENDING}\n`);
  if (order.state === 'accepted' && order.terms.type === 'market')
    io.stderr(`sluice: ${FILLING}\n`);
  if (answer === 'no')
    io.stderr(`sluice: the order was ${order.state}: ${order.endReason ?? 'no reason told'}\n`);
  return answer === 'yes' ? EXIT.done : EXIT.failed;
}

function answerOf({ state }: OwnOrder): 'yes' | 'no' | 'unknown' {
  switch (state) {
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
