import { CaseBook } from '../case.js';
import { Desk, freshId, notCreated, V1 } from '../desk.js';
import { ensure, equal, record, refused, success, textOf } from '../expect.js';
import { controlsOf } from '../venue.js';

export const clientIds = new CaseBook();
const add = clientIds.add.bind(clientIds);

const TAKEN = { status: 409, text: 'client order id already exists' };

add('I01', 'an id stays taken after its order was cancelled', async (venue) => {
  const desk = await Desk.open(venue);
  const id = freshId();
  const placed = await desk.rest('LONG', { client_order_id: id });
  success(await venue.call('DELETE', `${V1}/orders/${textOf(placed, 'order_id')}`));
  refused(await desk.place(desk.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id stays taken after its order was filled', async (venue) => {
  const desk = await Desk.open(venue);
  const id = freshId();
  await desk.fill('LONG', { client_order_id: id });
  refused(await desk.place(desk.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id is taken on every symbol', async (venue) => {
  const desk = await Desk.open(venue);
  const other = await Desk.open(venue, { symbol: venue.symbols.second });
  const id = freshId();
  await desk.rest('LONG', { client_order_id: id });
  refused(await other.place(other.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id is taken in every currency', async (venue) => {
  const desk = await Desk.open(venue);
  const other = await Desk.open(venue, { currency: 'INR' });
  const id = freshId();
  await desk.rest('LONG', { client_order_id: id });
  refused(await other.place(other.limitBody('LONG', { client_order_id: id })), TAKEN);
});
add('I01', 'an id that differs in case is another', async (venue) => {
  const desk = await Desk.open(venue);
  const id = `${freshId()}-x`;
  await desk.rest('LONG', { client_order_id: id });
  await desk.rest('LONG', { client_order_id: id.toUpperCase() });
});

for (const [title, more] of [
  ['the same bytes again', {}],
  ['another side', { order_type: 'SHORT' }],
  ['another quantity that is refused by itself', { quantity: '0' }],
] as const) {
  add('I02', `${title} is 409, and there is one order`, async (venue) => {
    const desk = await Desk.open(venue);
    const id = freshId();
    const first = await desk.rest('LONG', { client_order_id: id });
    refused(await desk.place(desk.limitBody('LONG', { client_order_id: id, ...more })), TAKEN);
    const ids = (await desk.list('orders')).map((row) => row['id']);
    equal(ids, [first['order_id']], 'open orders');
  });
}
add('I02', 'of many at once exactly one is taken', async (venue) => {
  const desk = await Desk.open(venue);
  const body = desk.limitBody('LONG', { client_order_id: freshId() });
  const answers = await Promise.all(Array.from({ length: 6 }, () => desk.place(body)));
  const statuses = answers.map((answer) => answer.status).sort((a, b) => a - b);
  equal(statuses, [202, 409, 409, 409, 409, 409], 'statuses');
  equal((await desk.list('orders')).length, 1, 'open orders');
});

const detailOf = (clientOrderId: string) => ({ query: { client_order_id: clientOrderId } });

add('I03', 'after a lost answer the order is found by its id', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  const id = freshId();
  await controls.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_after', count: 1 }]);
  const lost = await desk.place(desk.limitBody('LONG', { client_order_id: id }));
  equal(lost.status, 500, 'status of the lost answer');
  const found = record(success(await venue.call('GET', `${V1}/orders/detail`, detailOf(id))));
  equal(found['client_order_id'], id, 'client_order_id');
});
add('I03', 'an order that was never made is 404; the same id is then taken', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  const id = freshId();
  await controls.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_before', count: 1 }]);
  const body = desk.limitBody('LONG', { client_order_id: id });
  equal((await desk.place(body)).status, 500, 'status of the failure');
  await notCreated(venue, id);
  success(await desk.place(body), 202);
});
add('I03', 'after a 409 the original is found', async (venue) => {
  const desk = await Desk.open(venue);
  const id = freshId();
  const first = await desk.rest('LONG', { client_order_id: id });
  refused(await desk.place(desk.limitBody('LONG', { client_order_id: id })), TAKEN);
  const found = record(success(await venue.call('GET', `${V1}/orders/detail`, detailOf(id))));
  equal(found['id'], first['order_id'], 'id');
});

for (const [title, more] of [
  ['a quantity off its step', { quantity: '0.0000001' }],
  ['a bad trigger type', { trigger_type: 'STOP' }],
  ['nothing to reduce', { reduce_only: true }],
] as const) {
  add('I04', `a place refused for ${title} leaves its id free`, async (venue) => {
    const desk = await Desk.open(venue);
    const id = freshId();
    const refusal = await desk.place(desk.limitBody('LONG', { client_order_id: id, ...more }));
    equal(refusal.status, 400, 'status');
    await notCreated(venue, id);
    success(await desk.place(desk.limitBody('LONG', { client_order_id: id })), 202);
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
    const desk = await Desk.open(venue);
    const body = desk.limitBody('LONG', { client_order_id: id, quantity: '0' });
    refused(await desk.place(body), MALFORMED);
  });
}
for (const [title, id] of [
  ['letters, digits, hyphen and underscore', 'aZ09-_'],
  ['one character', 'x'],
  ['64 characters', 'x'.repeat(64)],
] as const) {
  add('I05', `${title} are taken`, async (venue) => {
    const desk = await Desk.open(venue);
    const answer = await desk.place(desk.limitBody('LONG', { client_order_id: id }));
    // Ids are for all time: an earlier run against the same account may have used this one.
    ensure(answer.status === 202 || answer.status === 409, 'taken, or taken before', answer.text);
  });
}
