import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, freshId, SPOT, V1 } from '../contract-trader.js';
import { ensure, equal, fail, list, record, refused, success } from '../expect.js';
import { JsonNumber } from '../json.js';
import { requestReply, openStreamOrFail } from '../stream-replies.js';
import type { RawResponse, VenueUnderTest } from '../venue-under-test.js';
import { PRICE } from './market-errors.js';

export const limits = new CaseRegistry();
const add = limits.add.bind(limits);
const rates = { limits: true } as const;
const readOnly = { readOnly: true } as const;

type Send = (venue: VenueUnderTest) => Promise<RawResponse>;

interface Tier {
  readonly name: string;
  readonly send: Send;
  readonly second: number;
  readonly minute: number;
}

const DEFAULT: Tier = {
  name: 'default',
  send: (venue) => venue.call('GET', `${V1}/funds`),
  second: 10,
  minute: 500,
};
const CORE: Tier = {
  name: 'core trading',
  send: (venue) =>
    venue.call('GET', `${V1}/${venue.symbols.first}/leverage`, { query: 'is_symbol' }),
  second: 10,
  minute: 500,
};
/** The only request of the wallet tier that moves no money. */
const WALLET: Tier = {
  name: 'wallet',
  send: (venue) => venue.call('POST', SPOT),
  second: 2,
  minute: 50,
};

const TOO_MANY = { status: 429, text: 'API rate limit exceeded', code: 5002 };
const isOver = (answer: RawResponse): boolean => answer.status === 429;

/** Waits until every window of a minute is empty. */
const calm = (venue: VenueUnderTest): Promise<void> => venue.wait(61_000);

/** Sends `count` requests at once. @returns how many were accepted */
async function burst(venue: VenueUnderTest, { send }: Tier, count: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => send(venue)));
  return answers.filter((answer) => !isOver(answer)).length;
}

/** Sends the requests of a minute, second by second; all are accepted. */
async function fullMinute(venue: VenueUnderTest, tier: Tier): Promise<void> {
  for (let sent = 0; sent < tier.minute; sent += tier.second) {
    equal(await burst(venue, tier, tier.second), tier.second, `let through after ${sent}`);
    await venue.wait(1_010);
  }
}

for (const [tier, row] of [
  [DEFAULT, 'L01'],
  [CORE, 'L04'],
  [WALLET, 'L08'],
] as const) {
  const { name, second, send } = tier;
  add(
    row,
    `${name}: of ${second + 5} concurrent requests ${second} are accepted`,
    async (venue) => {
      await calm(venue);
      equal(await burst(venue, tier, second + 5), second, 'let through');
      refused(await send(venue), TOO_MANY);
      await venue.wait(1_100);
      ensure(!isOver(await send(venue)), 'a second later the next is let through');
    },
    rates,
  );
}
add(
  'L04',
  'default and core trading are counted separately',
  async (venue) => {
    await calm(venue);
    equal(await burst(venue, CORE, 10), 10, 'core requests');
    equal(await burst(venue, DEFAULT, 10), 10, 'default requests in the same second');
  },
  { ...rates, ...readOnly },
);

for (const [tier, row] of [
  [DEFAULT, 'L02'],
  [CORE, 'L05'],
  [WALLET, 'L09'],
] as const) {
  const { name, minute, send } = tier;
  add(
    row,
    `${name}: after ${minute} requests within a minute the next is refused`,
    async (venue) => {
      await calm(venue);
      await fullMinute(venue, tier);
      refused(await send(venue), TOO_MANY);
      await calm(venue);
      ensure(!isOver(await send(venue)), 'a minute later the next is let through');
    },
    rates,
  );
}

/**
 * An hour is 60 full minutes and a day 24 full hours, so no requests reach these limits before that of the
 * minute. The cases show that they do not bind earlier, and never accept more.
 */
async function minutes(venue: VenueUnderTest, tier: Tier, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await calm(venue);
    await fullMinute(venue, tier);
  }
}

