import { CaseRegistry } from '../case-registry.js';
import { V1 } from '../contract-trader.js';
import {
  decimal,
  decimalOf,
  ensure,
  equal,
  fail,
  isFields,
  list,
  record,
  records,
  success,
  textOf,
  type Fields,
} from '../expect.js';
import { hasFields, hasNone, type Shape } from '../field-types.js';
import { JsonNumber, type Json } from '../json.js';
import {
  allFrames,
  requestReply,
  isPush,
  isReply,
  nextFrame,
  openStreamOrFail,
  pushesOf,
} from '../stream-replies.js';
import { controlsOf, type ContractStream, type VenueUnderTest } from '../venue-under-test.js';
import { PRICE } from './market-errors.js';

export const streams = new CaseRegistry();
const readOnly = { readOnly: true } as const;
const add = (row: string, title: string, run: (venue: VenueUnderTest) => Promise<void>): void => {
  streams.add(row, title, run, readOnly);
};

const number = (value: number): JsonNumber => new JsonNumber(String(value));
const done = (method: string, id: number): Json => ({
  method,
  id: number(id),
  result: 'success',
});

async function subscribe(
  venue: VenueUnderTest,
  stream: ContractStream,
  params: readonly string[],
  assets?: readonly string[],
): Promise<void> {
  const message = {
    id: 1,
    method: 'SUBSCRIBE',
    params,
    ...(assets === undefined ? {} : { assets }),
  };
  equal(await requestReply(venue, stream, message), done('SUBSCRIBE', 1), 'the reply');
}

/** Lets venue time pass second by second. @returns the pushes of a stream meanwhile */
async function pushes(
  venue: VenueUnderTest,
  stream: ContractStream,
  name: string,
  seconds: number,
): Promise<readonly Json[]> {
  const frames: Json[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await venue.pass(1_000);
    // Requests keep the connection open, however long the stream is read.
    if (second % 15 === 14) frames.push(...(await allFrames(venue, stream)));
  }
  frames.push(...(await allFrames(venue, stream)));
  return pushesOf(frames, name);
}

/** Waits until just after the start of a minute. */
async function toMinute(venue: VenueUnderTest): Promise<void> {
  const ms = (await venue.now()) % 60_000;
  if (ms > 500) await venue.pass(60_000 - ms + 200);
}

const seconds = (candle: Fields): number => decimalOf(candle, 't').toNumber();
const KLINE: Shape = {
  s: 'string',
  t: 'integer',
  o: 'number',
  h: 'number',
  l: 'number',
  c: 'number',
  v: 'number',
};
const MARK_KLINE: Shape = {
  s: 'string',
  t: 'integer',
  o: 'number',
  h: 'number',
  l: 'number',
  c: 'number',
};
const candlesOf = (data: readonly Json[]): readonly Fields[] => data.map((item) => record(item));

function checkCandles(candles: readonly Fields[], shape: Shape, symbol: string): void {
  for (const candle of candles) {
    hasFields(candle, shape as Shape, 'candle');
    if (!('v' in shape)) hasNone(candle, ['v'], 'mark candle');
    equal(candle['s'], symbol, 's');
    const [open, high, low, close] = ['o', 'h', 'l', 'c'].map((name) => decimalOf(candle, name));
    if (!open || !high || !low || !close) return fail('four prices');
    ensure(high.gte(open) && high.gte(close) && low.lte(open) && low.lte(close), 'within', candle);
  }
}

const ascending = (candles: readonly Fields[]): boolean =>
  candles.every((candle, at) => at === 0 || seconds(candle) > seconds(candles[at - 1] ?? {}));

add('W01', 'kline@1s pushes about once a second, ascending, with a volume', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1s@btcusdt']);
  const start = await venue.now();
  const candles = candlesOf(await pushes(venue, stream, 'kline@1s@btcusdt', 10));
  const passed = ((await venue.now()) - start) / 1_000;
  // A second without a trade is skipped; observed gaps are up to three seconds.
  const fits = candles.length >= Math.floor(passed / 3) - 1 && candles.length <= passed + 2;
  ensure(fits, `about one a second in ${passed} s`, candles.length);
  checkCandles(candles, KLINE, 'btcusdt');
  ensure(ascending(candles), 't ascends');
});
add('W01', 'within a minute the open stays and the volume grows', async (venue) => {
  await toMinute(venue);
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1s@btcusdt']);
  const candles = candlesOf(await pushes(venue, stream, 'kline@1s@btcusdt', 12));
  const opens = new Set(candles.map((candle) => decimalOf(candle, 'o').toFixed()));
  equal(opens.size, 1, 'different opens');
  const volumes = candles.map((candle) => decimalOf(candle, 'v'));
  const grows = volumes.every((volume, at) => volume.gte(volumes[at - 1] ?? 0));
  ensure(grows, 'the volume grows', volumes);
});

