import { describe, expect, test } from 'vitest';
import type { Listing } from '../../core/instrument.js';
import { fixedFromText, type Price } from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { VenueRequest } from '../../core/request.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import type { PaperTerms } from './paper-input.js';
import { PaperLedger, type PaperLedgerOptions } from './paper-ledger.js';

const START_MS = Date.UTC(2025, 4, 5, 0, 30);
const HOUR_MS = 3_600_000;
const TERMS: PaperTerms = {
  futures: { USDT: fixedFromText('1000'), INR: fixedFromText('0') },
  takerFeeRate: fixedFromText('0.001'),
  makerFeeRate: fixedFromText('0.0002'),
  slippageBps: 0,
  limitFill: 'through',
  hedgeRate: fixedFromText('1'),
  assume: {},
};
const OWNER: PaperLedgerOptions = {
  account: 'a',
  terms: TERMS,
  nowMs: START_MS,
  hasJournaledOrders: false,
};
const LISTING: Listing = STANDARD_LISTINGS.find(({ name }) => name === 'Bitcoin') ?? never();
function never(): never {
  throw new Error('the sandbox lists Bitcoin');
}

const price = (text: string): { last: Price; mark: Price } => ({
  last: fixedFromText(text),
  mark: fixedFromText(text),
});
const order = (id: string, change: Partial<OrderTerms> = {}): VenueRequest => ({
  kind: 'place',
  clientOrderId: id,
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: 'market',
    quantity: fixedFromText('0.01'),
    reduceOnly: false,
    ...change,
  },
});

/** A ledger with a listing, leverage and a price, on its files. */
async function openAt(files = new MemoryFiles(), owner: Partial<PaperLedgerOptions> = {}) {
  const ledger = await PaperLedger.open(files, '/state', { ...OWNER, ...owner });
  return { files, ledger };
}

async function trading() {
  const { files, ledger } = await openAt();
  ledger.addListing(LISTING, START_MS);
  const leverage = fixedFromText<'ratio'>('5');
  const symbol = 'BTCUSDT';
  ledger.reply({ kind: 'set-leverage', symbol, currency: 'USDT', leverage }, START_MS);
  ledger.updatePrice(symbol, price('60000'), START_MS);
  return { files, ledger };
}

const accountSnapshot = ({ exchange }: PaperLedger) => ({
  orders: exchange.allOrders(),
  positions: exchange.positions('USDT'),
  closes: exchange.positionHistory('USDT'),
  fees: exchange.fees('USDT'),
  wallet: exchange.futuresWallet('USDT'),
  leverage: exchange.leverage('BTCUSDT', 'USDT'),
});

