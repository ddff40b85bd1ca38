import type { OrderRef } from '../../core/order.js';
import { isFinal } from '../../core/order.js';
import { namespaceOf } from '../../core/ids.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OrderDetail } from '../../venue/futures-api/futures-api.js';
import type { OrderOptions } from './account-options.js';
import { orderRow } from './account-rows.js';
import type { Io } from '../command-options.js';
import type { SluiceConfig } from '../config.js';
import { confirm } from './confirmation.js';
import { EXIT } from '../exit-code.js';
import { StartError } from '../failure.js';
import { findOrder, refText } from './find-order.js';
import { OperatorSession } from './operator-session.js';
import { tellOutcome } from './order-outcome.js';
import { termsText } from './own-order-row.js';
import { printJson, printRecord } from './printing.js';
import { KILL_FILE } from '../state-folder.js';
import { configOf, patiently, valueOf, type VenueAccess } from './venue-access.js';

type Cancel = Extract<OrderOptions, { readonly what: 'cancel' }>;

const LOOK_EVERY_MS = 500;

/**
 * Cancels an order: one of ours through its journal and protocol; one that somebody else gave only
 * when a person says that it is foreign (hazard B10), once and verified by reading.
 */
export async function cancelOrder(options: Cancel, access: VenueAccess, io: Io): Promise<number> {
  const config = configOf(access);
  const shown = await findOrder(access, options.order);
  if (shown !== undefined && isFinal(shown.status)) return over(shown, options, io);
  // Another client's id in plain sight: whoever holds the state folder, it is not theirs.
  if (shown !== undefined && isForeign(shown, config)) {
    return cancelForeign(shown, options, { access, config, io });
  }
  // The kill switch keeps the journal's bot from starting; it must not keep an order alive.
  if (shown !== undefined && (await io.files.exists(`${config.stateDir}/${KILL_FILE}`))) {
    const lines = [`cancel ${shown.orderId} past the journal: the kill switch is set`];
    await confirm({ lines }, options.yes, io);
    return cancelAndRead(shown, options, { access, config, io });
  }
  const session = await OperatorSession.open(config, access, io);
  try {
    const own = ownOrder(session, options.order, shown);
    if (own !== undefined) return await cancelOwn(own, options, { session, access, config, io });
    if (shown !== undefined) return await cancelForeign(shown, options, { access, config, io });
    throw new StartError(
      `neither the venue nor the journal knows an order ${refText(options.order)}`,
    );
  } finally {
    await session.close();
  }
}

/** The order of the journal that is meant. */
export const ownOrder = (
  { bot }: OperatorSession,
  ref: OrderRef,
  shown: OrderDetail | undefined,
): OwnOrder | undefined => {
  const named: Partial<Record<'orderId' | 'clientOrderId', string>> = { ...shown, ...ref };
  return bot.engine.ledger.all.find(
    ({ orderId, clientOrderId }) =>
      clientOrderId === named.clientOrderId || (orderId !== undefined && orderId === named.orderId),
  );
};

async function over(shown: OrderDetail, { json }: Cancel, io: Io): Promise<number> {
  if (json) printJson(io, { order: orderRow(shown) });
  else await printRecord(io, orderRow(shown), 'Order');
  io.stderr(`sluice: nothing to cancel: the order is ${shown.status}\n`);
  return shown.status === 'filled' ? EXIT.failed : EXIT.done;
}

const isForeign = ({ clientOrderId }: OrderDetail, { account }: SluiceConfig): boolean =>
  clientOrderId !== undefined && !clientOrderId.startsWith(`${namespaceOf(account)}-`);

interface World {
  readonly access: VenueAccess;
  readonly config: SluiceConfig;
  readonly io: Io;
}

async function cancelOwn(
  order: OwnOrder,
  { yes, json, waitMs }: Cancel,
  { session, access, config, io }: World & { readonly session: OperatorSession },
): Promise<number> {
  const lines = [
    `cancel ${order.clientOrderId}: ${termsText(order.terms)}`,
    `at ${access.baseUrl}, account ${config.account}`,
  ];
  await confirm({ lines }, yes, io);
  await session.start();
  if (!order.ended) session.say({ kind: 'cancel', clientOrderId: order.clientOrderId });
  const proved = await session.until(() => order.ended, waitMs);
  if (proved) return tellOutcome({ kind: 'order', order }, { io, json });
  io.stderr(
    'sluice: the cancel is not proved yet; its order is looked for at the next start with this state_dir\n',
  );
  return EXIT.failed;
}

async function cancelForeign(shown: OrderDetail, options: Cancel, world: World): Promise<number> {
  const { foreign, yes } = options;
  const { access, config, io } = world;
  const lines = [
    `cancel ${shown.orderId}, an order on ${shown.symbol ?? 'some symbol'} that is not in the journal of ${config.account}`,
    `at ${access.baseUrl}`,
  ];
  await confirm({ lines, word: 'foreign', flag: '--foreign --yes' }, foreign && yes, io);
  return cancelAndRead(shown, options, world);
}

/** Once, and then by reading alone. */
async function cancelAndRead(
  shown: OrderDetail,
  { json, waitMs }: Cancel,
  { access, io }: World,
): Promise<number> {
  const { api } = access;
  const outcome = await api.cancelOrder({ orderId: shown.orderId });
  if (outcome.kind === 'no' && outcome.code !== 'order-not-open') valueOf(outcome, 'the cancel');
  const until = io.clock.monotonicMs() + waitMs;
  for (;;) {
    const now = await patiently(() => api.orderDetail({ orderId: shown.orderId }));
    if (now.kind === 'yes' && isFinal(now.value.status)) {
      if (json) printJson(io, { order: orderRow(now.value) });
      else await printRecord(io, orderRow(now.value), 'Order');
      return EXIT.done;
    }
    if (io.clock.monotonicMs() >= until) break;
    await new Promise<void>((resolve) => io.scheduler.after(LOOK_EVERY_MS, resolve));
  }
  throw new StartError('the cancel is not proved: look with `sluice order show`, then repeat it');
}