for (const [tier, row, count, window] of [
  [DEFAULT, 'L03', 60, 'hour'],
  [CORE, 'L06', 60, 'hour'],
  [CORE, 'L07', 24 * 60, 'day'],
  [WALLET, 'L10', 60, 'hour'],
] as const) {
  const { name, minute } = tier;
  add(
    row,
    `${name}: three full minutes pass, the ${window} does not bind before`,
    (venue) => minutes(venue, tier, 3),
    rates,
  );
  add(
    row,
    `${name}: the whole ${count * minute} of the ${window} pass`,
    (venue) => minutes(venue, tier, count),
    { ...rates, long: true },
  );
}

add(
  'L11',
  'of 310 market-data requests within a minute 300 are accepted',
  async (venue) => {
    await calm(venue);
    const market: Tier = {
      name: 'market data',
      send: () => venue.call('GET', `${PRICE}/kline`),
      second: 10,
      minute: 300,
    };
    let passed = 0;
    for (let sent = 0; sent < 310; sent += 10) passed += await burst(venue, market, 10);
    equal(passed, 300, 'let through');
    refused(await market.send(venue), { status: 429, text: 'Rate limit exceeded' });
    await calm(venue);
    ensure(!isOver(await market.send(venue)), 'a minute later the next is let through');
  },
  { ...rates, ...readOnly },
);

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `kline@1m@coin${index}usdt`);

add(
  'L12',
  'fifteen subscriptions are accepted; the sixteenth is 429 and changes nothing',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    await requestReply(venue, stream, { id: 1, method: 'SUBSCRIBE', params: names(15) });
    const reply = record(
      await requestReply(venue, stream, {
        id: 2,
        method: 'SUBSCRIBE',
        params: ['kline@1s@btcusdt'],
      }),
    );
    const error = record(reply['error'], 'error');
    equal(error['code'], new JsonNumber('429'), 'code');
    equal(error['msg'], 'subscription limit reached', 'msg');
    const listed = record(
      await requestReply(venue, stream, { id: 3, method: 'LIST_SUBSCRIPTIONS' }),
    );
    const { subscriptions } = record(listed['result'], 'result');
    equal(list(subscriptions, 'subscriptions').length, 15, 'subscriptions');
  },
  readOnly,
);
add(
  'L12',
  'a ticker stream counts as one with any number of assets',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    const assets = Array.from({ length: 40 }, (_, index) => `coin${index}usdt`);
    const params = [...names(14), 'ticker@5s'];
    const reply = record(
      await requestReply(venue, stream, { id: 1, method: 'SUBSCRIBE', params, assets }),
    );
    equal(reply['result'], 'success', 'result');
    const more = record(
      await requestReply(venue, stream, {
        id: 2,
        method: 'SUBSCRIBE',
        params: ['ticker@1s'],
        assets,
      }),
    );
    ensure('error' in more, 'the other ticker stream is the sixteenth', more);
  },
  readOnly,
);
add(
  'L12',
  'an unsubscribed stream frees its place',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    await requestReply(venue, stream, { id: 1, method: 'SUBSCRIBE', params: names(15) });
    await requestReply(venue, stream, { id: 2, method: 'UNSUBSCRIBE', params: names(1) });
    const message = { id: 3, method: 'SUBSCRIBE', params: ['kline@1s@btcusdt'] };
    equal(record(await requestReply(venue, stream, message))['result'], 'success', 'result');
  },
  readOnly,
);

add(
  'L13',
  'the eleventh new connection of a minute is HTTP 429',
  async (venue) => {
    await calm(venue);
    for (let opened = 1; opened <= 10; opened += 1) {
      const handshake = await venue.connect();
      if (handshake.kind === 'refused') fail(`connection ${opened} opens`, handshake.answer.status);
    }
    const eleventh = await venue.connect();
    if (eleventh.kind === 'open') return fail('the eleventh connection is refused');
    equal(eleventh.answer.status, 429, 'status');
    await calm(venue);
    equal((await venue.connect()).kind, 'open', 'a minute later');
  },
  { ...rates, ...readOnly },
);