const MINUTE_STREAMS = [
  ['W02', 'kline@1m', 'kline', KLINE],
  ['W04', 'markKline@1m', 'mark-kline', MARK_KLINE],
] as const;
for (const [row, name, kind, shape] of MINUTE_STREAMS) {
  add(row, `${name} pushes a minute once, when it has closed`, async (venue) => {
    await toMinute(venue);
    const stream = await openStreamOrFail(venue);
    const start = Math.floor((await venue.now()) / 60_000) * 60;
    await subscribe(venue, stream, [`${name}@btcusdt`]);
    const candles = candlesOf(await pushes(venue, stream, `${name}@btcusdt`, 62));
    equal(candles.map(seconds), [start], 't of the one frame');
    checkCandles(candles, shape, 'btcusdt');
  });
  add(row, `${name} is the candle of REST`, async (venue) => {
    await toMinute(venue);
    const stream = await openStreamOrFail(venue);
    await subscribe(venue, stream, [`${name}@btcusdt`]);
    const [first] = candlesOf(await pushes(venue, stream, `${name}@btcusdt`, 62));
    const candle = first ?? fail('a candle');
    const time = String(seconds(candle));
    const end = String(Number(time) + 1);
    const query = { assets: 'btc/usdt', aggregation: '1m', start_time: time, end_time: end };
    const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
    const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
    const [row0] = list(ticks['btc/usdt'], 'candles');
    const pushed = Object.keys(shape)
      .filter((field) => field !== 's')
      .map((field) => candle[field]);
    equal(row0, pushed, 'the candle of REST');
  });
}

add('W03', 'markKline@1s begins where the one before it ended', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['markKline@1s@btcusdt']);
  const candles = candlesOf(await pushes(venue, stream, 'markKline@1s@btcusdt', 12));
  ensure(candles.length >= 3, 'three frames in twelve seconds', candles.length);
  checkCandles(candles, MARK_KLINE, 'btcusdt');
  ensure(ascending(candles), 't ascends');
  candles.slice(1).forEach((candle, at) => {
    equal(candle['o'], candles[at]?.['c'], 'o is the c before it');
  });
});

const TICKER: Shape = { s: 'string', p: 'number', 'mp?': 'number' };
const TICKERS = [
  ['W05', 'ticker@1s', 1],
  ['W06', 'ticker@5s', 5],
] as const;
for (const [row, name, period] of TICKERS) {
  add(row, `${name} begins with the last row of each asset`, async (venue) => {
    const stream = await openStreamOrFail(venue);
    await subscribe(venue, stream, [name], ['btcusdt', 'ethusdt']);
    const frame = record(await nextFrame(venue, stream, isPush));
    equal(frame['stream'], name, 'stream');
    const rows = records(frame['data'], 'data');
    const symbols = rows.map((item) => textOf(item, 's'));
    equal(symbols.sort(), ['btcusdt', 'ethusdt'], 'symbols');
    for (const item of rows) hasFields(item, TICKER, 'row');
  });
  add(row, `${name} pushes each window once, with the changes`, async (venue) => {
    const stream = await openStreamOrFail(venue);
    await subscribe(venue, stream, [name], ['btcusdt', 'ethusdt']);
    await nextFrame(venue, stream, isPush);
    const start = await venue.now();
    const data = await pushes(venue, stream, name, 10);
    const most = ((await venue.now()) - start) / 1_000 / period + 2;
    ensure(data.length >= 1 && data.length <= most, `from one to ${most} windows`, data.length);
    for (const item of data.flatMap((rows) => records(rows, 'data')))
      hasFields(item, TICKER, 'row');
  });
  add(row, `${name} is silent about an asset with a constant price`, async (venue) => {
    const controls = controlsOf(venue);
    const asset = await lastPrice(venue, 'BTCUSDT');
    await controls.holdPrice('BTCUSDT', asset);
    try {
      const stream = await openStreamOrFail(venue);
      await subscribe(venue, stream, [name], ['btcusdt']);
      await pushes(venue, stream, name, period + 1);
      equal(await pushes(venue, stream, name, 10), [], 'pushes');
    } finally {
      await controls.releasePrice('BTCUSDT');
    }
  });
}

async function lastPrice(venue: VenueUnderTest, symbol: string): Promise<string> {
  const answer = await venue.call('GET', `${V1}/${symbol}`, { query: 'is_symbol' });
  return textOf(record(success(answer)), 'price');
}

