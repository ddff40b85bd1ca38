import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, V1 } from '../contract-trader.js';
import { decimalOf, ensure, refused, type Refusal } from '../expect.js';
import type { RawResponse } from '../venue-under-test.js';

export const orderV1Errors = new CaseRegistry();

type Change = (trader: ContractTrader) => object;

export const placeV1 = (trader: ContractTrader, body: unknown): Promise<RawResponse> =>
  trader.venue.call('POST', `${V1}/${trader.symbol}/order`, { query: 'is_symbol', body });

export const bodyV1 = (trader: ContractTrader, more: object = {}): Record<string, unknown> =>
  trader.limitBody('LONG', { leverage: '5', ...more });

function refuses(row: string, expected: Refusal, title: string, change: Change): void {
  orderV1Errors.add(row, title, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const before = (await trader.list('orders')).length;
    refused(await placeV1(trader, bodyV1(trader, change(trader))), expected);
    ensure((await trader.list('orders')).length === before, 'a refused place creates no order');
  });
}

const params = { status: 400, text: 'Params error' };
refuses('E101', params, 'a market order without order_price is refused', () => ({
  trigger_type: 'MARKET',
  order_price: undefined,
}));
refuses('E101', params, 'a missing quantity is refused', () => ({ quantity: undefined }));
refuses('E101', params, 'a missing leverage is refused', () => ({ leverage: undefined }));
refuses('E101', params, 'a price that is a text is refused', () => ({ order_price: 'cheap' }));

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
  (trader) => ({
    order_price: decimalOf(trader.asset, 'max_price').plus(trader.priceStep).toFixed(),
  }),
);

refuses(
  'E105',
  { status: 400, text: 'quantity not a multiple of the quantity step' },
  'half a step of quantity is refused',
  (trader) => ({ quantity: trader.unit.plus(trader.quantityStep.div(2)).toFixed() }),
);

const leverage = { status: 400, text: 'leverage out of permissible range' };
refuses('E106', leverage, 'a leverage above the maximum is refused', (trader) => ({
  leverage: decimalOf(trader.asset, 'max_leverage').plus(1).toFixed(),
}));
refuses('E106', leverage, 'a leverage of zero is refused', () => ({ leverage: '0' }));
refuses('E106', leverage, 'a leverage off its step is refused', (trader) => ({
  leverage: decimalOf(trader.asset, 'leverage_step').div(2).plus(5).toFixed(),
}));

refuses(
  'E107',
  { status: 400, text: 'insufficient balance' },
  'margin beyond the balance is refused',
  (trader) => ({ quantity: decimalOf(trader.asset, 'max_contract').toFixed() }),
);

refuses(
  'E108',
  { status: 400, text: 'Invalid trade currency', code: 400 },
  'an unknown currency is refused, with code 400',
  () => ({ trade_currency: 'EUR' }),
);
