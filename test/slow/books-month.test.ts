import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Currency } from '../../src/core/currency.js';
import {
  absolute,
  add,
  fixedFromText,
  isLess,
  subtract,
  textFromFixed,
  ZERO,
  type Amount,
} from '../../src/core/fixed/fixed.js';
import type { Side } from '../../src/core/order.js';
import { writeBooksJournal } from '../support/builders/books-journal.js';
import { waitForReadLag } from '../support/builders/quirks.js';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';
import { runSluice } from '../support/rigs/cli-runner.js';

/** 2025-05-05T00:00:00Z. */
const START = Date.UTC(2025, 4, 5);
const DAYS = 30;
/** The first instant after the month. */
const AFTER = '2025-06-04T00:00:00.000Z';
const HOUR = 3_600_000;
const CURRENCIES = ['USDT', 'INR'] as const;

type Row = Readonly<Record<string, string | null>>;
interface Ledger {
  readonly currency: Currency;
  readonly opening: string;
  readonly closing: string;
  readonly gap: string;
  readonly opening_from: string;
  readonly rows: readonly Row[];
}

let rig: AccountCliRig;
let opening: Readonly<Record<Currency, Amount>>;
let own: readonly Ledger[];

/**
 * A month of an account with two strategies and a person: entries, exits and turned positions in both currencies, stops
 * and partial closes, funding three times a day, changes of the hedge rate, transfers, and a liquidation.
 */
class Month {
  readonly owners: Record<string, string> = {};

  async live(): Promise<void> {
    await this.#advance(10_000);
    opening = { USDT: wallet('USDT'), INR: wallet('INR') };
    for (let day = 0; day < DAYS; day++) await this.#day(day);
    // A day is final once a later row is ten minutes past its end.
    await this.#advance(20 * 60_000);
    await this.#trade('hand-last', 'ETHUSDT', 'buy', '0.1', 'USDT');
    await writeBooksJournal(rig.stateDir, {
      venueTime: START + 10_000,
      owners: this.owners,
      wallets: opening,
    });
    await waitForReadLag();
  }