add(
  'W07',
  'mixed streams are accepted in one request, and acknowledged before any push',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    const params = ['kline@1s@btcusdt', 'markKline@1m@ethusdt', 'ticker@1s'];
    stream.send({ id: 9, method: 'SUBSCRIBE', params, assets: ['btcusdt'] });
    const first = await nextFrame(venue, stream, () => true);
    equal(first, done('SUBSCRIBE', 9), 'the first frame');
  },
);
add('W07', 'subscribing again is a success and counts once', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1m@btcusdt']);
  await subscribe(venue, stream, ['kline@1m@btcusdt']);
  equal((await listing(venue, stream))['subscriptions'], ['kline@1m@btcusdt'], 'subscriptions');
});
add('W07', 'assets are ignored without a ticker stream', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1m@btcusdt'], ['ethusdt']);
  equal((await listing(venue, stream))['ticker_1s_assets'], [], 'ticker_1s_assets');
});

add('W08', 'after UNSUBSCRIBE the stream pushes nothing', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1s@btcusdt', 'kline@1s@ethusdt']);
  const message = { id: 4, method: 'UNSUBSCRIBE', params: ['kline@1s@btcusdt'] };
  equal(await requestReply(venue, stream, message), done('UNSUBSCRIBE', 4), 'the reply');
  stream.take();
  equal(await pushes(venue, stream, 'kline@1s@btcusdt', 5), [], 'pushes');
  equal((await listing(venue, stream))['subscriptions'], ['kline@1s@ethusdt'], 'what is left');
});

/** `result` of LIST_SUBSCRIPTIONS. */
async function listing(venue: VenueUnderTest, stream: ContractStream): Promise<Fields> {
  const reply = record(await requestReply(venue, stream, { id: 6, method: 'LIST_SUBSCRIPTIONS' }));
  equal(reply['id'], number(6), 'id');
  return record(reply['result'], 'result');
}

add('W09', 'the list is sorted, and both ticker lists are always there', async (venue) => {
  const stream = await openStreamOrFail(venue);
  const empty: Json = { subscriptions: [], ticker_5s_assets: [], ticker_1s_assets: [] };
  equal(sorted(await listing(venue, stream)), sorted(record(empty)), 'without a subscription');
  await subscribe(
    venue,
    stream,
    ['ticker@5s', 'kline@1m@ethusdt', 'kline@1m@btcusdt'],
    ['btcusdt'],
  );
  const full = await listing(venue, stream);
  equal(full['subscriptions'], ['kline@1m@btcusdt', 'kline@1m@ethusdt', 'ticker@5s'], 'names');
  equal(full['ticker_5s_assets'], ['btcusdt'], 'ticker_5s_assets');
  equal(full['ticker_1s_assets'], [], 'ticker_1s_assets');
});

const sorted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

add('W10', 'one bad stream refuses the whole request and changes nothing', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1m@btcusdt']);
  const params = ['kline@1m@ethusdt', 'kline@5m@btcusdt', 'ticker@1s'];
  const message = { id: 2, method: 'SUBSCRIBE', params, assets: ['btcusdt'] };
  const reply = record(await requestReply(venue, stream, message));
  ensure('error' in reply, 'an error', reply);
  const left = await listing(venue, stream);
  equal(left['subscriptions'], ['kline@1m@btcusdt'], 'subscriptions');
  equal(left['ticker_1s_assets'], [], 'ticker_1s_assets');
});
add('W10', 'one inactive stream refuses the whole UNSUBSCRIBE', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1m@btcusdt']);
  const params = ['kline@1m@btcusdt', 'kline@1m@ethusdt'];
  const reply = record(await requestReply(venue, stream, { id: 2, method: 'UNSUBSCRIBE', params }));
  ensure('error' in reply, 'an error', reply);
  equal((await listing(venue, stream))['subscriptions'], ['kline@1m@btcusdt'], 'subscriptions');
});

add('W11', 'a protocol ping is answered with a pong', async (venue) => {
  const stream = await openStreamOrFail(venue);
  stream.ping();
  await ponged(venue, stream, 1);
});
const ponged = async (
  venue: VenueUnderTest,
  stream: ContractStream,
  expected: number,
): Promise<void> => {
  for (let round = 0; round < 1_000 && stream.pongs < expected; round += 1) await venue.wait(10);
  equal(stream.pongs, expected, 'pongs');
};
const LIST = { id: 1, method: 'LIST_SUBSCRIPTIONS' };
const ALIVE: readonly (readonly [title: string, message: unknown])[] = [
  ['a protocol ping', undefined],
  ['a JSON PING', { id: 1, method: 'PING' }],
  ['the text PING', 'PING'],
  ['any request', LIST],
];
for (const [title, message] of ALIVE) {
  add('W11', `${title} within 40 s keeps the connection open`, async (venue) => {
    const stream = await openStreamOrFail(venue);
    for (let round = 1; round <= 3; round += 1) {
      await venue.wait(25_000);
      ensure(stream.isOpen, `open after ${25 * round} s`);
      if (message === undefined) {
        stream.ping();
        await ponged(venue, stream, round);
      } else {
        stream.send(message);
        await nextFrame(venue, stream, isReply);
      }
    }
  });
}

