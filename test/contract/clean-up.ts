import { isFields, records, type Fields } from './expect.js';
import type { RawResponse, VenueDriver, VenueUnderTest } from './venue-under-test.js';

const V1 = '/fapi/v1/futures';
const CURRENCIES = ['USDT', 'INR'] as const;
const ROUNDS = 40;

/** Cancels all open orders and closes all positions, in both currencies. */
export async function cleanUp(plain: VenueDriver, wait: VenueUnderTest['wait']): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let remaining = 0;
    for (const currency of CURRENCIES) remaining += await cleanUpCurrency(plain, currency);
    if (remaining === 0) return;
    await wait(30);
  }
  throw new Error('the account could not be cleaned up: orders or positions stay open');
}

async function cleanUpCurrency(plain: VenueDriver, currency: string): Promise<number> {
  const query = { trade_currency: currency };
  const orders = rows(await plain.call({ method: 'GET', path: `${V1}/orders`, query }));
  for (const { id } of orders) {
    await plain.call({ method: 'DELETE', path: `${V1}/orders/${String(id)}` });
  }
  const positions = rows(await plain.call({ method: 'GET', path: `${V1}/positions`, query }));
  for (const position of positions) await close(plain, position, currency);
  return orders.length + positions.length;
}

/** Closes by the close endpoint, or else by a reducing order. */
async function close(plain: VenueDriver, position: Fields, currency: string): Promise<void> {
  const path = `${V1}/positions/${String(position['id'])}/close`;
  const closed = await plain.call({ method: 'POST', path });
  if (closed.status < 300) return;
  await plain.call({
    method: 'POST',
    path: '/fapi/v2/futures/order',
    query: { symbol: String(position['symbol']) },
    body: {
      trigger_type: 'MARKET',
      order_type: position['order_type'] === 'LONG' ? 'SHORT' : 'LONG',
      quantity: position['quantity'],
      reduce_only: true,
      trade_currency: currency,
    },
  });
}

function rows(answer: RawResponse): readonly Fields[] {
  const data = isFields(answer.json) ? answer.json['data'] : null;
  return Array.isArray(data) ? records(data) : [];
}