  async #day(day: number): Promise<void> {
    const { exchange } = rig;
    for (const currency of CURRENCIES)
      for (const symbol of ['BTCUSDT', 'ETHUSDT'])
        exchange.setLeverage(symbol, currency, fixedFromText(day < 9 ? '10' : '20'));
    await this.#advance(10_000);
    const direction = day % 2 === 0 ? '' : '-';
    await this.#tradeTo(`trend-${day}`, `${direction}0.037`, 'USDT');
    await this.#tradeTo(`grid-${day}`, `${direction}0.013`, 'INR');
    await this.#advance(5 * HOUR + day * 60_000);
    if (day % 2 === 1) await this.#trade(`hand-${day}`, 'ETHUSDT', 'buy', '0.31', 'USDT');
    if (day % 3 === 0) this.#transfer('USDT', day % 2 === 0 ? 'deposit' : 'withdraw', '101.07');
    if (day % 4 === 1) this.#transfer('INR', day % 8 === 1 ? 'withdraw' : 'deposit', '777.77');
    if (day % 5 === 4) exchange.setHedgeRate(fixedFromText(`9${day % 3}.${day}7`));
    await this.#advance(6 * HOUR);
    if (day % 4 === 2) await this.#stopOut();
    if (day % 6 === 3) await this.#closePart();
    if (day === 11) await this.#liquidate();
    await this.#advance(13 * HOUR - day * 60_000);
  }

  /** One order, which turns the position where it is on the other side. */
  async #tradeTo(id: string, target: string, currency: Currency): Promise<void> {
    const change = subtract(
      fixedFromText<'quantity'>(target),
      rig.exchange.quantity('BTCUSDT', currency),
    );
    const side = isLess(change, ZERO) ? 'sell' : 'buy';
    await this.#trade(id, 'BTCUSDT', side, textFromFixed(absolute(change)), currency);
  }

  async #trade(id: string, symbol: string, side: Side, quantity: string, currency: Currency) {
    const terms = { symbol, currency, side, quantity: fixedFromText<'quantity'>(quantity) };
    const placed = rig.exchange.place({
      terms: { ...terms, type: 'market', reduceOnly: false },
      clientOrderId: id,
    });
    if (!placed.ok) throw new Error(`${id}: ${placed.code}`);
    if (!id.startsWith('hand')) this.owners[id] = id.split('-')[0] ?? '';
    rig.exchange.matchPending();
    await this.#advance(10_000);
  }

  /** A stop of the venue fires on the position of INR. */
  async #stopOut(): Promise<void> {
    const [position] = rig.exchange.positions('INR');
    if (position === undefined) throw new Error('no position in INR');
    const percent = position.side === 'long' ? -2 : 2;
    const price = fixedFromText<'price'>(this.#priceAt('BTCUSDT', percent / 2));
    const protectedBy = rig.exchange.protect(position.positionId, { stopLoss: { price } });
    if (!protectedBy.ok) throw new Error(protectedBy.code);
    await this.#moveBy(percent);
    await this.#moveBy(-percent);
  }

  async #closePart(): Promise<void> {
    const [position] = rig.exchange.positions('USDT');
    if (position === undefined) throw new Error('no position in USDT');
    const terms = { type: 'market', quantity: fixedFromText<'quantity'>('0.011') } as const;
    const closed = rig.exchange.closePartially(position.positionId, terms);
    if (!closed.ok) throw new Error(closed.code);
    rig.exchange.matchPending();
    await this.#advance(10_000);
  }

  /** Every position of the falling side, with leverage 20. */
  async #liquidate(): Promise<void> {
    await this.#moveBy(rig.exchange.positions('USDT')[0]?.side === 'long' ? -8 : 8);
    await this.#moveBy(1);
  }

  #transfer(currency: Currency, direction: 'deposit' | 'withdraw', amount: string): void {
    const moved = rig.exchange.transfer(currency, direction, fixedFromText(amount));
    if (!moved.ok) throw new Error(moved.code);
  }

  #priceAt(symbol: string, percent: number): string {
    const last = Number(textFromFixed(rig.exchange.prices(symbol)?.last ?? (ZERO as never)));
    return ((last * (100 + percent)) / 100).toFixed(1);
  }

  async #moveBy(percent: number): Promise<void> {
    await post('price', { symbol: 'BTCUSDT', price: this.#priceAt('BTCUSDT', percent) });
    await this.#advance(10_000);
  }

  #advance(ms: number): Promise<void> {
    return post('clock', { advance_ms: ms });
  }
}

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const url = `${rig.served.server.baseUrl}/sandbox/${path}`;
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(reply.status, await reply.text()).toBe(200);
}

function wallet(currency: Currency): Amount {
  const { balance, locked } = rig.exchange.futuresWallet(currency);
  return add(balance, locked);
}

const amountOf = (text: string | null | undefined): Amount => fixedFromText<'USDT'>(text ?? '0');
const sum = (texts: readonly (string | null | undefined)[]): string =>
  textFromFixed(texts.reduce<Amount>((total, text) => add(total, amountOf(text)), ZERO as Amount));

const KINDS = ['fill', 'liquidation', 'fee', 'rebate', 'funding', 'transfer'];
const IDENTITY = [
  'time_utc',
  'kind',
  'symbol',
  'side',
  'price',
  'order_id',
  'row_id',
  'hedge_rate',
];

/** Rows of the account: what one row of the venue was split into, by owner, is put together again. */
function accountRows({ rows }: Ledger): readonly string[] {
  const parts = new Map<string, Row[]>();
  for (const row of rows) {
    const key = IDENTITY.map((name) => row[name] ?? '').join(' ');
    parts.set(key, [...(parts.get(key) ?? []), row]);
  }
  const total = (all: readonly Row[], name: string): string => sum(all.map((row) => row[name]));
  return [...parts]
    .map(([key, all]) => `${key}: ${total(all, 'amount')} of ${total(all, 'quantity')}`)
    .sort();
}

