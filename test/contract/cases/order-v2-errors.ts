import { CaseRegistry } from '../case-registry.js';
import {
  ContractTrader,
  freshId,
  notCreated,
  UNKNOWN_UUID,
  V2_ORDER,
  symbolWithoutLeverage,
} from '../contract-trader.js';
import { decimalOf, refused, success, textOf } from '../expect.js';
import { controlsOf, Skip, type VenueUnderTest } from '../venue-under-test.js';

export const orderV2Errors = new CaseRegistry();

type Change = (trader: ContractTrader) => object;

/** A body with exactly one fault. */
function refuses(
  row: string,
  status: number,
  text: string,
  title: string,
  change: Change,
  kind: 'market' | 'limit' = 'limit',
): void {
  orderV2Errors.add(row, title, async (venue) => {
    const trader = await ContractTrader.open(venue);
    await expectRefusal(trader, kind, change(trader), { status, text });
  });
}

async function expectRefusal(
  trader: ContractTrader,
  kind: 'market' | 'limit',
  change: object,
  expected: { readonly status: number; readonly text: string },
): Promise<void> {
  const id = freshId();
  const base = kind === 'limit' ? trader.limitBody('LONG') : trader.marketBody('LONG');
  refused(await trader.place({ ...base, client_order_id: id, ...change }), expected);
  if (!('client_order_id' in change)) await notCreated(trader.venue, id);
}

