import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Currency } from '../../src/core/currency.js';
import {
  add,
  fixedFromText,
  textFromFixed,
  ZERO,
  type Amount,
} from '../../src/core/fixed/fixed.js';
import type { Side } from '../../src/core/order.js';
import { appendFill, writeBooksJournal } from '../support/builders/books-journal.js';
import { waitForReadLag } from '../support/builders/quirks.js';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';
import type { StatusReport } from '../../src/live/status/status-report.js';
import { runSluice } from '../support/rigs/cli-runner.js';

/** 2025-05-05T00:00:00Z. */
const START = Date.UTC(2025, 4, 5);
const HOUR = 3_600_000;

let rig: AccountCliRig;
beforeEach(async () => {
  rig = await AccountCliRig.open({
    limits: false,
    clock: { kind: 'manual' },
    startMs: START,
    assumptions: { rebates: 'forty-percent' },
    // The venue cuts rupees: then a gap of less than a rupee is right, and has its own test.
    switches: { inrMoneyText: 'whole' },
  });
});
afterEach(async () => {
  await rig.close();
});

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const url = `${rig.served.server.baseUrl}/sandbox/${path}`;
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(reply.status).toBe(200);
}

const advance = (ms: number): Promise<void> => post('clock', { advance_ms: ms });

async function trade(
  clientOrderId: string,
  side: Side,
  quantity: string,
  currency: Currency = 'USDT',
): Promise<void> {
  const placed = rig.exchange.place({
    terms: {
      symbol: 'BTCUSDT',
      currency,
      side,
      type: 'market',
      quantity: fixedFromText(quantity),
      reduceOnly: false,
    },
    clientOrderId,
  });
  if (!placed.ok) throw new Error(placed.code);
  rig.exchange.matchPending();
  await advance(10_000);
}

const moveBy = async (percent: number): Promise<void> => {
  const last = Number(textFromFixed(rig.exchange.prices('BTCUSDT')?.last ?? (ZERO as never)));
  await post('price', { symbol: 'BTCUSDT', price: ((last * (100 + percent)) / 100).toFixed(1) });
  await advance(10_000);
};

const wallet = (currency: Currency): Amount => {
  const { balance, locked } = rig.exchange.futuresWallet(currency);
  return add(balance, locked);
};

/** Two strategies, an external hand, both currencies, transfers, funding over a day, and a liquidation. */
async function live(): Promise<void> {
  await advance(10_000);
  const wallets = { USDT: wallet('USDT'), INR: wallet('INR') };
  const owners = {
    'trend-1': 'trend',
    'trend-2': 'trend',
    'trend-3': 'trend',
    'grid-1': 'grid',
    'grid-2': 'grid',
  };
  await writeBooksJournal(rig.stateDir, { venueTime: START + 10_000, owners, wallets });
  for (const currency of ['USDT', 'INR'] as const)
    rig.exchange.setLeverage('BTCUSDT', currency, fixedFromText('10'));
  await advance(10_000);
  await trade('trend-1', 'buy', '0.1');
  await trade('by-hand', 'buy', '0.05');
  await trade('grid-1', 'buy', '0.02', 'INR');
  await moveBy(1);
  rig.exchange.transfer('USDT', 'deposit', fixedFromText('250.5'));
  rig.exchange.transfer('INR', 'withdraw', fixedFromText('1000'));
  await advance(19 * HOUR);
  await trade('trend-2', 'sell', '0.1');
  await moveBy(-15);
  await trade('grid-2', 'sell', '0.03', 'INR');
  await advance(9 * HOUR);
  await trade('trend-3', 'buy', '0.01');
  await waitForReadLag();
}

type Row = Readonly<Record<string, string | null>>;
interface Ledger {
  readonly currency: string;
  readonly opening: string;
  readonly closing: string;
  readonly gap: string;
  readonly opening_from: string;
  readonly rows: readonly Row[];
}

