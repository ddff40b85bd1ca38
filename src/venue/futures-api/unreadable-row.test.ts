import { describe, expect, it } from 'vitest';
import type { Outcome, Reply, VenueRequest } from '../../core/request.js';
import { apiAnsweredBy } from '../../../test/support/rigs/api-rig.js';
import { pollAccount } from '../account-poller.js';
import { constantRandom, ManualTime } from '../../../test/support/fakes/manual-ports.js';
import type { AccountMessage } from '../venue.js';
import { candleFromRow, tickerFromPush } from './wire/wire-market.js';
import { TradingClient } from './trading-client.js';

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
  const { api } = apiAnsweredBy({ body: body(rows) });
  const limits = { listRows: 500 };
  return new TradingClient({ api, limits }).send(request).then(({ outcome }: Reply) => outcome);
};

/** Each list with a row and its read. */
const LISTS = [
  ['positions', position, sending({ kind: 'read-positions', currency: 'USDT' })],
  ['open orders', order, sending({ kind: 'read-open-orders', currency: 'USDT' })],
  ['order history', order, sending(history)],
  ['position history', close, sending({ kind: 'read-closes', currency: 'USDT', limit: 50 })],
  [
    'fee history',
    fee,
    (rows: readonly string[]) => apiAnsweredBy({ body: body(rows) }).api.feeHistory('USDT'),
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
    'a row with an amount %s is reported as unreadable, and the others are used',
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
    ['has no readable symbol', row('', '1.1e15')],
    ['has another fault too', row('SHIBUSDT', '1.1e15').replace('"USDT"', '"INR"')],
    ['is wrong in another way', row('SHIBUSDT', '"many"')],
  ])('a row that %s makes the whole list unreadable', async (_, odd) => {
    const outcome: Outcome<unknown> = await read([row('AAAUSDT', '"1"'), odd]);
    expect(outcome).toMatchObject({ kind: 'unknown', sent: true });
  });

  it('a list without unreadable rows has no report of them', async () => {
    expect(await read([row('AAAUSDT', '"1"')])).not.toHaveProperty('unreadable');
  });
});

describe('order history that is polled', () => {
  it('the unreadable row is reported again', async () => {
    const { api, time } = apiAnsweredBy(({ url }) => {
      const isFirst = !url.includes('offset');
      const rows = Array.from({ length: 25 }, (_, at) => order(`A${at}USDT`, '"1"'));
      return { body: body(isFirst ? rows : [...rows, order('SHIBUSDT', '1.1e15')]) };
    });
    const trading = new TradingClient({ api, limits: { listRows: 25 } });
    for (let reading = 0; reading < 3; reading += 1) {
      const sent = trading.send({ ...history, from: 0 });
      await time.advance(60_000);
      const { outcome } = await sent;
      expect(outcome).toMatchObject({ kind: 'yes', unreadable: [{ symbol: 'SHIBUSDT' }] });
    }
  });
});

describe('the account poller', () => {
  it('unreadable rows are reported beside the readable ones', async () => {
    const time = new ManualTime();
    const messages: AccountMessage[] = [];
    const unreadable = [{ symbol: 'SHIBUSDT', fault: 'quantity is out of range' }];
    pollAccount(
      { currencies: ['USDT'], everyMs: 2_000 },
      {
        clock: time,
        scheduler: time,
        random: constantRandom(0),
        acquirePermit: () => Promise.resolve(),
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
  it('only the row with a figure beyond any double is left out', () => {
    const row = JSON.parse('[1680312600,1,1e400,1,1,1]') as unknown;
    expect(candleFromRow(row)).toBeUndefined();
    expect(tickerFromPush(JSON.parse('{"s":"shibusdt","p":1e400}'))).toBeUndefined();
  });

  it('the other instruments are listed if the rules of one are of absurd length', async () => {
    const rules = (symbol: string, max: string): string =>
      `{"id":"${symbol}","symbol":"${symbol}","min_contract":"1","max_contract":"9",` +
      `"quantity_step":"1","min_price":"1","max_price":"9","price_step":${max},` +
      '"max_market_contract":"9","min_notional_value":"5","leverage_step":"1","min_leverage":"1",' +
      '"max_leverage":"9"}';
    const { api } = apiAnsweredBy({
      body: body([rules('AAAUSDT', '"1"'), rules('SHIBUSDT', `1${'0'.repeat(3_000)}`)]),
    });
    expect(await api.assets()).toMatchObject({
      kind: 'yes',
      value: [{ instrument: { symbol: 'AAAUSDT' } }],
    });
  });
});