add(
  'L14',
  'an idle connection ends after 40 s, without a close frame',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    await venue.wait(39_000);
    ensure(stream.isOpen, 'open after 39 s');
    await venue.wait(1_500);
    for (let round = 0; round < 500 && stream.isOpen; round += 1) await venue.wait(10);
    equal(stream.closeCode, 1006, 'close code');
  },
  readOnly,
);
add(
  'L14',
  'pushes of the server do not count as activity',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    await requestReply(venue, stream, { id: 1, method: 'SUBSCRIBE', params: ['kline@1s@btcusdt'] });
    for (let waited = 0; waited < 41; waited += 5) {
      await venue.pass(2_000);
      await venue.wait(5_000);
    }
    for (let round = 0; round < 500 && stream.isOpen; round += 1) await venue.wait(10);
    equal(stream.isOpen, false, 'open');
  },
  readOnly,
);

async function range(venue: VenueUnderTest, minutesBack: number): Promise<Record<string, string>> {
  const end = Math.floor((await venue.now()) / 60_000) * 60 - 60;
  return { start_time: String(end - minutesBack * 60), end_time: String(end) };
}

for (const kind of ['kline', 'mark-kline']) {
  add(
    'L15',
    `${kind}: 25 symbols are accepted`,
    async (venue) => {
      const others = Array.from({ length: 24 }, (_, index) => `nosuch${index}/usdt`);
      const assets = ['btc/usdt', ...others].join(',');
      const query = { assets, aggregation: '1m', ...(await range(venue, 5)) };
      const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
      const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
      equal(Object.keys(ticks), ['btc/usdt'], 'keys');
      refused(
        await venue.call('GET', `${PRICE}/${kind}`, {
          query: { ...query, assets: `${assets},eth/usdt` },
        }),
        { status: 400, text: 'allowed assets size is 25' },
      );
    },
    readOnly,
  );
  add(
    'L16',
    `${kind}: a longer range gives 1440 candles of each asset`,
    async (venue) => {
      const query = {
        assets: 'btc/usdt,eth/usdt',
        aggregation: '1m',
        ...(await range(venue, 2_000)),
      };
      const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
      const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
      for (const [symbol, candles] of Object.entries(ticks)) {
        equal(list(candles, symbol).length, 1_440, `candles of ${symbol}`);
      }
    },
    readOnly,
  );
}

add(
  'L17',
  '64 characters are accepted, 65 are not, and an empty id counts as unset',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = freshId().padEnd(64, 'x');
    success(await trader.place(trader.limitBody('LONG', { client_order_id: id })), 202);
    const longer = trader.limitBody('LONG', { client_order_id: `${id}x` });
    refused(await trader.place(longer), { status: 400, text: 'invalid order identifier' });
    const none = record(
      success(await trader.place(trader.limitBody('LONG', { client_order_id: '' })), 202),
    );
    const order = await trader.order(String(none['order_id']));
    equal(order['client_order_id'], null, 'client_order_id');
  },
);

for (const path of ['orders/history', 'positions/history', 'fee/history']) {
  add('L18', `${path}: the default limit is 20`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    for (let made = 0; made < 11; made += 1) {
      await trader.fill('LONG');
      await trader.fill('SHORT', { reduce_only: true });
    }
    const plain = await trader.list(path);
    equal(plain, await trader.list(path, { limit: '20' }), 'rows');
    if (path === 'fee/history') {
      equal(plain, await trader.list(path, { offset: '0' }), 'rows from offset 0');
    }
  });
}

add(
  'L19',
  'both currencies count against one limit',
  async (venue) => {
    await calm(venue);
    const read = (index: number) =>
      venue.call('GET', `${V1}/funds`, {
        query: { trade_currency: index % 2 === 0 ? 'USDT' : 'INR' },
      });
    const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => read(index)));
    equal(answers.filter((answer) => !isOver(answer)).length, 10, 'let through');
  },
  { ...rates, ...readOnly },
);