const sum = (texts: readonly (string | null)[]): string =>
  textFromFixed(
    texts.reduce<Amount>(
      (total, text) => add(total, fixedFromText<'USDT'>(text ?? '0')),
      ZERO as Amount,
    ),
  );

describe('sluice export ledger', () => {
  it('opening and rows are the closing to the last digit, in both currencies', async () => {
    await live();
    const { json, exitCode } = await rig.runJson('export ledger --tz Asia/Kolkata');
    expect(exitCode).toBe(0);
    const ledgers = json.ledgers as readonly Ledger[];
    expect(ledgers.map(({ currency }) => currency)).toEqual(['USDT', 'INR']);
    for (const { currency, opening, closing, gap, opening_from: from, rows } of ledgers) {
      expect([currency, gap, from]).toEqual([currency, '0', 'reading']);
      expect(closing).toBe(textFromFixed(wallet(currency as Currency)));
      expect(sum([opening, ...rows.map(({ amount = null }) => amount)])).toBe(closing);
      expect(rows.at(-1)?.['balance']).toBe(closing);
    }
    const kinds = new Set(ledgers.flatMap(({ rows }) => rows.map(({ kind }) => kind)));
    expect(kinds).toEqual(new Set(['fill', 'liquidation', 'fee', 'rebate', 'funding', 'transfer']));
    const first = ledgers[0]?.rows.find(({ kind }) => kind === 'fee');
    expect(first).toMatchObject({
      owner: 'trend',
      symbol: 'BTCUSDT',
      client_order_id: 'trend-1',
      time_utc: '2025-05-05T00:00:20.000Z',
      time_local: '2025-05-05T05:30:20+05:30',
    });
    const inr = ledgers[1]?.rows.find(({ kind }) => kind === 'fee');
    expect(inr).toMatchObject({
      owner: 'grid',
      hedge_rate: '90',
      gst: expect.any(String) as string,
    });
  });

  it('a range opens with what the rows before it leave', async () => {
    await live();
    const { json } = await rig.runJson('export ledger --from 2025-05-06 --currency USDT');
    const [ledger] = json.ledgers as readonly Ledger[];
    const all = (await rig.runJson('export ledger --currency USDT')).json.ledgers[0] as Ledger;
    const earlier = all.rows.filter(({ time_utc: time = '' }) => (time ?? '') < '2025-05-06');
    expect(earlier.length).toBeGreaterThan(0);
    expect(all.rows.length).toBeGreaterThan(earlier.length);
    expect(ledger?.opening).toBe(earlier.at(-1)?.['balance']);
    expect(ledger?.rows).toHaveLength(all.rows.length - earlier.length);
    expect(ledger?.gap).toBe('0');
  });

  it('without a journal the same rows come from the lists alone, and every owner is external', async () => {
    await live();
    const { baseUrl } = rig.served.server;
    const own = (await rig.runJson('export ledger')).json.ledgers as readonly Ledger[];
    const where = ['--base-url', baseUrl, '--secret-file', rig.secret];
    const { stdout } = await runSluice(['export', 'ledger', ...where, '--json']);
    const { ledgers, problems } = JSON.parse(stdout) as {
      ledgers: readonly Ledger[];
      problems: readonly string[];
    };
    const amounts = (all: readonly Ledger[]): readonly string[] =>
      all.map(({ rows }) => sum(rows.map(({ amount = null }) => amount)));
    expect(amounts(ledgers)).toEqual(amounts(own));
    expect(ledgers.map(({ opening_from: from }) => from)).toEqual(['derived', 'derived']);
    const owners = new Set(ledgers.flatMap(({ rows }) => rows.map(({ owner }) => owner)));
    expect(owners).toEqual(new Set(['(external)', '(unattributed)']));
    expect(problems[0]).toContain('there is no journal');
  });

  it('a change that no row explains is a row, and a warning', async () => {
    await live();
    await writeBooksJournalWithMore();
    const { stdout, stderr, exitCode } = await rig.run('export ledger --currency USDT');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/,gap,USDT,-5,/);
    expect(stderr).toContain('the USDT wallet has a gap of -5 USDT');
  });

  it('CSV is written into a new file only', async () => {
    await live();
    const out = join(rig.stateDir, 'ledger.csv');
    const first = await rig.run(`export ledger --out ${out}`);
    expect(first.stdout).toMatch(/^\d+ rows in /);
    const lines = readFileSync(out, 'utf8').trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^time_utc,time_local,kind,currency,amount,balance,owner,/);
    expect(lines[1]).toMatch(/^,,opening,USDT,,10000,/);
    expect(lines.at(-1)).toMatch(/^,,closing,INR,,/);
    const again = await rig.run(`export ledger --out ${out}`);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('exists already');
  });
});

