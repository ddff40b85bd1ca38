import { describe, expect, test } from 'vitest';
import { fixedFromText, type Price } from '../../core/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { VenueRequest } from '../../core/request.js';
import type { Listing } from '../../exchange/simulated-exchange.js';
import { STANDARD_LISTINGS } from '../../sandbox/listings.js';
import { MemoryFiles } from '../../../test/harness/memory-files.js';
import { SafetyRefusal } from '../failure.js';
import type { PaperTerms } from './paper-input.js';
import { PaperLedger, type LedgerOwner } from './paper-ledger.js';

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
const OWNER: LedgerOwner = { account: 'a', terms: TERMS, nowMs: START_MS, journaled: false };
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
async function openAt(files = new MemoryFiles(), owner: Partial<LedgerOwner> = {}) {
  const ledger = await PaperLedger.open(files, '/state', { ...OWNER, ...owner });
  return { files, ledger };
}

async function trading() {
  const { files, ledger } = await openAt();
  ledger.list(LISTING, START_MS);
  const leverage = fixedFromText<'ratio'>('5');
  const symbol = 'BTCUSDT';
  ledger.reply({ kind: 'set-leverage', symbol, currency: 'USDT', leverage }, START_MS);
  ledger.price(symbol, price('60000'), START_MS);
  return { files, ledger };
}

const picture = ({ exchange }: PaperLedger) => ({
  orders: exchange.allOrders(),
  positions: exchange.positions('USDT'),
  closes: exchange.positionHistory('USDT'),
  fees: exchange.fees('USDT'),
  wallet: exchange.futuresWallet('USDT'),
  leverage: exchange.leverage('BTCUSDT', 'USDT'),
});

describe('a paper account', () => {
  test('is the same after its process is gone: orders, position, stop, fees, wallet, leverage', async () => {
    const { files, ledger } = await trading();
    const stopLoss = fixedFromText<'price'>('59000');
    ledger.reply(order('one', { stopLoss }), START_MS + 1);
    ledger.settle('BTCUSDT', START_MS + 100);
    const rest = { type: 'limit', price: fixedFromText<'price'>('59500') } as const;
    ledger.reply(order('two', rest), START_MS + 200);
    ledger.settle('BTCUSDT', START_MS + 300);
    await ledger.sync();
    const left = picture(ledger);
    expect(left.positions).toHaveLength(1);
    expect(left.orders.map(({ status }) => status)).toEqual(['filled', 'created', 'created']);
    const again = (await openAt(files.copy(), { journaled: true })).ledger;
    expect(picture(again)).toEqual(left);

    // And what it sets off later is what the first would have set off.
    for (const each of [ledger, again]) each.price('BTCUSDT', price('58000'), START_MS + 400);
    expect(picture(again)).toEqual(picture(ledger));
    expect(again.exchange.positionHistory('USDT')).toHaveLength(1);
  });

  test('meets the market when it settles, not when it is accepted', async () => {
    const { ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    expect(ledger.exchange.positions('USDT')).toEqual([]);
    ledger.price('BTCUSDT', price('60100'), START_MS + 50);
    ledger.settle('BTCUSDT', START_MS + 100);
    expect(ledger.exchange.positions('USDT')[0]?.entryPrice).toBe(fixedFromText('60100'));
  });

  test('records of prices only those that set something off, and those before an order', async () => {
    const { ledger } = await trading();
    const before = ledger.records;
    for (let n = 0; n < 1_000; n += 1) {
      ledger.price('BTCUSDT', price(String(60_000 + n)), START_MS + n);
    }
    expect(ledger.records).toBe(before);
    ledger.reply(order('one'), START_MS + 1_000);
    expect(ledger.records).toBe(before + 2);
  });

  test('gives no id twice, whatever lives it had', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    await ledger.close();
    const again = (await openAt(files, { journaled: true })).ledger;
    again.price('BTCUSDT', price('60000'), START_MS + 2);
    again.reply(order('two'), START_MS + 3);
    const twice = again.reply(order('one'), START_MS + 4);
    expect(twice.outcome).toMatchObject({ kind: 'no', code: 'client-order-id-exists' });
    const ids = again.exchange.allOrders().map(({ orderId }) => orderId);
    expect(new Set(ids).size).toBe(2);
  });

  test('pays funding at the settlement whose rate is known, and only there', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    ledger.settle('BTCUSDT', START_MS + 100);
    const settlementMs = Date.UTC(2025, 4, 5, 8);
    ledger.knowFunding('BTCUSDT', { rate: fixedFromText('0.0001'), settlementMs });
    ledger.price('BTCUSDT', price('60010'), START_MS + HOUR_MS);
    expect(ledger.exchange.fees('USDT').filter(({ kind }) => kind === 'funding')).toEqual([]);
    ledger.price('BTCUSDT', price('60020'), settlementMs + 2 * HOUR_MS);
    const rows = ledger.exchange.fees('USDT').filter(({ kind }) => kind === 'funding');
    // 0.01 BTC × 60010 × 0.0001: the price before the settlement.
    expect(rows.map(({ amount }) => amount)).toEqual([fixedFromText('0.06001')]);
    await ledger.sync();
    const again = (await openAt(files.copy(), { journaled: true })).ledger;
    expect(picture(again).fees).toEqual(picture(ledger).fees);
    expect(picture(again).wallet).toEqual(picture(ledger).wallet);
  });

  test('does not go back in time with a venue that does', async () => {
    const { files, ledger } = await trading();
    await ledger.close();
    const again = (await openAt(files, { journaled: true, nowMs: 0 })).ledger;
    again.price('BTCUSDT', price('60000'), START_MS - HOUR_MS);
    const { outcome } = again.reply(order('one'), START_MS - HOUR_MS);
    expect(outcome.kind).toBe('yes');
    expect(again.exchange.nowMs).toBe(START_MS);
  });

  test('takes other rules of an instrument from then on', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one', { quantity: fixedFromText('0.001') }), START_MS + 1);
    ledger.settle('BTCUSDT', START_MS + 2);
    const instrument = { ...LISTING.instrument, minQuantity: fixedFromText<'quantity'>('0.01') };
    ledger.list({ ...LISTING, instrument }, START_MS + 3);
    const { outcome } = ledger.reply(
      order('two', { quantity: fixedFromText('0.001') }),
      START_MS + 4,
    );
    expect(outcome).toMatchObject({ kind: 'no', code: 'quantity-range' });
    await ledger.sync();
    const again = (await openAt(files.copy(), { journaled: true })).ledger;
    expect(picture(again)).toEqual(picture(ledger));
  });
});

