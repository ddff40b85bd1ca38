import { CaseBook } from '../case.js';
import { Desk, V1 } from '../desk.js';
import { decimalOf, ensure, refused, type Refusal } from '../expect.js';
import type { Answer } from '../venue.js';

export const orderV1Errors = new CaseBook();

type Change = (desk: Desk) => object;

export const placeV1 = (desk: Desk, body: unknown): Promise<Answer> =>
  desk.venue.call('POST', `${V1}/${desk.symbol}/order`, { query: 'is_symbol', body });

export const bodyV1 = (desk: Desk, more: object = {}): Record<string, unknown> =>
  desk.limitBody('LONG', { leverage: '5', ...more });

function refuses(row: string, wanted: Refusal, title: string, change: Change): void {
  orderV1Errors.add(row, title, async (venue) => {
    const desk = await Desk.open(venue);
    const before = (await desk.list('orders')).length;
    refused(await placeV1(desk, bodyV1(desk, change(desk))), wanted);
    ensure((await desk.list('orders')).length === before, 'a refused place creates no order');
  });
}

const params = { status: 400, text: 'Params error' };
refuses('E101', params, 'a market order without order_price is refused', () => ({
  trigger_type: 'MARKET',
  order_price: undefined,
}));
refuses('E101', params, 'a missing quantity is refused', () => ({ quantity: undefined }));
refuses('E101', params, 'a missing leverage is refused', () => ({ leverage: undefined }));
refuses('E101', params, 'a price that is a word is refused', () => ({ order_price: 'cheap' }));

const trigger = { status: 400, text: 'invalid trigger type' };
refuses('E102', trigger, 'another trigger type is refused', () => ({ trigger_type: 'STOP' }));
refuses('E102', trigger, 'a missing trigger type is refused', () => ({ trigger_type: undefined }));

const direction = { status: 400, text: 'invalid order type' };
refuses('E103', direction, 'a buy is not an order type', () => ({ order_type: 'BUY' }));
refuses('E103', direction, 'a missing order type is refused', () => ({ order_type: undefined }));

refuses(
  'E104',
  { status: 400, text: 'order price out of permissible range' },
  'a price above max_price is refused',
  (desk) => ({
    order_price: decimalOf(desk.asset, 'max_price').plus(desk.priceStep).toFixed(),
  }),
);

refuses(
  'E105',
  { status: 400, text: 'quantity not a multiple of the quantity step' },
  'half a step of quantity is refused',
  (desk) => ({ quantity: desk.unit.plus(desk.quantityStep.div(2)).toFixed() }),
);

const leverage = { status: 400, text: 'leverage out of permissible range' };
refuses('E106', leverage, 'a leverage above the maximum is refused', (desk) => ({
  leverage: decimalOf(desk.asset, 'max_leverage').plus(1).toFixed(),
}));
refuses('E106', leverage, 'a leverage of zero is refused', () => ({ leverage: '0' }));
refuses('E106', leverage, 'a leverage off its step is refused', (desk) => ({
  leverage: decimalOf(desk.asset, 'leverage_step').div(2).plus(5).toFixed(),
}));

refuses(
  'E107',
  { status: 400, text: 'insufficient balance' },
  'margin beyond the balance is refused',
  (desk) => ({ quantity: decimalOf(desk.asset, 'max_contract').toFixed() }),
);

refuses(
  'E108',
  { status: 400, text: 'Invalid trade currency', code: 400 },
  'a currency that is neither is refused, with code 400',
  () => ({ trade_currency: 'EUR' }),
);
