// A journal of a million records, and how long `sluice why` takes to find one order in it: the whole
// process, start included, as a person waits for it.
// Usage: npm run bench:why [-- --records 1000000 --runs 100]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFiles } from '../dist/src/io/node/node-files.js';
import { fixedFromText } from '../dist/src/core/fixed/fixed.js';
import { clientOrderIdOf } from '../dist/src/core/ids.js';
import { decisionKey } from '../dist/src/core/intent.js';
import { openFramedLog } from '../dist/src/io/log/framed-log.js';
import {
  encodeJournalRecord,
  payloadHashOf,
} from '../dist/src/execution/journal/journal-record.js';
import { option, percentile } from './sandbox-process.mjs';

const records = option('records', 1_000_000);
const runs = option('runs', 100);
const SLUICE = fileURLToPath(new URL('../bin/sluice.mjs', import.meta.url));
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const START = Date.UTC(2025, 0, 1);
const RECORDS_A_SYNC = 10_000;
const d = fixedFromText;

/** The eight journal records of one order: decided, sent twice, found, filled. */
function recordsOf(number) {
  const symbol = SYMBOLS[number % SYMBOLS.length];
  const openTime = START + Math.floor(number / SYMBOLS.length) * 60_000;
  const venueTime = openTime + 60_000;
  const cause = { kind: 'candle', symbol, interval: '1m', openTime };
  const identity = { account: 'bench', strategyId: `s-${symbol}`, symbol, currency: 'USDT' };
  const clientOrderId = clientOrderIdOf({ ...identity, cause, ordinal: 0, leg: 0 }, 1);
  const key = decisionKey(cause, 0);
  const orderId = `01942${number.toString(16).padStart(3, '0')}-${number}`;
  const { strategyId } = identity;
  const terms = {
    symbol,
    currency: 'USDT',
    side: number % 2 === 0 ? 'buy' : 'sell',
    type: 'market',
    quantity: d('0.004'),
    reduceOnly: false,
    stopLoss: d('58000'),
  };
  const update = { type: 'update', venueTime: venueTime + 900, clientOrderId, orderId };
  return [
    {
      ...{ type: 'verdict', venueTime, clientOrderId, strategyId, decisionKey: key, leg: 0 },
      ...{ phase: 'decide', ok: true, text: 'approved by 14 controls', values: VALUES },
    },
    {
      ...{ type: 'intent', venueTime, clientOrderId, generation: 1, strategyId, cause },
      ...{ ordinal: 0, decisionKey: key, leg: 0, terms, referencePrice: d('60000') },
      ...{ decidedAt: venueTime, validUntil: venueTime + 120_000 },
      ...{ payloadHash: payloadHashOf(clientOrderId, terms), reserved: d('240') },
    },
    { type: 'attempt', venueTime: venueTime + 10, clientOrderId, attempt: 1, generation: 1 },
    {
      ...{ type: 'outcome', venueTime: venueTime + 400, clientOrderId, attempt: 1 },
      ...{ outcome: 'unknown', sent: true, cause: 'no answer within 5000 ms' },
    },
    {
      ...{ type: 'note', venueTime: venueTime + 600, level: 'info', clientOrderId },
      text: 'lookup by client id: found',
    },
    { ...update, status: 'created', filledQuantity: d('0'), final: false },
    {
      ...{ ...update, status: 'partially-filled', filledQuantity: d('0.002') },
      ...{ averagePrice: d('60010'), final: false },
    },
    {
      ...{ ...update, status: 'filled', filledQuantity: d('0.004') },
      ...{ averagePrice: d('60015'), final: true },
    },
  ];
}

const VALUES = {
  fact_mode: 'TRADING',
  fact_last: '60000',
  fact_last_age_ms: '0',
  fact_equity_usdt: '9998.21',
  fact_position: '0',
  fact_leverage: '2',
  margin_R01: '240 of 500 USDT',
  margin_R02: '0.004 of 150 base',
  margin_R05: '0 of 3000 ms',
  'margin_R06.open_orders': '812 of 5000 ms',
  'margin_R06.positions': '822 of 5000 ms',
  'margin_R06.wallet': '842 of 5000 ms',
  'margin_R07.notional': '240 of at least 5 USDT',
  'margin_R07.quantity': '0.004 of at least 0.001 base',
  'margin_R10.account': '1 of 40 orders',
  'margin_R10.symbol': '1 of 4 orders',
  margin_R12: '240 of 1000 USDT',
  margin_R15: '2 of 5 x',
};

async function build(directory) {
  const log = await openFramedLog(nodeFiles, directory, 'journal');
  const ids = [];
  const header = { type: 'header', venueTime: START, account: 'bench', venue: 'bench' };
  log.append(encodeJournalRecord(header));
  for (let number = 0; log.count < records; number += 1) {
    const all = recordsOf(number);
    ids.push(all[0].clientOrderId);
    for (const record of all) {
      if (log.count >= records) break;
      log.append(encodeJournalRecord(record));
      if (log.count % RECORDS_A_SYNC === 0) await log.sync();
    }
  }
  await log.close();
  return ids;
}

/** One `sluice why`, timed from outside. */
function runWhy(directory, ...words) {
  const startedAt = performance.now();
  const run = spawnSync(process.execPath, [SLUICE, 'why', ...words, directory, '--json']);
  const ms = performance.now() - startedAt;
  if (run.status !== 0) throw new Error(`why ${words.join(' ')}: ${run.stderr.toString()}`);
  return { ms, answer: JSON.parse(run.stdout.toString()) };
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-why-'));
try {
  const buildStart = performance.now();
  const ids = await build(directory);
  const build_ms = Math.round(performance.now() - buildStart);
  const index_ms = Math.round(runWhy(directory, ids[0]).ms);
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    // Spread over the whole journal, the end included.
    const id = ids[Math.floor((run * (ids.length - 2)) / Math.max(1, runs - 1))];
    const { ms, answer } = runWhy(directory, id);
    const [order] = answer.answers;
    if (order.client_order_id !== id || order.fills.length !== 2) throw new Error(`wrong: ${id}`);
    times.push(ms);
  }
  times.sort((a, b) => a - b);
  const result = {
    records,
    orders: ids.length,
    journal_mb: Math.round(statSync(join(directory, 'journal.log')).size / 1e6),
    index_mb: Math.round(statSync(join(directory, 'index.db')).size / 1e6),
    build_journal_ms: build_ms,
    first_why_ms: index_ms,
    runs,
    p50_ms: Math.round(percentile(times, 0.5)),
    p99_ms: Math.round(percentile(times, 0.99)),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
