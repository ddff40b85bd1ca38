import type { OrderRef } from '../../../core/order.js';
import { isTerminalStatus } from '../../../core/order.js';
import { namespaceOf } from '../../../core/ids.js';
import type { OwnOrder } from '../../../execution/order/own-order.js';
import type { OrderDetail } from '../../../venue/futures-api/futures-api.js';
import type { OrderOptions } from './order-options.js';
import { orderRow } from '../account/account-rows.js';
import type { Io } from '../../command-io.js';
import type { SluiceConfig } from '../../../config/config.js';
import { confirm, readBeforeSending } from '../account/confirmation.js';
import { EXIT } from '../../../core/exit-code.js';
import { StartError } from '../../../core/command-errors.js';
import { findOrder, refText } from './find-order.js';
import { OperatorSession } from '../account/operator-session.js';
import { printOutcome } from './order-outcome.js';
import { orderTermsText } from './own-order-row.js';
import { printJson, printRecord } from '../account/print.js';
import { killFileIn } from '../../../live/state/kill-file.js';
import { configOf, type AccountConnection } from '../account/account-connection.js';
import { retryWhileRateLimited, valueOrThrow } from '../../../venue/read-outcome.js';

type CancelOptions = Extract<OrderOptions, { readonly what: 'cancel' }>;

const POLL_INTERVAL_MS = 500;

/**
 * Cancels an order. An own order goes through the journal and its protocol. An external order needs the
 * user's confirmation, since a wrong id would cancel the order of another client; its cancel is sent
 * once and verified by reading (hazard B10).
 */
export async function cancelOrder(
  options: CancelOptions,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const config = configOf(connection);
  const venueOrder = await readBeforeSending(findOrder(connection, options.order));
  if (venueOrder !== undefined && isTerminalStatus(venueOrder.status))
    return printEnded(venueOrder, options, io);
  // The client id has another namespace, so the order is external; no state lock is needed.
  if (venueOrder !== undefined && isExternal(venueOrder, config)) {
    return cancelExternal(venueOrder, options, { connection, config, io });
  }
  // The kill switch keeps a bot from starting, but an order must still be cancelable.
  if (venueOrder !== undefined && (await io.files.exists(killFileIn(config.stateDir)))) {
    const lines = [`cancel ${venueOrder.orderId} without the journal: the kill switch is set`];
    await confirm({ lines }, options.yes, io);
    return cancelAndVerify(venueOrder, options, { connection, config, io });
  }
  const session = await OperatorSession.open(config, connection, io);
  try {
    const own = ownOrder(session, options.order, venueOrder);
    if (own !== undefined)
      return await cancelOwn(own, options, { session, connection, config, io });
    if (venueOrder !== undefined)
      return await cancelExternal(venueOrder, options, { connection, config, io });
    throw new StartError(
      `neither the venue nor the journal has an order ${refText(options.order)}`,
    );
  } finally {
    await session.close();
  }
}

/** The own order that the reference or the venue's order names. */
export const ownOrder = (
  { bot }: OperatorSession,
  ref: OrderRef,
  venueOrder: OrderDetail | undefined,
): OwnOrder | undefined => {
  const ids: Partial<Record<'orderId' | 'clientOrderId', string>> = { ...venueOrder, ...ref };
  return bot.engine.ledger.all.find(
    ({ orderId, clientOrderId }) =>
      clientOrderId === ids.clientOrderId || (orderId !== undefined && orderId === ids.orderId),
  );
};

async function printEnded(
  venueOrder: OrderDetail,
  { json }: CancelOptions,
  io: Io,
): Promise<number> {
  if (json) printJson(io, { order: orderRow(venueOrder) });
  else await printRecord(io, orderRow(venueOrder), 'Order');
  io.stderr(`sluice: nothing to cancel: the order is ${venueOrder.status}\n`);
  return venueOrder.status === 'filled' ? EXIT.failed : EXIT.done;
}

const isExternal = ({ clientOrderId }: OrderDetail, { account }: SluiceConfig): boolean =>
  clientOrderId !== undefined && !clientOrderId.startsWith(`${namespaceOf(account)}-`);

interface CancelContext {
  readonly connection: AccountConnection;
  readonly config: SluiceConfig;
  readonly io: Io;
}

async function cancelOwn(
  order: OwnOrder,
  { yes, json, waitMs }: CancelOptions,
  { session, connection, config, io }: CancelContext & { readonly session: OperatorSession },
): Promise<number> {
  const lines = [
    `cancel ${order.clientOrderId}: ${orderTermsText(order.terms)}`,
    `at ${connection.baseUrl}, account ${config.account}`,
  ];
  await confirm({ lines }, yes, io);
  await session.start();
  if (!order.ended) session.submitCommand({ kind: 'cancel', clientOrderId: order.clientOrderId });
  const isConfirmed = await session.waitUntil(() => order.ended, waitMs);
  if (isConfirmed) return printOutcome({ kind: 'order', order }, { io, json });
  io.stderr(
    'sluice: the cancel is not proved yet; the next start with this state_dir queries the order\n',
  );
  return EXIT.failed;
}

async function cancelExternal(
  venueOrder: OrderDetail,
  options: CancelOptions,
  context: CancelContext,
): Promise<number> {
  const { external, yes } = options;
  const { connection, config, io } = context;
  const lines = [
    `cancel ${venueOrder.orderId}, an order on ${venueOrder.symbol ?? 'an unknown symbol'} that is not in the journal of ${config.account}`,
    `at ${connection.baseUrl}`,
  ];
  await confirm({ lines, phrase: 'foreign', flag: '--foreign --yes' }, external && yes, io);
  return cancelAndVerify(venueOrder, options, context);
}

/** Sends the cancel once, then only reads. */
async function cancelAndVerify(
  venueOrder: OrderDetail,
  { json, waitMs }: CancelOptions,
  { connection, io }: CancelContext,
): Promise<number> {
  const { api } = connection;
  const outcome = await api.cancelOrder({ orderId: venueOrder.orderId });
  if (outcome.kind === 'no' && outcome.code !== 'order-not-open')
    valueOrThrow(outcome, 'the cancel');
  const deadline = io.clock.monotonicMs() + waitMs;
  for (;;) {
    const current = await retryWhileRateLimited(() =>
      api.orderDetail({ orderId: venueOrder.orderId }),
    );
    if (current.kind === 'yes' && isTerminalStatus(current.value.status)) {
      if (json) printJson(io, { order: orderRow(current.value) });
      else await printRecord(io, orderRow(current.value), 'Order');
      return EXIT.done;
    }
    if (io.clock.monotonicMs() >= deadline) break;
    await new Promise<void>((resolve) => io.scheduler.after(POLL_INTERVAL_MS, resolve));
  }
  throw new StartError(
    'the cancel is not proved: check the order with `sluice order show`, then repeat the cancel',
  );
}
