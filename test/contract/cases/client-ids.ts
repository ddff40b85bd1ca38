import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, freshId, notCreated, V1 } from '../contract-trader.js';
import { ensure, equal, record, refused, success, textOf } from '../expect.js';
import { controlsOf } from '../venue-under-test.js';

export const clientIds = new CaseRegistry();
const add = clientIds.add.bind(clientIds);

const TAKEN = { status: 409, text: 'client order id already exists' };

add('I01', 'an id stays used up after its order was cancelled', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  const placed = await trader.placeResting('LONG', { client_order_id: id });
  success(await venue.call('DELETE', `${V1}/orders/${textOf(placed, 'order_id')}`));
  refused(await trader.place(trader.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id stays used up after its order was filled', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  await trader.fill('LONG', { client_order_id: id });
  refused(await trader.place(trader.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id is used up on every symbol', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const other = await ContractTrader.open(venue, { symbol: venue.symbols.second });
  const id = freshId();
  await trader.placeResting('LONG', { client_order_id: id });
  refused(await other.place(other.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id is used up in every currency', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const other = await ContractTrader.open(venue, { currency: 'INR' });
  const id = freshId();
  await trader.placeResting('LONG', { client_order_id: id });
  refused(await other.place(other.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id that differs in case is another', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = `${freshId()}-x`;
  await trader.placeResting('LONG', { client_order_id: id });
  await trader.placeResting('LONG', { client_order_id: id.toUpperCase() });
});

for (const [title, more] of [
  ['the same bytes again', {}],
  ['another side', { order_type: 'SHORT' }],
  ['another quantity that is refused by itself', { quantity: '0' }],
] as const) {
  add('I02', `${title} is 409, and there is one order`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = freshId();
    const first = await trader.placeResting('LONG', { client_order_id: id });
    refused(await trader.place(trader.limitBody('LONG', { client_order_id: id, ...more })), TAKEN);
    const ids = (await trader.list('orders')).map((row) => row['id']);
    equal(ids, [first['order_id']], 'open orders');
  });
}
add('I02', 'of many concurrent places exactly one is accepted', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const body = trader.limitBody('LONG', { client_order_id: freshId() });
  const answers = await Promise.all(Array.from({ length: 6 }, () => trader.place(body)));
  const statuses = answers.map((answer) => answer.status).sort((a, b) => a - b);
  equal(statuses, [202, 409, 409, 409, 409, 409], 'statuses');
  equal((await trader.list('orders')).length, 1, 'open orders');
});

const detailOf = (clientOrderId: string) => ({ query: { client_order_id: clientOrderId } });

add('I03', 'after a lost answer the order is found by its id', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  await controls.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_after', count: 1 }]);
  const lost = await trader.place(trader.limitBody('LONG', { client_order_id: id }));
  equal(lost.status, 500, 'status of the lost answer');
  const found = record(success(await venue.call('GET', `${V1}/orders/detail`, detailOf(id))));
  equal(found['client_order_id'], id, 'client_order_id');
});
add('I03', 'an order that was never made is 404; its id is still accepted', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  await controls.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_before', count: 1 }]);
  const body = trader.limitBody('LONG', { client_order_id: id });
  equal((await trader.place(body)).status, 500, 'status of the failure');
  await notCreated(venue, id);
  success(await trader.place(body), 202);
});
add('I03', 'after a 409 the original is found', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  const first = await trader.placeResting('LONG', { client_order_id: id });
  refused(await trader.place(trader.limitBody('LONG', { client_order_id: id })), TAKEN);
  const found = record(success(await venue.call('GET', `${V1}/orders/detail`, detailOf(id))));
  equal(found['id'], first['order_id'], 'id');
});

for (const [title, more] of [
  ['a quantity off its step', { quantity: '0.0000001' }],
  ['a bad trigger type', { trigger_type: 'STOP' }],
  ['nothing to reduce', { reduce_only: true }],
] as const) {
  add('I04', `a place refused for ${title} leaves its id free`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = freshId();
    const refusal = await trader.place(trader.limitBody('LONG', { client_order_id: id, ...more }));
    equal(refusal.status, 400, 'status');
    await notCreated(venue, id);
    success(await trader.place(trader.limitBody('LONG', { client_order_id: id })), 202);
  });
}

const MALFORMED = { status: 400, text: 'invalid order identifier' };
for (const [title, id] of [
  ['too long', 'x'.repeat(65)],
  ['with a blank', 'a b'],
  ['with an umlaut', 'größe'],
  ['with a colon', 'a:b'],
  ['a blank alone', ' '],
] as const) {
  add('I05', `an id ${title} is refused before any other check of the asset`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const body = trader.limitBody('LONG', { client_order_id: id, quantity: '0' });
    refused(await trader.place(body), MALFORMED);
  });
}
for (const [title, id] of [
  ['letters, digits, hyphen and underscore', 'aZ09-_'],
  ['one character', 'x'],
  ['64 characters', 'x'.repeat(64)],
] as const) {
  add('I05', `${title} are accepted`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const answer = await trader.place(trader.limitBody('LONG', { client_order_id: id }));
    // Ids are unique for ever: an earlier run against the same account may have used this one.
    ensure(answer.status === 202 || answer.status === 409, 'taken, or taken before', answer.text);
  });
}
