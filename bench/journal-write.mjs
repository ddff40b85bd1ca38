// The write-ahead of an intent through the real outbox and logs: VERDICT, INTENT and ATTEMPT durable, then
// its bytes may leave. Events are recorded and made durable before, as in a run. Beside it what one synced
// write of the same disk costs, of which an intent waits for two: its events, then its records.
import { nodeFiles } from '../dist/src/io/node/node-files.js';
import { Outbox } from '../dist/src/engine/outbox.js';
import { openFramedLog } from '../dist/src/io/log/framed-log.js';
import { journalOfOrders } from './journal-records.mjs';
import { sleep } from './sandbox-process.mjs';

const EVENT = new TextEncoder().encode(JSON.stringify({ kind: 'tickers', rows: [] }).padEnd(400));
const PAUSE_MS = 5;

/** @returns ms from the decision to the moment at which the request may leave, for each intent */
export async function writeAhead(directory, intents) {
  const journal = await openFramedLog(nodeFiles, directory, 'journal');
  const record = await openFramedLog(nodeFiles, `${directory}/record`, '000001');
  let left;
  const outbox = new Outbox({
    journal,
    record,
    slot: () => undefined,
    send: () => left(),
    venueNow: () => 0,
    unsent: () => undefined,
    timer: () => () => undefined,
    fire: () => undefined,
    notify: () => undefined,
    failed: (error) => {
      throw error;
    },
    rescue: () => Promise.resolve(undefined),
  });
  const costs = [];
  const orders = journalOfOrders();
  for (let at = 0; at < intents; at += 1) {
    const [verdict, intent, attempt] = orders.next().value;
    record.append(EVENT);
    const from = performance.now();
    outbox.journal(verdict);
    outbox.journal(intent);
    // The slot is granted at once, as an event of its own.
    record.append(EVENT);
    outbox.journal(attempt);
    outbox.send(at, { kind: 'place', clientOrderId: intent.clientOrderId, terms: intent.terms });
    await new Promise((resolve) => {
      left = resolve;
      outbox.flush();
    });
    costs.push(performance.now() - from);
    await sleep(PAUSE_MS);
  }
  await outbox.drain();
  await journal.close();
  await record.close();
  return costs;
}

/** @returns ms of an append and its sync, alone: what the disk itself takes */
export async function syncedAppends(directory, count) {
  await nodeFiles.makeDirectory(directory);
  const file = await nodeFiles.openAppend(`${directory}/floor`);
  const costs = [];
  for (let at = 0; at < count; at += 1) {
    const from = performance.now();
    await file.append(EVENT);
    await file.sync();
    costs.push(performance.now() - from);
    await sleep(PAUSE_MS);
  }
  await file.close();
  return costs;
}
