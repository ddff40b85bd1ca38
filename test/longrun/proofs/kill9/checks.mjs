// The god view against the journal and the last summary. Strict: what does not fit is a violation.
import { nodeFiles } from '../../../../dist/src/io/node/node-files.js';
import { namespaceOf } from '../../../../dist/src/core/ids.js';
import { textFromFixed } from '../../../../dist/src/core/fixed/fixed.js';
import { openFramedLog } from '../../../../dist/src/io/log/framed-log.js';
import { decodeJournalRecord } from '../../../../dist/src/execution/journal/journal-record.js';
import { recover } from '../../../../dist/src/execution/recovery/recovery.js';

export async function readJournal(stateDir) {
  const log = await openFramedLog(nodeFiles, stateDir, 'journal');
  const records = log.read().map(decodeJournalRecord);
  await log.close();
  return records;
}

/** @returns `{ duplicates, lost, phantom }`: sentences, each about one violation */
export function checkJournalAgainstVenue({ account, records, state, summary }) {
  const prefix = `${namespaceOf(account)}-`;
  const orders = state.orders.filter((order) => order.client_order_id?.startsWith(prefix));
  const own = ownOrders(records, account);
  return {
    duplicates: [...duplicateIds(orders), ...duplicateIntents(orders, own)],
    lost: [
      ...withoutIntent(orders, own),
      ...withoutId(state.orders),
      ...ends(orders, own),
      ...unknownOrders(summary),
    ],
    phantom: phantoms(state, summary),
    orders: orders.length,
    intents: own.size,
  };
}

/** By client order id: what the journal alone says of each order. */
function ownOrders(records, account) {
  const { orders } = recover(records, account);
  return new Map(orders.map((order, key) => create(order, key)));
}

function create({ intent, create: make, state }, key) {
  const order = make(key);
  return [order.clientOrderId, { order, intent, state }];
}

function duplicateIds(orders) {
  const counts = countBy(orders, (order) => order.client_order_id);
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([id, count]) => `${count} orders at the venue with client order id ${id}`);
}

/** An intent may have a second id only where the first can never become an order. */
function duplicateIntents(orders, own) {
  const known = orders.filter((order) => own.has(order.client_order_id));
  const counts = countBy(known, (order) => {
    const { strategyId, cause, ordinal, leg } = own.get(order.client_order_id).intent;
    return JSON.stringify([strategyId, cause, ordinal, leg]);
  });
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([intent, count]) => `${count} orders at the venue for one intent ${intent}`);
}

const withoutIntent = (orders, own) =>
  orders
    .filter((order) => !own.has(order.client_order_id))
    .map(
      ({ client_order_id: id }) => `${id} is an order at the venue and no intent of the journal`,
    );

/** Nobody else trades here: all that the venue has beside ours are stops and targets of positions. */
const withoutId = (orders) =>
  orders
    .filter(({ client_order_id: id, order_type: type }) => id === null && isTrade(type))
    .map((order) => `order ${order.order_id} of ${order.symbol} has no client order id`);

const isTrade = (type) => type === 'LONG' || type === 'SHORT';

/** A resting order that was left resting has not ended on either side. */
const AT_VENUE = {
  filled: ['FILLED'],
  // A partial fill whose rest was cancelled keeps its status (supplement, part 7).
  canceled: ['CANCELLED', 'SYSTEM_CANCELLED', 'PARTIAL_FILLED'],
  accepted: ['CREATED', 'PARTIAL_FILLED'],
};

/** What the journal says each order came to, and what the venue says. */
function ends(orders, own) {
  const venue = new Map(orders.map((order) => [order.client_order_id, order]));
  return [...own].flatMap(([id, { order, state }]) => {
    const there = venue.get(id);
    const fault = endFault(order, state, there);
    return fault === undefined ? [] : [`${id}: ${fault}`];
  });
}

function endFault(order, state, there) {
  if (['rejected', 'dropped', 'burned'].includes(state)) {
    return there === undefined
      ? undefined
      : `${state} in the journal, ${there.status} at the venue`;
  }
  if (there === undefined) return `${state} in the journal, not at the venue`;
  const statuses = AT_VENUE[state];
  if (statuses === undefined) return `${state} in the journal when all had settled`;
  if (!statuses.includes(there.status))
    return `${state} in the journal, ${there.status} at the venue`;
  const filled = textFromFixed(order.filledQuantity);
  return filled === there.filled_quantity
    ? undefined
    : `filled ${filled} in the journal, ${there.filled_quantity} at the venue`;
}

function unknownOrders(summary) {
  const faults = [];
  if (summary?.unknown !== 0) faults.push(`unknown: ${summary?.unknown} in the last summary`);
  if (summary?.reconciled !== true) faults.push('the last summary is not reconciled');
  return faults;
}

function phantoms(state, summary) {
  const believed = new Map((summary?.positions ?? []).map((row) => [row.symbol, row.quantity]));
  const held = new Map(state.positions.map((row) => [row.symbol, signed(row)]));
  return [...new Set([...believed.keys(), ...held.keys()])].flatMap((symbol) => {
    const [ours, theirs] = [believed.get(symbol) ?? '0', held.get(symbol) ?? '0'];
    return Number(ours) === Number(theirs)
      ? []
      : [`${symbol}: ${ours} believed, ${theirs} at the venue`];
  });
}

const signed = ({ order_type: side, quantity }) => (side === 'SHORT' ? `-${quantity}` : quantity);

function countBy(items, keyOf) {
  const counts = new Map();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