const CURRENCY = 'invalid trade_currency';
refuses('E201', 400, CURRENCY, 'an unknown currency is refused', () => ({
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
const offStep: Change = (trader) => ({
  quantity: trader.unit.plus(trader.quantityStep.div(2)).toFixed(),
});
refuses('E205', 400, QUANTITY_STEP, 'half a step of quantity is refused', offStep);
refuses('E205', 400, QUANTITY_STEP, 'for a market order as well', offStep, 'market');
refuses('E205', 400, QUANTITY_STEP, 'however fine the rest is', (trader) => ({
  quantity: `${trader.unit.toFixed()}${trader.unit.isInteger() ? '.' : ''}00000000001`,
}));

const QUANTITY_RANGE = 'order quantity out of permissible range';
refuses('E206', 400, QUANTITY_RANGE, 'nothing is not a quantity', () => ({ quantity: '0' }));
refuses('E206', 400, QUANTITY_RANGE, 'more than max_contract is refused', (trader) => ({
  quantity: decimalOf(trader.asset, 'max_contract').plus(trader.quantityStep).toFixed(),
}));
refuses(
  'E206',
  400,
  QUANTITY_RANGE,
  'more than max_market_contract is refused for a market order',
  (trader) => ({
    quantity: decimalOf(trader.asset, 'max_market_contract').plus(trader.quantityStep).toFixed(),
  }),
  'market',
);

refuses(
  'E207',
  400,
  'price not a multiple of the price step',
  'half a price step is refused',
  (trader) => ({
    order_price: trader.at(-0.1).plus(trader.priceStep.div(2)).toFixed(),
  }),
);

refuses(
  'E208',
  400,
  'order price out of permissible range',
  'a price above max_price is refused',
  (trader) => ({
    order_price: decimalOf(trader.asset, 'max_price').plus(trader.priceStep).toFixed(),
  }),
);
orderV2Errors.add('E208', 'a price below min_price is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const low = decimalOf(trader.asset, 'min_price').minus(trader.priceStep);
  if (!low.gt(0)) {
    // The smallest step is the smallest price: only zero is below it (row E204).
    await expectRefusal(trader, 'limit', { order_price: '0' }, { status: 400, text: NO_PRICE });
    return;
  }
  const expected = { status: 400, text: 'order price out of permissible range' };
  await expectRefusal(trader, 'limit', { order_price: low.toFixed() }, expected);
});

const NOTIONAL = 'order value less than minimum required value';
const tooSmall: Change = (trader) => ({
  quantity: decimalOf(trader.asset, 'min_contract').toFixed(),
});
async function smallSymbol(venue: VenueUnderTest): Promise<ContractTrader> {
  const trader = await ContractTrader.open(venue);
  const value = decimalOf(trader.asset, 'min_contract').times(trader.price);
  if (value.lt(decimalOf(trader.asset, 'min_notional_value'))) return trader;
  throw new Skip(`the smallest ${trader.symbol} order is above the minimum value`);
}
for (const kind of ['limit', 'market'] as const) {
  orderV2Errors.add('E209', `a ${kind} order worth too little is refused`, async (venue) => {
    const trader = await smallSymbol(venue);
    await expectRefusal(trader, kind, tooSmall(trader), { status: 400, text: NOTIONAL });
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
  const placeWithRiskOrder = async (
    venue: VenueUnderTest,
    name: 'stoploss' | 'takeprofit',
    away: number,
  ) => {
    const trader = await ContractTrader.open(venue);
    const body = kind === 'limit' ? trader.limitBody(direction) : trader.marketBody(direction);
    const offset = kind === 'market' ? 0 : direction === 'LONG' ? -0.1 : 0.1;
    const price = away === 0 ? String(body['order_price']) : trader.at(offset + away).toFixed();
    const id = freshId();
    const flag = name === 'stoploss' ? 'is_stoploss' : 'is_takeprofit';
    const text = name === 'stoploss' ? 'invalid stop loss price' : 'invalid takeprofit price';
    const change = { client_order_id: id, [flag]: true, [`${name}_price`]: price };
    refused(await trader.place({ ...body, ...change }), { status: 400, text });
    await notCreated(venue, id);
  };
  orderV2Errors.add('E210', `a stop ${title} is refused`, (venue) =>
    placeWithRiskOrder(venue, 'stoploss', distance),
  );
  const mirrored = title.replace(/above|below/, (side) => (side === 'above' ? 'below' : 'above'));
  orderV2Errors.add('E211', `a target ${mirrored} is refused`, (venue) =>
    placeWithRiskOrder(venue, 'takeprofit', -distance),
  );
}

orderV2Errors.add('E212', 'leverage must have been set before', async (venue) => {
  const symbol = await symbolWithoutLeverage(venue);
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

refuses('E213', 400, 'insufficient balance', 'margin beyond the balance is refused', (trader) => ({
  quantity: decimalOf(trader.asset, 'max_contract').toFixed(),
}));
orderV2Errors.add('E213', 'each currency has its own balance', async (venue) => {
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const quantity = decimalOf(trader.asset, 'max_contract').toFixed();
  await expectRefusal(trader, 'limit', { quantity }, { status: 400, text: 'insufficient balance' });
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
  const trader = await ContractTrader.open(venue);
  await trader.openPosition('LONG');
  const expected = { status: 400, text: 'reduce only order on same side of the position' };
  await expectRefusal(trader, 'market', { reduce_only: true }, expected);
});

const PARAMS = 'Params error';
for (const field of ['leverage', 'actual_amount', 'desired_amount']) {
  refuses('E216', 400, PARAMS, `${field} is not accepted in the body`, () => ({ [field]: '5' }));
}
const NO_QUANTITY: readonly (readonly [string, unknown])[] = [
  ['missing', undefined],
  ['a text', 'many'],
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

orderV2Errors.add(
  'E217',
  'a new position in a pair that is being delisted is refused',
  async (venue) => {
    const controls = controlsOf(venue);
    const trader = await ContractTrader.open(venue);
    await controls.delist(trader.symbol, true);
    const expected = { status: 400, text: 'This trading pair is being delisted' };
    await expectRefusal(trader, 'limit', {}, expected);
  },
);
orderV2Errors.add('E217', 'a position in such a pair can still be closed', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const position = await trader.openPosition('LONG');
  await controls.delist(trader.symbol, true);
  const quantity = textOf(position, 'quantity');
  await trader.fill('SHORT', { quantity, reduce_only: true });
  await trader.closed(textOf(position, 'id'));
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
    const expected = { status: 404, text: 'future asset not found' };
    refused(await venue.call('POST', V2_ORDER, request), expected);
    await notCreated(venue, id);
  });
}

orderV2Errors.add('E219', 'an accepted id is refused from then on', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  await trader.placeResting('LONG', { client_order_id: id });
  const again = await trader.place(trader.limitBody('LONG', { client_order_id: id }));
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
  const trader = await ContractTrader.open(venue);
  await controls.lock(trader.symbol, true);
  const expected = { status: 423, text: 'action not allowed: another user action in progress' };
  await expectRefusal(trader, 'limit', {}, expected);
});
orderV2Errors.add('E221', 'the same id is accepted once the lock is gone', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const body = trader.limitBody('LONG', { client_order_id: freshId() });
  await controls.lock(trader.symbol, true);
  const expected = { status: 423, text: 'action not allowed: another user action in progress' };
  refused(await trader.place(body), expected);
  await controls.lock(trader.symbol, false);
  success(await trader.place(body), 202);
});

orderV2Errors.add('E222', 'an internal error is a 500 in the envelope', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  await controls.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_before' }]);
  const answer = await trader.place(trader.limitBody());
  refused(answer, { status: 500, text: 'something went wrong' });
});
