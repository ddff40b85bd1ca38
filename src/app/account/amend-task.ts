import { isAtMost, fixedFromText, textFromFixed } from '../../core/fixed.js';
import type { Operation } from '../../execution/operation/operation.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OrderOptions } from './account-options.js';
import { ownOrder } from './cancel-task.js';
import type { Io } from '../command-options.js';
import { confirm } from './confirmation.js';
import { SafetyRefusal, StartError, UsageError } from '../failure.js';
import { findOrder, refText } from './find-order.js';
import { OperatorSession } from './operator-session.js';
import { orderOf, outcomeOf, tellOutcome } from './order-outcome.js';
import { isProved, termsText } from './own-order-row.js';
import { leverageFor } from './place-task.js';
import { configOf, type VenueAccess } from './venue-access.js';

type Amend = Extract<OrderOptions, { readonly what: 'amend' }>;

/** The new order leaves only after the old one's end is proved, which takes some reads. */
const VALID_MS = 60_000;

/**
 * Another price and quantity for a resting order of ours: cancel, proof, and a new order for what is
 * left (hazards C2, C6), or on demand the venue's own amend (`execution/amending.ts`).
 */
export async function amendOrder(options: Amend, access: VenueAccess, io: Io): Promise<number> {
  const config = configOf(access);
  const shown = await findOrder(access, options.order);
  const symbol = shown?.symbol;
  if (shown === undefined || symbol === undefined) {
    throw new StartError(`the venue knows no order ${refText(options.order)} to amend`);
  }
  const leverage = await leverageFor({ symbol, reduceOnly: false }, access, config);
  const desk = { symbol, leverage };
  const session = await OperatorSession.open(config, access, io, desk);
  try {
    const order = ownOrder(session, options.order, shown);
    if (order === undefined) {
      throw new SafetyRefusal(
        `order ${shown.orderId} is not in the journal of ${config.account}: cancel it as a foreign order, and place your own`,
      );
    }
    refuseUnfit(order, options);
    const lines = [...planOf(order, options), `at ${access.baseUrl}, account ${config.account}`];
    await confirm({ lines }, options.yes, io);
    await session.start(desk);
    refuseUnfit(order, options);
    return await amend(order, options, session, io);
  } finally {
    await session.close();
  }
}

async function amend(
  order: OwnOrder,
  options: Amend,
  session: OperatorSession,
  io: Io,
): Promise<number> {
  const { engine } = session.bot;
  const { json } = options;
  const id = session.say({
    kind: 'amend',
    clientOrderId: order.clientOrderId,
    price: fixedFromText(options.limit),
    quantity: fixedFromText(options.quantity),
    validUntil: Math.ceil(session.bot.venueTimeIn(VALID_MS)),
    ...(options.inPlace && { inPlace: true }),
  });
  const inPlace = () => engine.operations.all.byCommand(id);
  await session.until(() => {
    if (isOver(inPlace())) return true;
    const replacement = orderOf(engine, id);
    if (replacement !== undefined) return isProved(replacement);
    return order.ended || outcomeOf(engine, id)?.kind === 'refused';
  }, options.waitMs);
  const operation = inPlace();
  if (operation?.state === 'refused' || operation?.state === 'dropped') {
    throw new StartError(`the order is as it was: ${operation.evidence}`);
  }
  if (operation?.state === 'applied') return tellOutcome({ kind: 'order', order }, { io, json });
  const outcome =
    outcomeOf(engine, id) ?? (order.ended ? { kind: 'order' as const, order } : undefined);
  if (outcome?.kind === 'order' && outcome.order === order) {
    io.stderr(
      'sluice: the order was filled before it could be canceled: nothing was left to place\n',
    );
  }
  const replaced = outcome?.kind === 'order' && outcome.order.state === 'accepted';
  if (order.ended && !replaced) io.stderr(`sluice: the old order is ${order.state}\n`);
  return tellOutcome(outcome, { io, json });
}

function planOf(
  { terms, clientOrderId }: OwnOrder,
  { quantity, limit, inPlace }: Amend,
): readonly string[] {
  if (inPlace)
    return [`change ${clientOrderId}: ${termsText(terms)}`, `to ${quantity} at ${limit}`];
  return [`cancel ${termsText(terms)}`, `then place what is left of ${quantity} at ${limit}`];
}

/** Proved where it is. Fenced, it goes on as a cancel and a new order. */
const isOver = (operation: Operation | undefined): boolean =>
  operation?.ended === true && operation.state !== 'fenced';

function refuseUnfit(order: OwnOrder, { quantity, partial }: Amend): void {
  const { filledQuantity, terms } = order;
  if (terms.type === 'market') throw new UsageError('a market order cannot be amended');
  if (order.ended) throw new StartError(`nothing to amend: the order is ${order.state}`);
  if (filledQuantity === 0) return;
  const filled = textFromFixed(filledQuantity);
  if (!partial) {
    throw new SafetyRefusal(
      `${filled} of the order are filled already: --quantity counts them in; add --partial when that is meant (hazard of overfilling)`,
    );
  }
  if (isAtMost(fixedFromText<'quantity'>(quantity), filledQuantity)) {
    throw new UsageError(`${filled} are filled already: a quantity of ${quantity} leaves nothing`);
  }
}