describe('sluice export ledger --archive', () => {
  const daysOf = (json: { written: readonly string[] }): readonly string[] => json.written;
  const fileOf = (day: string): string =>
    readFileSync(join(rig.stateDir, 'ledger', 'UTC', `${day}.csv`), 'utf8');
  const balanceOf = (day: string, kind: string): string | undefined =>
    new RegExp(`^,,${kind},USDT,,([^,]*)`, 'm').exec(fileOf(day))?.[1];

  it('writes each finished day once, and each day opens with the closing of the one before', async () => {
    await live();
    const first = await rig.runJson('export ledger --archive');
    expect(first.exitCode, first.stderr).toBe(0);
    expect(daysOf(first.json)).toEqual(['2025-05-05']);
    const written = fileOf('2025-05-05');
    await advance(3 * 24 * HOUR);
    await trade('trend-4', 'sell', '0.005');
    await waitForReadLag();
    // Two days were missed.
    const second = await rig.runJson('export ledger --archive');
    expect(daysOf(second.json)).toEqual(['2025-05-06', '2025-05-07', '2025-05-08']);
    expect(fileOf('2025-05-05')).toBe(written);
    for (const [before, after] of [
      ['2025-05-05', '2025-05-06'],
      ['2025-05-06', '2025-05-07'],
      ['2025-05-07', '2025-05-08'],
    ] as const)
      expect(balanceOf(after, 'opening')).toBe(balanceOf(before, 'closing'));
    const third = await rig.run('export ledger --archive');
    expect(third.stdout).toContain('no finished day was missing');
  });

  it.each(['--from 2025-05-05', '--offline', '--currency USDT'])(
    'is of whole days, and %s is refused',
    async (option) => {
      const { exitCode, stderr } = await rig.run(`export ledger --archive ${option}`);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('leave out --from');
    },
  );

  it('and a configuration in the place of its folder is an error that names the right order', async () => {
    const { exitCode, stderr } = await rig.run('export ledger --archive bot.yaml');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('sluice export ledger bot.yaml --archive');
  });
});

