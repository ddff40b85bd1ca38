import { CaseBook } from '../case.js';
import { Desk, freshId, notCreated, UNKNOWN_UUID, V2_ORDER, withoutLeverage } from '../desk.js';
import { decimalOf, refused, success, textOf } from '../expect.js';
import { controlsOf, Skip, type Venue } from '../venue.js';

export const orderV2Errors = new CaseBook();

type Change = (desk: Desk) => object;

/** A body that would be taken, but for one thing. */
function refuses(
  row: string,
  status: number,
  text: string,
  title: string,
  change: Change,
  kind: 'market' | 'limit' = 'limit',
): void {
  orderV2Errors.add(row, title, async (venue) => {
    const desk = await Desk.open(venue);
    await expectRefusal(desk, kind, change(desk), { status, text });
  });
}

async function expectRefusal(
  desk: Desk,
  kind: 'market' | 'limit',
  change: object,
  wanted: { readonly status: number; readonly text: string },
): Promise<void> {
  const id = freshId();
  const base = kind === 'limit' ? desk.limitBody('LONG') : desk.marketBody('LONG');
  refused(await desk.place({ ...base, client_order_id: id, ...change }), wanted);
  if (!('client_order_id' in change)) await notCreated(desk.venue, id);
}

const CURRENCY = 'invalid trade_currency';
refuses('E201', 400, CURRENCY, 'a currency that is neither is refused', () => ({
  trade_currency: 'EUR',
}));
refuses('E201', 400, CURRENCY, 'lower case is another currency', () => ({
  trade_currency: 'usdt',
}));

const TRIGGER = 'trigger_type must be MARKET or LIMIT';
refuses('E202', 400, TRIGGER, 'another trigger type is refused', () => ({ trigger_type: 'STOP' }));
refuses('E202', 400, TRIGGER, 'a missing trigger type is refused', () => ({
  trigger_type: undefined,
}));
refuses('E202', 400, TRIGGER, 'a trigger type in lower case is refused', () => ({
  trigger_type: 'limit',
}));

const DIRECTION = 'order_type must be LONG or SHORT';
refuses('E203', 400, DIRECTION, 'a buy is not an order type', () => ({ order_type: 'BUY' }));
refuses('E203', 400, DIRECTION, 'a missing order type is refused', () => ({
  order_type: undefined,
}));
refuses('E203', 400, DIRECTION, 'a stop is not placed by its name', () => ({
  order_type: 'STOPLOSS',
}));

const NO_PRICE = 'order_price must be > 0 for LIMIT orders';
refuses('E204', 400, NO_PRICE, 'a limit order needs a price', () => ({ order_price: undefined }));
refuses('E204', 400, NO_PRICE, 'a limit price of zero is refused', () => ({ order_price: '0' }));
refuses('E204', 400, NO_PRICE, 'a limit price of the number zero is refused', () => ({
  order_price: 0,
}));
refuses('E204', 400, NO_PRICE, 'a limit price below zero is refused', () => ({
  order_price: '-1',
}));

const QUANTITY_STEP = 'quantity not a multiple of the quantity step';
const offStep: Change = (desk) => ({
  quantity: desk.unit.plus(desk.quantityStep.div(2)).toFixed(),
});
refuses('E205', 400, QUANTITY_STEP, 'half a step of quantity is refused', offStep);
refuses('E205', 400, QUANTITY_STEP, 'for a market order as well', offStep, 'market');
refuses('E205', 400, QUANTITY_STEP, 'however fine the rest is', (desk) => ({
  quantity: `${desk.unit.toFixed()}${desk.unit.isInteger() ? '.' : ''}00000000001`,
}));

const QUANTITY_RANGE = 'order quantity out of permissible range';
refuses('E206', 400, QUANTITY_RANGE, 'nothing is not a quantity', () => ({ quantity: '0' }));
refuses('E206', 400, QUANTITY_RANGE, 'more than max_contract is refused', (desk) => ({
  quantity: decimalOf(desk.asset, 'max_contract').plus(desk.quantityStep).toFixed(),
}));
refuses(
  'E206',
  400,
  QUANTITY_RANGE,
  'more than max_market_contract is refused for a market order',
  (desk) => ({
    quantity: decimalOf(desk.asset, 'max_market_contract').plus(desk.quantityStep).toFixed(),
  }),
  'market',
);

refuses(
  'E207',
  400,
  'price not a multiple of the price step',
  'half a price step is refused',
  (desk) => ({
    order_price: desk.at(-0.1).plus(desk.priceStep.div(2)).toFixed(),
  }),
);

