import { describe, expect, it } from 'vitest';
import type { Outcome, Reply, VenueRequest } from '../../core/request.js';
import { apiBefore } from '../../../test/harness/api-rig.js';
import { pollAccount } from './account-poller.js';
import { constantRandom, VirtualTime } from '../../../test/harness/virtual-ports.js';
import type { AccountMessage } from '../venue.js';
import { candleFromRow, tickerFromPush } from './wire-market.js';
import { Trading } from './trading.js';

const TIMES = '"created_at":"2026-07-02T10:00:00Z","updated_at":"2026-07-02T11:30:05Z"';
const position = (symbol: string, quantity: string): string =>
  `{"id":"p-${symbol}","symbol":"${symbol}","status":"OPEN","order_type":"LONG","leverage":"3",` +
  `"quantity":${quantity},"entry_price":"0.6075","initial_margin":"1","maintenance_margin":"1",` +
  `"trade_currency":"USDT",${TIMES}}`;
const order = (symbol: string, quantity: string): string =>
  `{"id":"o-${symbol}","symbol":"${symbol}","status":"CREATED","order_type":"LONG",` +
  `"trigger_type":"LIMIT","quantity":${quantity},"filled_quantity":0,"price":0.5,` +
  `"trade_currency":"USDT",${TIMES}}`;
const close = (symbol: string, quantity: string): string =>
  `{"id":"r-${symbol}","position_id":"p-1","symbol":"${symbol}","position_type":"LONG",` +
  `"status":"CLOSED","quantity":${quantity},"entry_price":"1","closed_price":"1","pnl":"0",` +
  `"trade_currency":"USDT",${TIMES}}`;
const fee = (symbol: string, amount: string): string =>
  `{"id":"f-${symbol}","symbol":"${symbol}","fee_type":"TRANSACTION","fee_amount":${amount},` +
  `"transaction_amount":"59.4","fee_perc":"0.059","trade_currency":"USDT",${TIMES}}`;

const body = (rows: readonly string[]): string => `{"success":true,"data":[${rows.join()}]}`;
const history = { kind: 'read-order-history', currency: 'USDT', limit: 50 } as const;
const sending = (request: VenueRequest) => (rows: readonly string[]) => {
  const { api } = apiBefore({ body: body(rows) });
  const limits = { listRows: 500 };
  return new Trading({ api, limits }).send(request).then(({ outcome }: Reply) => outcome);
};

/** How each list is read, and a row of it. */
const LISTS = [
  ['positions', position, sending({ kind: 'read-positions', currency: 'USDT' })],
  ['open orders', order, sending({ kind: 'read-open-orders', currency: 'USDT' })],
  ['order history', order, sending(history)],
  ['position history', close, sending({ kind: 'read-closes', currency: 'USDT', limit: 50 })],
  [
    'fee history',
    fee,
    (rows: readonly string[]) => apiBefore({ body: body(rows) }).api.feeHistory('USDT'),
  ],
] as const;

const ABSURD = [
  ['beyond the range', '"1100000000000000"'],
  ['beyond the range, as a number', '1.1e15'],
  ['beyond any double', '1e400'],
  ['with an exponent of many digits', '"1e99999999999999999999"'],
  ['finer than any', '"0.0000000000000000001"'],
  ['of absurd length', `"1.${'0'.repeat(70)}1"`],
  ['of absurd length, as a number', `1${'0'.repeat(3_000)}`],
] as const;

describe.each(LISTS)('a row of %s', (_list, row, read) => {
  it.each(ABSURD)(
    'with an amount %s is told as unreadable, and the others are used',
    async (_, amount) => {
      const outcome: Outcome<unknown> = await read([
        row('AAAUSDT', '"1"'),
        row('SHIBUSDT', amount),
        row('BBBUSDT', '"2"'),
      ]);
      expect(outcome).toMatchObject({
        kind: 'yes',
        value: [{ symbol: 'AAAUSDT' }, { symbol: 'BBBUSDT' }],
        unreadable: [{ symbol: 'SHIBUSDT', id: expect.stringContaining('SHIBUSDT') }],
      });
    },
  );

  it.each([
    ['has no symbol that reads', row('', '1.1e15')],
    ['has another fault too', row('SHIBUSDT', '1.1e15').replace('"USDT"', '"INR"')],
    ['is wrong in another way', row('SHIBUSDT', '"many"')],
  ])('that %s makes the whole list unreadable', async (_, odd) => {
    const outcome: Outcome<unknown> = await read([row('AAAUSDT', '"1"'), odd]);
    expect(outcome).toMatchObject({ kind: 'unknown', sent: true });
  });

  it('leaves no trace where all rows read', async () => {
    expect(await read([row('AAAUSDT', '"1"')])).not.toHaveProperty('unreadable');
  });
});

describe('order history that is read again', () => {
  it('does not forget a row that did not read', async () => {
    const { api, time } = apiBefore(({ url }) => {
      const isFirst = !url.includes('offset');
      const rows = Array.from({ length: 25 }, (_, at) => order(`A${at}USDT`, '"1"'));
      return { body: body(isFirst ? rows : [...rows, order('SHIBUSDT', '1.1e15')]) };
    });
    const trading = new Trading({ api, limits: { listRows: 25 } });
    for (let reading = 0; reading < 3; reading += 1) {
      const sent = trading.send({ ...history, from: 0 });
      await time.advance(60_000);
      const { outcome } = await sent;
      expect(outcome).toMatchObject({ kind: 'yes', unreadable: [{ symbol: 'SHIBUSDT' }] });
    }
  });
});

describe('the account poller', () => {
  it('tells the engine of rows that do not read, beside those that do', async () => {
    const time = new VirtualTime();
    const messages: AccountMessage[] = [];
    const unreadable = [{ symbol: 'SHIBUSDT', fault: 'quantity is out of range' }];
    pollAccount(
      { currencies: ['USDT'], everyMs: 2_000 },
      {
        clock: time,
        scheduler: time,
        random: constantRandom(0),
        slot: () => Promise.resolve(),
        send: (request) =>
          Promise.resolve({
            to: request.kind,
            outcome: { kind: 'yes', value: [], unreadable },
          } as Reply),
      },
    ).subscribe((message) => messages.push(message));
    await time.advance(100);
    expect(messages.slice(0, 2)).toMatchObject([
      { snapshot: { kind: 'positions', positions: [], unreadable } },
      { snapshot: { kind: 'open-orders', orders: [], unreadable } },
    ]);
  });
});

describe('market data', () => {
  it('leaves out the one row with a figure beyond any double', () => {
    const row = JSON.parse('[1680312600,1,1e400,1,1,1]') as unknown;
    expect(candleFromRow(row)).toBeUndefined();
    expect(tickerFromPush(JSON.parse('{"s":"shibusdt","p":1e400}'))).toBeUndefined();
  });

  it('lists the other instruments where the rules of one are of absurd length', async () => {
    const rules = (symbol: string, max: string): string =>
      `{"id":"${symbol}","symbol":"${symbol}","min_contract":"1","max_contract":"9",` +
      `"quantity_step":"1","min_price":"1","max_price":"9","price_step":${max},` +
      '"max_market_contract":"9","min_notional_value":"5","leverage_step":"1","min_leverage":"1",' +
      '"max_leverage":"9"}';
    const { api } = apiBefore({
      body: body([rules('AAAUSDT', '"1"'), rules('SHIBUSDT', `1${'0'.repeat(3_000)}`)]),
    });
    expect(await api.assets()).toMatchObject({
      kind: 'yes',
      value: [{ instrument: { symbol: 'AAAUSDT' } }],
    });
  });
});