describe('books without the venue', () => {
  const offlineConfig = (): string => {
    const path = join(rig.stateDir, '..', 'offline.yaml');
    const text = readFileSync(rig.config, 'utf8').replaceAll(
      /(http|ws):\/\/127\.0\.0\.1:\d+/g,
      '$1://127.0.0.1:1',
    );
    writeFileSync(path, text);
    return path;
  };

  it('the error names --offline, which says that no row is confirmed', async () => {
    await live();
    const where = ['--config', offlineConfig()];
    const failed = await runSluice(['pnl', ...where]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('--offline shows what the journal has');
    const { exitCode, stdout } = await runSluice([
      'export',
      'ledger',
      ...where,
      '--offline',
      '--json',
    ]);
    expect(exitCode).toBe(0);
    const json = JSON.parse(stdout) as { source: string; problems: readonly string[] };
    expect(json.source).toBe('journal');
    expect(json.problems[0]).toContain('not confirmed by the venue');
  });

  it('a warning names the last reading of the wallet where fills come after it', async () => {
    await live();
    const read = async (): Promise<string> =>
      (await runSluice(['pnl', '--offline', '--config', offlineConfig()])).stderr;
    expect(await read()).not.toContain('the last reading');
    await appendFill(rig.stateDir, { clientOrderId: 'trend-1', venueTime: START + HOUR });
    expect(await read()).toContain(
      `the last reading of the USDT wallet is of ${new Date(START + 10_000).toISOString()}: the gap and the closing lack the costs`,
    );
  });

  it('the status has the profit of the journal, and says so', async () => {
    await live();
    const args = ['status', '--profit', '--config', offlineConfig()];
    const { exitCode, stderr } = await runSluice(args);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(/cannot be read: .*; the profit is that of the journal/);
    const { profit, profit_source: source } = JSON.parse(
      (await runSluice([...args, '--json'])).stdout,
    ) as StatusReport;
    expect(profit).not.toBeNull();
    expect(source).toMatchObject({ from: 'journal', age_ms: expect.any(Number) as number });
    expect(source?.error).toContain('cannot be read');
  });
});

/** A journal whose first reading of the wallet was 5 USDT higher. */
async function writeBooksJournalWithMore(): Promise<void> {
  const { rmSync } = await import('node:fs');
  for (const ending of ['log', 'head']) rmSync(join(rig.stateDir, `journal.${ending}`));
  const wallets = { USDT: fixedFromText<'USDT'>('10005'), INR: fixedFromText<'USDT'>('1000000') };
  await writeBooksJournal(rig.stateDir, { venueTime: START + 10_000, owners: {}, wallets });
}

describe('sluice pnl', () => {
  it('the parts of all strategies add up to the account', async () => {
    await live();
    const { json } = await rig.runJson('pnl --by strategy --currency USDT');
    const rows = json.rows as readonly Row[];
    expect(new Set(rows.map(({ strategy }) => strategy))).toEqual(new Set(['(external)', 'trend']));
    for (const part of ['price', 'liquidation', 'fees', 'rebates', 'funding', 'net'])
      expect(sum(rows.map((row) => row[part] ?? null))).toBe(json.totals[0][part]);
    const { realisedPnl, fees, funding } = rig.exchange.totals('USDT');
    const net = add(
      add(realisedPnl, fixedFromText<'USDT'>(`-${textFromFixed(fees)}`)),
      ZERO as Amount,
    );
    expect(sum([json.totals[0].net as string, textFromFixed(funding)])).toBe(textFromFixed(net));
    expect(rows.find(({ strategy }) => strategy === 'trend')?.['liquidation']).toBe('0');
    expect(rows.find(({ strategy }) => strategy === '(external)')?.['liquidation']).toMatch(/^-/);
  });

  it('days are of the zone, and the UTC day is beside them', async () => {
    await live();
    const by = async (zone: string) =>
      (await rig.runJson(`pnl --tz ${zone} --currency USDT`)).json.rows as readonly Row[];
    const utc = await by('UTC');
    const kolkata = await by('Asia/Kolkata');
    expect(utc.map(({ day }) => day)).toEqual(['2025-05-05', '2025-05-06']);
    for (const row of utc) expect(row['risk_day_net']).toBe(row['net']);
    // 19:00 UTC is 00:30 of the next day in Kolkata.
    expect(sum(kolkata.map(({ net = null }) => net))).toBe(sum(utc.map(({ net = null }) => net)));
    expect(kolkata.map(({ risk_day_net: net }) => net)).toEqual(utc.map(({ net }) => net));
    expect(kolkata.map(({ net }) => net)).not.toEqual(utc.map(({ net }) => net));
  });

  it.each([
    ['--tz Mars/Olympus', 'there is no such time zone'],
    ['--from 2025-05-07 --to 2025-05-06', 'is not before --to'],
    ['--from yesterday', 'expected a day such as 2025-05-05'],
    ['--by moon', 'day, strategy, symbol'],
  ])('%s is refused before anything is read', async (options, text) => {
    const { exitCode, stderr } = await rig.run(`pnl ${options}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
    expect(existsSync(join(rig.stateDir, 'journal.log'))).toBe(false);
  });
});