add('W12', 'a new connection has no subscription', async (venue) => {
  const first = await openStreamOrFail(venue);
  await subscribe(venue, first, ['kline@1m@btcusdt']);
  first.close();
  const second = await openStreamOrFail(venue);
  equal((await listing(venue, second))['subscriptions'], [], 'subscriptions');
});
add('W12', 'two connections have separate subscriptions', async (venue) => {
  const first = await openStreamOrFail(venue);
  const second = await openStreamOrFail(venue);
  await subscribe(venue, first, ['kline@1m@btcusdt']);
  equal((await listing(venue, second))['subscriptions'], [], 'of the second');
  equal((await listing(venue, first))['subscriptions'], ['kline@1m@btcusdt'], 'of the first');
});

add('W13', 'the connection survives any error', async (venue) => {
  const stream = await openStreamOrFail(venue);
  const wrong = [
    '{',
    { id: 1, method: 'FOO' },
    { id: 2, method: 'SUBSCRIBE', params: ['nothing'] },
    { id: 3, method: 'SUBSCRIBE' },
    { id: 4, method: 'UNSUBSCRIBE', params: ['kline@1m@btcusdt'] },
  ];
  for (const message of wrong) {
    const reply = record(await requestReply(venue, stream, message));
    hasFields(record(reply['error'], 'error'), { code: 'integer', msg: 'string' }, 'error');
  }
  await subscribe(venue, stream, ['kline@1m@btcusdt']);
});

add('W14', 'ticker assets add up, and leave one by one', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['ticker@5s'], ['btcusdt']);
  await subscribe(venue, stream, ['ticker@5s'], ['ethusdt']);
  equal((await listing(venue, stream))['ticker_5s_assets'], ['btcusdt', 'ethusdt'], 'assets');
  const leave = (assets: readonly string[]) =>
    requestReply(venue, stream, { id: 5, method: 'UNSUBSCRIBE', params: ['ticker@5s'], assets });
  equal(await leave(['btcusdt']), done('UNSUBSCRIBE', 5), 'the reply');
  equal((await listing(venue, stream))['ticker_5s_assets'], ['ethusdt'], 'what is left');
  await leave(['ethusdt']);
  equal((await listing(venue, stream))['subscriptions'], [], 'the stream goes with its last asset');
});
add('W14', 'the snapshot has only newly added assets', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['ticker@5s'], ['btcusdt']);
  await nextFrame(venue, stream, isPush);
  await subscribe(venue, stream, ['ticker@5s'], ['btcusdt', 'ethusdt']);
  const frame = record(await nextFrame(venue, stream, isPush));
  equal(
    records(frame['data'], 'data').map((item) => item['s']),
    ['ethusdt'],
    'symbols',
  );
});

add('W15', 'an unknown symbol is acknowledged, listed and silent', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['kline@1s@nosuchusdt']);
  equal((await listing(venue, stream))['subscriptions'], ['kline@1s@nosuchusdt'], 'subscriptions');
  equal(await pushes(venue, stream, 'kline@1s@nosuchusdt', 3), [], 'pushes');
});
add('W15', 'upper case is listed as written and pushed in lower case', async (venue) => {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, ['ticker@1s'], ['BTCUSDT']);
  equal((await listing(venue, stream))['ticker_1s_assets'], ['BTCUSDT'], 'as listed');
  const frames = await snapshotOf(venue, 'ticker@1s', ['ETHUSDT']);
  equal(
    frames.map((item) => item['s']),
    ['ethusdt'],
    's',
  );
});

async function snapshotOf(venue: VenueUnderTest, name: string, assets: readonly string[]) {
  const stream = await openStreamOrFail(venue);
  await subscribe(venue, stream, [name], assets);
  const frame = await nextFrame(venue, stream, isPush);
  return records(isFields(frame) ? frame['data'] : undefined, 'data');
}

for (const sibling of ['inverse', 'spot']) {
  add('W16', `/price/ws/${sibling} answers 404 without an envelope`, async (venue) => {
    const handshake = await venue.connect(`/fapi/v1/price/ws/${sibling}`);
    if (handshake.kind === 'open') return fail('it is refused');
    const { status, json } = handshake.answer;
    equal(status, 404, 'status');
    const body = record(json);
    equal(decimal(body['code']).toNumber(), 404, 'code');
    equal(body['text'], 'requested resource was not found', 'text');
  });
}
