import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import type { VenueRequest } from '../../core/request.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';
import type { MarketMessage } from '../venue.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { seededRandom, VirtualTime } from '../../../test/support/fakes/virtual-time.js';
import { PaperLedger } from './paper-ledger.js';
import { PaperVenue } from './paper-venue.js';

const LATENCY_MS = 100;
const BUY: VenueRequest = {
  kind: 'place',
  clientOrderId: 'one',
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: 'market',
    quantity: fixedFromText('0.01'),
    reduceOnly: false,
  },
};
const silent = (): void => undefined;

async function rig(files = new MemoryFiles()) {
  const time = new VirtualTime();
  const message$ = new Subject<MarketMessage>();
  const terms = {
    futures: { USDT: fixedFromText<'USDT'>('1000'), INR: fixedFromText<'INR'>('0') },
    takerFeeRate: fixedFromText<'ratio'>('0.001'),
    makerFeeRate: fixedFromText<'ratio'>('0.001'),
    slippageBps: 0,
    limitFill: 'through',
    hedgeRate: fixedFromText<'ratio'>('1'),
    assume: {},
  } as const;
  const owner = { account: 'a', terms, nowMs: time.utcMs(), hasJournaledOrders: false };
  const failures: unknown[] = [];
  const subscriptions: unknown[] = [];
  const venue = new PaperVenue({
    market: {
      candles: () => Promise.resolve([]),
      market$: (subscription) => {
        subscriptions.push(subscription);
        return message$;
      },
    },
    listings: () => Promise.resolve(STANDARD_LISTINGS),
    ledger: await PaperLedger.open(files, '/state', owner),
    symbols: ['BTCUSDT'],
    latencyMs: LATENCY_MS,
    venueNow: () => time.utcMs(),
    clock: time,
    scheduler: time,
    random: seededRandom(1),
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    failed: (error) => failures.push(error),
    closeMarket: () => Promise.resolve(),
  });
  await venue.instruments();
  venue.market$({ candles: ['BTCUSDT'], tickers: ['BTCUSDT'] }).subscribe();
  const price = (last: number): void => {
    message$.next({ kind: 'tickers', rows: [{ symbol: 'BTCUSDT', last }] });
  };
  const leverage = fixedFromText<'ratio'>('5');
  await venue.send({ kind: 'set-leverage', symbol: 'BTCUSDT', currency: 'USDT', leverage });
  const positions = async () => {
    const { outcome } = await venue.send({ kind: 'read-positions', currency: 'USDT' });
    return outcome.kind === 'yes' ? outcome.value : outcome;
  };
  return { files, time, venue, price, positions, failures, subscriptions };
}

test('an order is accepted first and matched at a slightly later price', async () => {
  const { time, venue, price, positions } = await rig();
  price(60_000);
  await time.run(LATENCY_MS);
  expect((await venue.send(BUY)).outcome.kind).toBe('yes');
  expect(await positions()).toEqual([]);
  await time.run(LATENCY_MS / 2);
  price(60_100);
  await time.run(LATENCY_MS);
  expect(await positions()).toMatchObject([{ entryPrice: fixedFromText('60100') }]);
});

test('an order before the first price is refused; an order of a previous run waits for it', async () => {
  const first = await rig();
  expect((await first.venue.send(BUY)).outcome).toMatchObject({ kind: 'unknown', sent: false });
  first.price(60_000);
  expect((await first.venue.send(BUY)).outcome.kind).toBe('yes');

  const second = await rig(first.files.copy());
  await second.time.run(10 * LATENCY_MS);
  expect(await second.positions()).toEqual([]);
  expect(second.subscriptions).toEqual([{ candles: ['BTCUSDT'], tickers: ['BTCUSDT'] }]);
  second.price(61_000);
  await second.time.run(LATENCY_MS);
  expect(await second.positions()).toMatchObject([{ entryPrice: fixedFromText('61000') }]);
});

test('an answer that cannot be recorded is not sent, and ends the run', async () => {
  const { files, venue, price, failures } = await rig();
  price(60_000);
  files.failWith(({ kind }) => (kind === 'append' ? { code: 'ENOSPC' } : undefined));
  expect((await venue.send(BUY)).outcome).toMatchObject({ kind: 'unknown', sent: true });
  expect(failures).toMatchObject([{ name: 'LogWriteError', code: 'ENOSPC' }]);
  expect((await venue.send({ kind: 'read-wallet', currency: 'USDT' })).outcome.kind).toBe(
    'unknown',
  );
  await venue.close();
});