refuses(
  'E208',
  400,
  'order price out of permissible range',
  'a price above max_price is refused',
  (desk) => ({
    order_price: decimalOf(desk.asset, 'max_price').plus(desk.priceStep).toFixed(),
  }),
);
orderV2Errors.add('E208', 'a price below min_price is refused', async (venue) => {
  const desk = await Desk.open(venue);
  const low = decimalOf(desk.asset, 'min_price').minus(desk.priceStep);
  if (!low.gt(0)) {
    // The smallest step is the smallest price: below it there is nothing but zero (row E204).
    await expectRefusal(desk, 'limit', { order_price: '0' }, { status: 400, text: NO_PRICE });
    return;
  }
  const wanted = { status: 400, text: 'order price out of permissible range' };
  await expectRefusal(desk, 'limit', { order_price: low.toFixed() }, wanted);
});

const NOTIONAL = 'order value less than minimum required value';
const tooSmall: Change = (desk) => ({
  quantity: decimalOf(desk.asset, 'min_contract').toFixed(),
});
async function smallSymbol(venue: Venue): Promise<Desk> {
  const desk = await Desk.open(venue);
  const value = decimalOf(desk.asset, 'min_contract').times(desk.price);
  if (value.lt(decimalOf(desk.asset, 'min_notional_value'))) return desk;
  throw new Skip(`the smallest ${desk.symbol} order is above the minimum value`);
}
for (const kind of ['limit', 'market'] as const) {
  orderV2Errors.add('E209', `a ${kind} order worth too little is refused`, async (venue) => {
    const desk = await smallSymbol(venue);
    await expectRefusal(desk, kind, tooSmall(desk), { status: 400, text: NOTIONAL });
  });
}

interface WrongSide {
  readonly title: string;
  readonly direction: 'LONG' | 'SHORT';
  readonly kind: 'market' | 'limit';
  /** Distance from the order's price, a fraction of it. */
  readonly distance: number;
}

const WRONG_STOPS: readonly WrongSide[] = [
  { title: 'above a LONG limit', direction: 'LONG', kind: 'limit', distance: 0.02 },
  { title: 'at a LONG limit', direction: 'LONG', kind: 'limit', distance: 0 },
  { title: 'below a SHORT limit', direction: 'SHORT', kind: 'limit', distance: -0.02 },
  { title: 'above the market of a LONG', direction: 'LONG', kind: 'market', distance: 0.02 },
  { title: 'below the market of a SHORT', direction: 'SHORT', kind: 'market', distance: -0.02 },
];

for (const { title, direction, kind, distance } of WRONG_STOPS) {
  const leg = async (venue: Venue, name: 'stoploss' | 'takeprofit', away: number) => {
    const desk = await Desk.open(venue);
    const body = kind === 'limit' ? desk.limitBody(direction) : desk.marketBody(direction);
    const offset = kind === 'market' ? 0 : direction === 'LONG' ? -0.1 : 0.1;
    const price = away === 0 ? String(body['order_price']) : desk.at(offset + away).toFixed();
    const id = freshId();
    const flag = name === 'stoploss' ? 'is_stoploss' : 'is_takeprofit';
    const text = name === 'stoploss' ? 'invalid stop loss price' : 'invalid takeprofit price';
    const change = { client_order_id: id, [flag]: true, [`${name}_price`]: price };
    refused(await desk.place({ ...body, ...change }), { status: 400, text });
    await notCreated(venue, id);
  };
  orderV2Errors.add('E210', `a stop ${title} is refused`, (venue) =>
    leg(venue, 'stoploss', distance),
  );
  const mirrored = title.replace(/above|below/, (word) => (word === 'above' ? 'below' : 'above'));
  orderV2Errors.add('E211', `a target ${mirrored} is refused`, (venue) =>
    leg(venue, 'takeprofit', -distance),
  );
}

orderV2Errors.add('E212', 'leverage must have been set before', async (venue) => {
  const symbol = await withoutLeverage(venue);
  const query = { symbol };
  const body = { trigger_type: 'MARKET', order_type: 'LONG', quantity: '100' };
  const id = freshId();
  const answer = await venue.call('POST', V2_ORDER, {
    query,
    body: { ...body, client_order_id: id },
  });
  refused(answer, { status: 400, text: 'leverage not found' });
  await notCreated(venue, id);
});

refuses('E213', 400, 'insufficient balance', 'margin beyond the balance is refused', (desk) => ({
  quantity: decimalOf(desk.asset, 'max_contract').toFixed(),
}));
orderV2Errors.add('E213', 'each currency has its own balance', async (venue) => {
  const desk = await Desk.open(venue, { currency: 'INR' });
  const quantity = decimalOf(desk.asset, 'max_contract').toFixed();
  await expectRefusal(desk, 'limit', { quantity }, { status: 400, text: 'insufficient balance' });
});