describe('the ledger of a month', () => {
  beforeAll(async () => {
    rig = await AccountCliRig.open({
      limits: false,
      clock: { kind: 'manual' },
      startMs: START,
      assumptions: { rebates: 'forty-percent' },
      // A venue that cuts rupees leaves a gap of less than one, which books.test.ts shows.
      switches: { inrMoneyText: 'whole' },
    });
    await new Month().live();
    const { json, exitCode, stderr } = await rig.runJson('export ledger --tz Asia/Kolkata');
    expect(exitCode, stderr).toBe(0);
    own = json.ledgers as readonly Ledger[];
  }, 600_000);
  afterAll(async () => {
    await rig.close();
  });

  it.each(CURRENCIES)(
    'opening and rows are the closing in %s, with rows of each kind',
    (currency) => {
      const ledger = own.find((each) => each.currency === currency);
      const { opening: first, closing, gap, opening_from: from, rows = [] } = ledger ?? {};
      expect([first, gap, from]).toEqual([textFromFixed(opening[currency]), '0', 'reading']);
      expect(closing).toBe(textFromFixed(wallet(currency)));
      expect(sum([first, ...rows.map(({ amount }) => amount)])).toBe(closing);
      expect(rows.at(-1)?.['balance']).toBe(closing);
      expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(KINDS));
      expect(rows.filter(({ kind }) => kind === 'funding').length).toBeGreaterThan(2 * DAYS);
      const fees = rows.filter(({ kind }) => kind === 'fee').length;
      expect(rows.filter(({ kind }) => kind === 'rebate')).toHaveLength(fees);
      for (const { kind, owner } of rows)
        expect(owner === '(unattributed)', `a ${kind} of ${owner}`).toBe(kind === 'transfer');
    },
  );

  it('the lists of the venue alone have the same rows, and lead to the same opening', async () => {
    const { baseUrl } = rig.served.server;
    const where = ['--base-url', baseUrl, '--secret-file', rig.secret];
    const { stdout } = await runSluice(['export', 'ledger', ...where, '--json']);
    const { ledgers } = JSON.parse(stdout) as { ledgers: readonly Ledger[] };
    expect(ledgers.map((each) => each.opening_from)).toEqual(['derived', 'derived']);
    ledgers.forEach((ledger, index) => {
      const mine = own[index];
      if (mine === undefined) throw new Error('a currency is missing');
      expect(accountRows(ledger)).toEqual(accountRows(mine));
      const { opening: first, closing } = ledger;
      expect([first, closing]).toEqual([mine.opening, mine.closing]);
    });
  }, 120_000);

  it("the archive's days are one chain from the opening to the closing", async () => {
    const { exitCode, stderr } = await rig.runJson('export ledger --archive');
    expect(exitCode, stderr).toBe(0);
    const folder = join(rig.stateDir, 'ledger', 'UTC');
    const files = readdirSync(folder).sort();
    expect(files).toHaveLength(DAYS);
    for (const currency of CURRENCIES) {
      let balance = textFromFixed(opening[currency]);
      for (const file of files) {
        const text = readFileSync(join(folder, file), 'utf8');
        const at = (kind: string): string | undefined =>
          new RegExp(`^,,${kind},${currency},,([^,]*)`, 'm').exec(text)?.[1];
        expect([file, at('opening')]).toEqual([file, balance]);
        balance = at('closing') ?? '';
      }
      const rows = own.find((each) => each.currency === currency)?.rows ?? [];
      const later = rows.filter(({ time_utc: time }) => (time ?? '') >= AFTER);
      const rest = subtract(wallet(currency), amountOf(balance));
      expect([currency, textFromFixed(rest)]).toEqual([
        currency,
        sum(later.map(({ amount }) => amount)),
      ]);
    }
  }, 120_000);
});
