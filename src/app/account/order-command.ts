import type { OrderOptions } from './account-options.js';
import { fillRow, orderRow } from './account-rows.js';
import type { Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';
import { StartError } from '../failure.js';
import { amendOrder } from './amend-task.js';
import { cancelOrder } from './cancel-task.js';
import { findOrder, refText } from './find-order.js';
import { placeOrder } from './place-task.js';
import { printJson, printRecord, printRows } from './printing.js';
import { resolveOrder } from './resolve-task.js';
import { read, refuseWithoutConfig, withVenueAccess, type VenueAccess } from './venue-access.js';

/** `sluice order …` @returns the exit code */
export async function orderCommand(options: OrderOptions, io: Io): Promise<number> {
  if (options.what !== 'show') refuseWithoutConfig(options);
  return withVenueAccess(options, io, (access) => run(options, access, io));
}

function run(options: OrderOptions, access: VenueAccess, io: Io): Promise<number> {
  switch (options.what) {
    case 'place':
      return placeOrder(options, access, io);
    case 'cancel':
      return cancelOrder(options, access, io);
    case 'amend':
      return amendOrder(options, access, io);
    case 'resolve':
      return resolveOrder(options, access, io);
    case 'show':
      return show(options, access, io);
  }
}

async function show(
  { order: ref, json }: Extract<OrderOptions, { readonly what: 'show' }>,
  access: VenueAccess,
  io: Io,
): Promise<number> {
  const order = await findOrder(access, ref);
  if (order === undefined) throw new StartError(`the venue knows no order ${refText(ref)}`);
  const fills =
    order.filledQuantity > 0
      ? (await read(() => access.api.executionReport(order.orderId), 'the fills')).executions
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