describe('a paper account', () => {
  test('the account survives a crash: orders, position, stop, fees, wallet and leverage', async () => {
    const { files, ledger } = await trading();
    const stopLoss = fixedFromText<'price'>('59000');
    ledger.reply(order('one', { stopLoss }), START_MS + 1);
    ledger.matchPending('BTCUSDT', START_MS + 100);
    const rest = { type: 'limit', price: fixedFromText<'price'>('59500') } as const;
    ledger.reply(order('two', rest), START_MS + 200);
    ledger.matchPending('BTCUSDT', START_MS + 300);
    await ledger.sync();
    const left = accountSnapshot(ledger);
    expect(left.positions).toHaveLength(1);
    expect(left.orders.map(({ status }) => status)).toEqual(['filled', 'created', 'created']);
    const again = (await openAt(files.copy(), { hasJournaledOrders: true })).ledger;
    expect(accountSnapshot(again)).toEqual(left);

    // Later effects are the same too.
    for (const each of [ledger, again]) each.updatePrice('BTCUSDT', price('58000'), START_MS + 400);
    expect(accountSnapshot(again)).toEqual(accountSnapshot(ledger));
    expect(again.exchange.positionHistory('USDT')).toHaveLength(1);
  });

  test('an order is matched by matchPending, not at its acceptance', async () => {
    const { ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    expect(ledger.exchange.positions('USDT')).toEqual([]);
    ledger.updatePrice('BTCUSDT', price('60100'), START_MS + 50);
    ledger.matchPending('BTCUSDT', START_MS + 100);
    expect(ledger.exchange.positions('USDT')[0]?.entryPrice).toBe(fixedFromText('60100'));
  });

  test('only prices with an effect and prices before an order are recorded', async () => {
    const { ledger } = await trading();
    const before = ledger.records;
    for (let n = 0; n < 1_000; n += 1) {
      ledger.updatePrice('BTCUSDT', price(String(60_000 + n)), START_MS + n);
    }
    expect(ledger.records).toBe(before);
    ledger.reply(order('one'), START_MS + 1_000);
    expect(ledger.records).toBe(before + 2);
  });

  test('no id is given out twice, over any number of restarts', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    await ledger.close();
    const again = (await openAt(files, { hasJournaledOrders: true })).ledger;
    again.updatePrice('BTCUSDT', price('60000'), START_MS + 2);
    again.reply(order('two'), START_MS + 3);
    const twice = again.reply(order('one'), START_MS + 4);
    expect(twice.outcome).toMatchObject({ kind: 'no', code: 'client-order-id-exists' });
    const ids = again.exchange.allOrders().map(({ orderId }) => orderId);
    expect(new Set(ids).size).toBe(2);
  });

  test('funding is paid only at settlements with a known rate', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    ledger.matchPending('BTCUSDT', START_MS + 100);
    const settlementMs = Date.UTC(2025, 4, 5, 8);
    ledger.setFunding('BTCUSDT', { rate: fixedFromText('0.0001'), settlementMs });
    ledger.updatePrice('BTCUSDT', price('60010'), START_MS + HOUR_MS);
    expect(ledger.exchange.fees('USDT').filter(({ kind }) => kind === 'funding')).toEqual([]);
    ledger.updatePrice('BTCUSDT', price('60020'), settlementMs + 2 * HOUR_MS);
    const rows = ledger.exchange.fees('USDT').filter(({ kind }) => kind === 'funding');
    // 0.01 BTC × 60010 × 0.0001: the price before the settlement.
    expect(rows.map(({ amount }) => amount)).toEqual([fixedFromText('0.06001')]);
    await ledger.sync();
    const again = (await openAt(files.copy(), { hasJournaledOrders: true })).ledger;
    expect(accountSnapshot(again).fees).toEqual(accountSnapshot(ledger).fees);
    expect(accountSnapshot(again).wallet).toEqual(accountSnapshot(ledger).wallet);
  });

  test('the account time never moves back, even if the venue time does', async () => {
    const { files, ledger } = await trading();
    await ledger.close();
    const again = (await openAt(files, { hasJournaledOrders: true, nowMs: 0 })).ledger;
    again.updatePrice('BTCUSDT', price('60000'), START_MS - HOUR_MS);
    const { outcome } = again.reply(order('one'), START_MS - HOUR_MS);
    expect(outcome.kind).toBe('yes');
    expect(again.exchange.nowMs).toBe(START_MS);
  });

  test('changed instrument rules apply from then on', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one', { quantity: fixedFromText('0.001') }), START_MS + 1);
    ledger.matchPending('BTCUSDT', START_MS + 2);
    const instrument = { ...LISTING.instrument, minQuantity: fixedFromText<'quantity'>('0.01') };
    ledger.addListing({ ...LISTING, instrument }, START_MS + 3);
    const { outcome } = ledger.reply(
      order('two', { quantity: fixedFromText('0.001') }),
      START_MS + 4,
    );
    expect(outcome).toMatchObject({ kind: 'no', code: 'quantity-range' });
    await ledger.sync();
    const again = (await openAt(files.copy(), { hasJournaledOrders: true })).ledger;
    expect(accountSnapshot(again)).toEqual(accountSnapshot(ledger));
  });
});

describe('the refusal of a paper account', () => {
  test('the ledger refuses a missing account beside a journal with orders', async () => {
    const opening = openAt(new MemoryFiles(), { hasJournaledOrders: true });
    await expect(opening).rejects.toThrow(/the paper account is gone: .*another state_dir/);
    await expect(opening).rejects.toBeInstanceOf(SafetyRefusal);
  });

  test.each([
    ['paper.futures', { futures: { ...TERMS.futures, USDT: fixedFromText('5') } }],
    ['paper.slippage_bps', { slippageBps: 1 }],
    ['venue.inr_rate', { hedgeRate: fixedFromText('90') }],
    ['paper.assume', { assume: { stopTrigger: 'mark' } }],
  ] as const)('the ledger refuses a changed %s', async (key, change) => {
    const { files, ledger } = await openAt();
    await ledger.close();
    const terms = { ...TERMS, ...change } as PaperTerms;
    await expect(openAt(files, { terms })).rejects.toThrow(`was opened under other terms (${key})`);
  });

  test('the ledger refuses a log whose replay differs from the recorded result', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    await ledger.close();
    const forged = new MemoryFiles();
    const { openFramedLog } = await import('../../io/log/framed-log.js');
    const from = await openFramedLog(files, '/state', 'paper');
    const to = await openFramedLog(forged, '/state', 'paper');
    for (const bytes of from.read()) {
      const text = new TextDecoder().decode(bytes).replace('"quantity":1000000', '"quantity":2');
      to.append(new TextEncoder().encode(text));
    }
    await to.close();
    await expect(openAt(forged, { hasJournaledOrders: true })).rejects.toThrow(
      /does not reproduce the account: record \d+ left/,
    );
  });
});
