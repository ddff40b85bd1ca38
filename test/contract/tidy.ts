import { isFields, records, type Fields } from './expect.js';
import type { Answer, Driver, Venue } from './venue.js';

const V1 = '/fapi/v1/futures';
const CURRENCIES = ['USDT', 'INR'] as const;
const ROUNDS = 40;

/** No open order and no position in either currency: what a case left open is cancelled and closed. */
export async function tidy(plain: Driver, wait: Venue['wait']): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let left = 0;
    for (const currency of CURRENCIES) left += await tidyCurrency(plain, currency);
    if (left === 0) return;
    await wait(30);
  }
  throw new Error('the account could not be tidied: orders or positions stay open');
}

async function tidyCurrency(plain: Driver, currency: string): Promise<number> {
  const query = { trade_currency: currency };
  const orders = rows(await plain.call({ method: 'GET', path: `${V1}/orders`, query }));
  for (const { id } of orders) {
    await plain.call({ method: 'DELETE', path: `${V1}/orders/${String(id)}` });
  }
  const positions = rows(await plain.call({ method: 'GET', path: `${V1}/positions`, query }));
  for (const position of positions) await close(plain, position, currency);
  return orders.length + positions.length;
}

/** By the close endpoint; where that does not do it, by an order that reduces. */
async function close(plain: Driver, position: Fields, currency: string): Promise<void> {
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

function rows(answer: Answer): readonly Fields[] {
  const data = isFields(answer.json) ? answer.json['data'] : null;
  return Array.isArray(data) ? records(data) : [];
}