refuses(
  'E214',
  400,
  'reduce only order in new position',
  'without a position there is nothing to reduce',
  () => ({ order_type: 'SHORT', reduce_only: true }),
  'market',
);

orderV2Errors.add('E215', 'the same side cannot reduce', async (venue) => {
  const desk = await Desk.open(venue);
  await desk.openPosition('LONG');
  const wanted = { status: 400, text: 'reduce only order on same side of the position' };
  await expectRefusal(desk, 'market', { reduce_only: true }, wanted);
});

const PARAMS = 'Params error';
for (const field of ['leverage', 'actual_amount', 'desired_amount']) {
  refuses('E216', 400, PARAMS, `${field} is not accepted in the body`, () => ({ [field]: '5' }));
}
const NO_QUANTITY: readonly (readonly [string, unknown])[] = [
  ['missing', undefined],
  ['a word', 'many'],
  ['a list', ['1']],
  ['an object', { value: 1 }],
  ['true', true],
];
for (const [title, quantity] of NO_QUANTITY) {
  refuses('E216', 400, PARAMS, `a quantity that is ${title} is refused`, () => ({ quantity }));
}
const FLAGS = ['reduce_only', 'is_stoploss', 'is_takeprofit'];
for (const flag of FLAGS) {
  refuses('E216', 400, PARAMS, `${flag} must be a boolean`, () => ({ [flag]: 'maybe' }));
}

orderV2Errors.add('E217', 'no new position in a pair that is being delisted', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  await controls.delist(desk.symbol, true);
  const wanted = { status: 400, text: 'This trading pair is being delisted' };
  await expectRefusal(desk, 'limit', {}, wanted);
});
orderV2Errors.add('E217', 'a position in such a pair can still be closed', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  const position = await desk.openPosition('LONG');
  await controls.delist(desk.symbol, true);
  const quantity = textOf(position, 'quantity');
  await desk.fill('SHORT', { quantity, reduce_only: true });
  await desk.closed(textOf(position, 'id'));
});

const UNKNOWN_ASSETS: readonly (readonly [string, Readonly<Record<string, string>> | undefined])[] =
  [
    ['symbol', { symbol: 'NOSUCHUSDT' }],
    ['id', { id: UNKNOWN_UUID }],
    ['selector', undefined],
  ];
for (const [what, query] of UNKNOWN_ASSETS) {
  const title =
    query === undefined ? 'a missing selector is refused' : `an unknown ${what} is refused`;
  orderV2Errors.add('E218', title, async (venue) => {
    const id = freshId();
    const body = { trigger_type: 'MARKET', order_type: 'LONG', quantity: '1', client_order_id: id };
    const request = query === undefined ? { body } : { body, query };
    const wanted = { status: 404, text: 'future asset not found' };
    refused(await venue.call('POST', V2_ORDER, request), wanted);
    await notCreated(venue, id);
  });
}

orderV2Errors.add('E219', 'an id that was accepted is refused from then on', async (venue) => {
  const desk = await Desk.open(venue);
  const id = freshId();
  await desk.rest('LONG', { client_order_id: id });
  const again = await desk.place(desk.limitBody('LONG', { client_order_id: id }));
  refused(again, { status: 409, text: 'client order id already exists' });
});

const BAD_IDS: readonly (readonly [string, unknown])[] = [
  ['65 characters', 'x'.repeat(65)],
  ['a blank', 'a b'],
  ['a dot', 'a.b'],
  ['a slash', 'a/b'],
  ['another alphabet', 'ордер'],
  ['a line break', 'a\nb'],
];
for (const [title, id] of BAD_IDS) {
  refuses('E220', 400, 'invalid order identifier', `an id with ${title} is refused`, () => ({
    client_order_id: id,
  }));
}

orderV2Errors.add('E221', 'another action on the asset in progress locks it', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  await controls.lock(desk.symbol, true);
  const wanted = { status: 423, text: 'action not allowed: another user action in progress' };
  await expectRefusal(desk, 'limit', {}, wanted);
});
orderV2Errors.add('E221', 'the same id is taken once the lock is gone', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  const body = desk.limitBody('LONG', { client_order_id: freshId() });
  await controls.lock(desk.symbol, true);
  const wanted = { status: 423, text: 'action not allowed: another user action in progress' };
  refused(await desk.place(body), wanted);
  await controls.lock(desk.symbol, false);
  success(await desk.place(body), 202);
});

orderV2Errors.add('E222', 'an internal error is a 500 in the envelope', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  await controls.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_before' }]);
  const answer = await desk.place(desk.limitBody());
  refused(answer, { status: 500, text: 'something went wrong' });
});
