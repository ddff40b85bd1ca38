import type { OrderOptions } from './order-options.js';
import { fillRow, orderRow } from '../account/account-rows.js';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import { StartError } from '../../../core/command-errors.js';
import { amendOrder } from './amend-task.js';
import { cancelOrder } from './cancel-task.js';
import { findOrder, refText } from './find-order.js';
import { placeOrder } from './place-task.js';
import { printJson, printRecord, printRows } from '../account/print.js';
import { resolveOrder } from './resolve-task.js';
import { refuseManualChanges } from '../account/operator-session.js';
import {
  configOf,
  refuseWithoutConfig,
  withAccountConnection,
  type AccountConnection,
} from '../account/account-connection.js';
import { readOrThrow } from '../../../venue/read-outcome.js';

/** Runs `sluice order`. @returns the exit code */
export async function orderCommand(options: OrderOptions, io: Io): Promise<number> {
  if (options.what !== 'show') refuseWithoutConfig(options);
  return withAccountConnection(options, io, (connection) => run(options, connection, io));
}

async function run(options: OrderOptions, connection: AccountConnection, io: Io): Promise<number> {
  // Before any read: a person learns the rule even where the venue cannot be reached.
  if (options.what !== 'show') refuseManualChanges(configOf(connection));
  switch (options.what) {
    case 'place':
      return placeOrder(options, connection, io);
    case 'cancel':
      return cancelOrder(options, connection, io);
    case 'amend':
      return amendOrder(options, connection, io);
    case 'resolve':
      return resolveOrder(options, connection, io);
    case 'show':
      return show(options, connection, io);
  }
}

async function show(
  { order: ref, json }: Extract<OrderOptions, { readonly what: 'show' }>,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const order = await findOrder(connection, ref);
  if (order === undefined) throw new StartError(`the venue has no order ${refText(ref)}`);
  const fills =
    order.filledQuantity > 0
      ? (await readOrThrow(() => connection.api.executionReport(order.orderId), 'the fills'))
          .executions
      : [];
  if (json) {
    printJson(io, { order: orderRow(order), fills: fills.map(fillRow) });
    return EXIT.done;
  }
  await printRecord(io, orderRow(order), 'Order');
  const columns = ['time', 'quantity', 'price', 'fee', 'liquidity'].map((key) => ({ key }));
  await printRows(io, fills.map(fillRow), { columns, none: 'no fills' });
  return EXIT.done;
}
