// A start over a long journal: 40 orders rest at the venue and 10 positions are open, all of them ours,
// and everything else in the journal has ended long ago (reliability goal T7).
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JournalStore } from '../dist/src/live/state/journal-store.js';
import { nodeFiles } from '../dist/src/io/node/node-files.js';
import { fixedFromText as d, textFromFixed } from '../dist/src/core/fixed/fixed.js';
import { openFramedLog } from '../dist/src/io/log/framed-log.js';
import { encodeJournalRecord } from '../dist/src/execution/journal/journal-record.js';
import { recover } from '../dist/src/execution/recovery/recovery.js';
import { ACCOUNT, journalOfOrders, recordsOf } from './journal-records.mjs';
import { startSandbox } from './sandbox-process.mjs';

const POSITIONS = 10;
const ORDERS_EACH = 4;
/** Numbers of the orders that are at the venue; those of the past count from 0. */
const LIVE_FROM = 1_000_000;
const RECORDS_A_SYNC = 5_000;

export async function startOver(folder, records, starts) {
  mkdirSync(folder);
  const sandbox = await startSandbox(['--no-limits', '--clock', 'real', '--seed', '1']);
  try {
    const { symbols, live } = await openAccount(sandbox);
    const stateDir = join(folder, 'state');
    await writeJournal(stateDir, sandbox, records, live);
    const { rebuildMs, compactionMs } = await readAlone(stateDir, join(folder, 'alone'));
    const tradingMs = [];
    for (let start = 0; start < starts; start += 1) {
      const copy = join(folder, `state-${start}`);
      cpSync(stateDir, copy, { recursive: true });
      tradingMs.push(await execToTrading(writeConfig(folder, copy, sandbox, symbols)));
      rmSync(copy, { recursive: true });
    }
    return { rebuildMs, compactionMs, tradingMs };
  } finally {
    await sandbox.stop();
  }
}

/** Opens positions and leaves orders at the venue, under ids of ours. @returns their journal */
async function openAccount({ baseUrl, secret }) {
  const requestJson = async (method, path, body) => {
    const headers = { 'x-authentication': secret, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await (await fetch(`${baseUrl}${path}`, init)).json();
    if (!answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const assets = (await requestJson('GET', '/fapi/v1/futures?limit=50')).slice(0, POSITIONS);
  const live = [];
  let number = LIVE_FROM;
  const place = async (terms, isOpen) => {
    const [, intent] = recordsOf(number, terms);
    const { orderId } = await requestJson('POST', `/fapi/v2/futures/order?symbol=${terms.symbol}`, {
      trigger_type: terms.type === 'limit' ? 'LIMIT' : 'MARKET',
      order_type: 'LONG',
      quantity: textFromFixed(terms.quantity),
      ...(terms.price && { order_price: textFromFixed(terms.price) }),
      client_order_id: intent.clientOrderId,
    }).then((data) => ({ orderId: data.id ?? data.order_id }));
    live.push(...recordsOf(number, terms, { orderId, isOpen }));
    number += 1;
  };
  for (const { symbol, price, quantity_step: step, price_step: tick } of assets) {
    await requestJson('POST', `/fapi/v1/futures/${symbol}/leverage?is_symbol`, { leverage: 10 });
    const quantity = d(decimalText(150 / Number(price), step));
    await place({ symbol, side: 'buy', type: 'market', quantity }, false);
    for (let order = 1; order <= ORDERS_EACH; order += 1) {
      const far = d(decimalText(Number(price) * (0.95 - order / 100), tick));
      await place({ symbol, side: 'buy', type: 'limit', quantity, price: far }, true);
    }
  }
  return { symbols: assets.map(({ symbol }) => symbol), live };
}

/** The next multiple of the step above, with the step's places. */
const decimalText = (value, step) => {
  const places = step.includes('.') ? step.split('.')[1].length : 0;
  const text = (Math.ceil(value / Number(step)) * Number(step)).toFixed(places);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
};

async function writeJournal(stateDir, { baseUrl }, records, live) {
  const clock = await (await fetch(`${baseUrl}/sandbox/clock`)).json();
  const log = await openFramedLog(nodeFiles, stateDir, 'journal');
  const header = { type: 'header', venueTime: Date.UTC(2025, 0, 1), account: ACCOUNT };
  log.append(encodeJournalRecord({ ...header, venue: baseUrl, instance: clock.instance_id }));
  for (const order of journalOfOrders()) {
    if (log.count + order.length + live.length > records) break;
    for (const record of order) log.append(encodeJournalRecord(record));
    if (log.count % RECORDS_A_SYNC < order.length) await log.sync();
  }
  // The positions at the venue are those of the live orders alone.
  log.append(
    encodeJournalRecord({
      ...{ type: 'position', venueTime: header.venueTime, symbol: 'BTCUSDT', currency: 'USDT' },
      ...{ quantity: d('0'), cause: 'bench' },
    }),
  );
  for (const record of live) log.append(encodeJournalRecord(record));
  await log.close();
}

/** Without a venue: reading and rebuilding, and the compaction that the stop after it makes. */
async function readAlone(stateDir, copy) {
  cpSync(stateDir, copy, { recursive: true });
  const options = { files: nodeFiles, directory: copy, account: ACCOUNT };
  const from = performance.now();
  const store = new JournalStore(options);
  const { log, records } = await store.openCompacted();
  recover(records, ACCOUNT);
  const rebuildMs = performance.now() - from;
  await log.close();
  const compactFrom = performance.now();
  await store.compactIfDue(log);
  const compactionMs = performance.now() - compactFrom;
  return { rebuildMs, compactionMs };
}

function execToTrading(config) {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    let stderrText = '';
    let tookMs;
    const child = spawn('node', ['bin/sluice.mjs', 'run', '--config', config, '--json']);
    child.stderr.on('data', (chunk) => {
      stderrText += chunk;
      if (tookMs !== undefined || !stderrText.includes('→ TRADING')) return;
      tookMs = performance.now() - from;
      child.kill('SIGTERM');
    });
    child.stdout.resume();
    child.on('close', () => {
      if (tookMs === undefined) reject(new Error(stderrText.slice(-2_000)));
      else resolve(tookMs);
    });
  });
}

function writeConfig(folder, stateDir, { baseUrl, wsUrl, secret }, symbols) {
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const path = join(folder, 'config.yaml');
  const text = `mode: sandbox
account: ${ACCOUNT}
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${secretFile}' }
state_dir: '${stateDir}'
on_stop: keep
strategies:
  - id: cross
    use: sma-cross
    symbols: [${symbols[0]}]
    leverage: 10
    size: { notional: '100' }
    params: { fast: 10, slow: 30 }
risk: { preset: standard, symbols_allow: [${symbols.join(', ')}] }
`;
  writeFileSync(path, text);
  return path;
}
