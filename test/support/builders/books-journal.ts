import type { Amount } from '../../../src/core/fixed/fixed.js';
import { encodeJournalRecord } from '../../../src/execution/journal/journal-record.js';
import { openFramedLog } from '../../../src/io/log/framed-log.js';
import { nodeFiles } from '../../../src/io/node/node-files.js';
import type { Currency } from '../../../src/core/currency.js';
import { d } from './risk-case.js';

export interface BooksJournal {
  readonly venueTime: number;
  /** Owners by client order id. */
  readonly owners: Readonly<Record<string, string>>;
  readonly wallets: Readonly<Record<Currency, Amount>>;
}

/** Writes the journal of a bot that read both wallets and then sent orders of BTCUSDT. */
export async function writeBooksJournal(
  stateDir: string,
  { venueTime, owners, wallets }: BooksJournal,
): Promise<void> {
  const log = await openFramedLog(nodeFiles, stateDir, 'journal');
  const append = (record: Parameters<typeof encodeJournalRecord>[0]): void => {
    log.append(encodeJournalRecord(record));
  };
  append({ type: 'header', venueTime, account: 'desk', venue: 'http://127.0.0.1' });
  for (const currency of ['USDT', 'INR'] as const)
    append({
      type: 'losses',
      venueTime,
      currency,
      day: venueTime,
      dayStart: wallets[currency],
      highWater: wallets[currency],
      deposits: d('0'),
      turnover: d('0'),
      orders: 0,
      losingCloses: 0,
      stopOuts: 0,
      wallet: wallets[currency],
      walletAt: venueTime,
    });
  Object.entries(owners).forEach(([clientOrderId, strategyId], ordinal) => {
    append({
      type: 'intent',
      venueTime,
      clientOrderId,
      generation: 1,
      strategyId,
      cause: { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', openTime: venueTime },
      ordinal,
      decisionKey: `candle:BTCUSDT:1m:${venueTime}#${ordinal}`,
      leg: 0,
      terms: {
        symbol: 'BTCUSDT',
        currency: 'USDT',
        side: 'buy',
        type: 'market',
        quantity: d('0.1'),
        reduceOnly: false,
      },
      referencePrice: d('60000'),
      decidedAt: venueTime,
      validUntil: venueTime + 3_000,
      payloadHash: 'of no order',
      reserved: d('6000'),
    });
  });
  await log.sync();
  await log.close();
}

/** The report of a filled order joins a journal. */
export async function appendFill(
  stateDir: string,
  fill: { readonly clientOrderId: string; readonly venueTime: number },
): Promise<void> {
  const log = await openFramedLog(nodeFiles, stateDir, 'journal');
  const [filledQuantity, averagePrice] = [d<'quantity'>('0.1'), d<'price'>('60000')];
  const report = { status: 'filled', filledQuantity, averagePrice, final: true } as const;
  log.append(encodeJournalRecord({ type: 'update', ...fill, ...report }));
  await log.sync();
  await log.close();
}