describe('a paper account is refused', () => {
  test('when it is gone and the journal is not', async () => {
    const opening = openAt(new MemoryFiles(), { journaled: true });
    await expect(opening).rejects.toThrow(/the paper account is gone: .*another state_dir/);
    await expect(opening).rejects.toBeInstanceOf(SafetyRefusal);
  });

  test.each([
    ['paper.futures', { futures: { ...TERMS.futures, USDT: fixedFromText('5') } }],
    ['paper.slippage_bps', { slippageBps: 1 }],
    ['venue.inr_rate', { hedgeRate: fixedFromText('90') }],
    ['paper.assume', { assume: { stopTrigger: 'mark' } }],
  ] as const)('when %s is another than it began with', async (key, change) => {
    const { files, ledger } = await openAt();
    await ledger.close();
    const terms = { ...TERMS, ...change } as PaperTerms;
    await expect(openAt(files, { terms })).rejects.toThrow(`began under other terms (${key})`);
  });

  test('when its inputs no longer make what they made', async () => {
    const { files, ledger } = await trading();
    ledger.reply(order('one'), START_MS + 1);
    await ledger.close();
    const forged = new MemoryFiles();
    const { openFramedLog } = await import('../../execution/log/framed-log.js');
    const from = await openFramedLog(files, '/state', 'paper');
    const to = await openFramedLog(forged, '/state', 'paper');
    for (const bytes of from.read()) {
      const text = new TextDecoder().decode(bytes).replace('"quantity":1000000', '"quantity":2');
      to.append(new TextEncoder().encode(text));
    }
    await to.close();
    await expect(openAt(forged, { journaled: true })).rejects.toThrow(
      /does not make the same account again: record \d+ left/,
    );
  });
});
