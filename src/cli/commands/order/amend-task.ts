import { isAtMost, fixedFromText, textFromFixed } from '../../../core/fixed/fixed.js';
import type { Operation } from '../../../execution/operation/operation.js';
import type { OwnOrder } from '../../../execution/order/own-order.js';
import type { OrderOptions } from './order-options.js';
import { ownOrder } from './cancel-task.js';
import type { Io } from '../../command-io.js';
import { confirm, readBeforeSending } from '../account/confirmation.js';
import { SafetyRefusal, StartError, UsageError } from '../../../core/command-errors.js';
import { findOrder, refText } from './find-order.js';
import { OperatorSession } from '../account/operator-session.js';
import { orderOfCommand, commandOutcome, printOutcome } from './order-outcome.js';
import { isProved, orderTermsText } from './own-order-row.js';
import { leverageFor } from './place-task.js';
import { configOf, type AccountConnection } from '../account/account-connection.js';

type AmendOptions = Extract<OrderOptions, { readonly what: 'amend' }>;

/** Real ms. The new order is sent only after the end of the old one is proved, which takes some reads. */
const VALID_FOR_MS = 60_000;

/**
 * Changes price and quantity of an own resting order: cancels it, waits for the proof and places the
 * remaining quantity as a new order. With --in-place it uses the venue's amend request instead.
 */
export async function amendOrder(
  options: AmendOptions,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const config = configOf(connection);
  const venueOrder = await readBeforeSending(findOrder(connection, options.order));
  const symbol = venueOrder?.symbol;
  if (venueOrder === undefined || symbol === undefined) {
    throw new StartError(`the venue has no order ${refText(options.order)} to amend`);
  }
  const leverage = await readBeforeSending(leverageFor(symbol, connection, config));
  const manualSymbol = { symbol, leverage };
  const session = await OperatorSession.open(config, connection, io, manualSymbol);
  try {
    const order = ownOrder(session, options.order, venueOrder);
    if (order === undefined) {
      throw new SafetyRefusal(
        `order ${venueOrder.orderId} is not in the journal of ${config.account}: cancel it with \`sluice order cancel --foreign\`, and place your own`,
      );
    }
    refuseUnamendable(order, options);
    const confirmationLines = [
      ...amendLines(order, options),
      `at ${connection.baseUrl}, account ${config.account}`,
    ];
    await confirm({ lines: confirmationLines }, options.yes, io);
    await session.start(manualSymbol);
    refuseUnamendable(order, options);
    return await amend(order, options, session, io);
  } finally {
    await session.close();
  }
}

async function amend(
  order: OwnOrder,
  options: AmendOptions,
  session: OperatorSession,
  io: Io,
): Promise<number> {
  const { engine } = session.bot;
  const { json } = options;
  const id = session.submitCommand({
    kind: 'amend',
    clientOrderId: order.clientOrderId,
    price: fixedFromText(options.limit),
    quantity: fixedFromText(options.quantity),
    validUntil: Math.ceil(session.bot.venueTimeIn(VALID_FOR_MS)),
    ...(options.inPlace && { inPlace: true }),
  });
  const inPlace = () => engine.operations.all.byCommand(id);
  await session.waitUntil(() => {
    if (isResolved(inPlace())) return true;
    const replacement = orderOfCommand(engine, id);
    if (replacement !== undefined) return isProved(replacement);
    return order.ended || commandOutcome(engine, id)?.kind === 'refused';
  }, options.waitMs);
  const operation = inPlace();
  if (operation?.state === 'refused' || operation?.state === 'dropped') {
    throw new StartError(`the order is as it was: ${operation.evidence}`);
  }
  if (operation?.state === 'applied') return printOutcome({ kind: 'order', order }, { io, json });
  const outcome =
    commandOutcome(engine, id) ?? (order.ended ? { kind: 'order' as const, order } : undefined);
  if (outcome?.kind === 'order' && outcome.order === order) {
    io.stderr('sluice: the order was filled before the cancel: no quantity was left to place\n');
  }
  const replaced = outcome?.kind === 'order' && outcome.order.state === 'accepted';
  if (order.ended && !replaced) io.stderr(`sluice: the old order is ${order.state}\n`);
  return printOutcome(outcome, { io, json });
}

function amendLines(
  { terms, clientOrderId }: OwnOrder,
  { quantity, limit, inPlace }: AmendOptions,
): readonly string[] {
  if (inPlace)
    return [`change ${clientOrderId}: ${orderTermsText(terms)}`, `to ${quantity} at ${limit}`];
  return [`cancel ${orderTermsText(terms)}`, `then place the rest of ${quantity} at ${limit}`];
}

/** Ended with a proof. A fenced amend continues as a cancel and a new order. */
const isResolved = (operation: Operation | undefined): boolean =>
  operation?.ended === true && operation.state !== 'fenced';

function refuseUnamendable(order: OwnOrder, { quantity, partial }: AmendOptions): void {
  const { filledQuantity, terms } = order;
  if (terms.type === 'market') throw new UsageError('a market order cannot be amended');
  if (order.ended) throw new StartError(`nothing to amend: the order is ${order.state}`);
  if (filledQuantity === 0) return;
  const filled = textFromFixed(filledQuantity);
  if (!partial) {
    throw new SafetyRefusal(
      `${filled} of the order are filled already, and --quantity includes them; add --partial to amend a partly filled order`,
    );
  }
  if (isAtMost(fixedFromText<'quantity'>(quantity), filledQuantity)) {
    throw new UsageError(`${filled} are filled already: a quantity of ${quantity} leaves nothing`);
  }
}
