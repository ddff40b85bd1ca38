// Requests on a sandbox at a fixed rate, real clock, no limits: 90 % reads, 10 % place or cancel far
// from the market. Latency counts from the moment a request was due, so a stall is not forgotten.
// Usage: npm run bench:sandbox [-- --rate 2000 --seconds 30]
import { Pool } from 'undici';
import { option, percentile, sleep, startSandbox } from './sandbox-process.mjs';

const rate = option('rate', 2_000);
const seconds = option('seconds', 30);
const CONNECTIONS = 64;
const WARM_UP_MS = 3_000;
const SAMPLES = 10;

const sandbox = await startSandbox(['--no-limits', '--clock', 'real', '--seed', '1']);
const pool = new Pool(sandbox.baseUrl, { connections: CONNECTIONS, pipelining: 1 });
const headers = { 'x-authentication': sandbox.secret, 'content-type': 'application/json' };

async function sendRequest(method, path, body) {
  const { statusCode, body: answer } = await pool.request({
    method,
    path,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: statusCode, text };
}

const now = Math.floor(Date.now() / 1_000);
const READS = [
  '/fapi/v1/futures/positions',
  '/fapi/v1/futures/orders',
  '/fapi/v1/futures/funds',
  '/fapi/v1/futures/orders/history',
  '/fapi/v1/futures/BTCUSDT?is_symbol',
  '/fapi/v1/futures/BTCUSDT/leverage?is_symbol',
  '/fapi/v1/wallet/funds',
  `/fapi/v1/price/kline?assets=btc/usdt&aggregation=1m&start_time=${now - 3_600}&end_time=${now}`,
];
const PLACE = '/fapi/v2/futures/order?symbol=BTCUSDT';
const CANCEL = '/fapi/v1/futures/orders?client_order_id=';

const set = await sendRequest('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', {
  leverage: 5,
});
if (set.status !== 200) throw new Error(`leverage: ${set.status} ${set.text}`);
const asset = JSON.parse(
  (await sendRequest('GET', '/fapi/v1/futures/BTCUSDT?is_symbol')).text,
).data;
const farPrice = (Math.floor(Number(asset.price) * 5) / 10).toFixed(1);

let placed = 0;
const waiting = [];

function place() {
  placed += 1;
  const id = `bench-${placed}`;
  return sendRequest('POST', PLACE, {
    trigger_type: 'LIMIT',
    order_type: 'LONG',
    quantity: '0.002',
    order_price: farPrice,
    client_order_id: id,
  }).then((answer) => {
    if (answer.status === 202) waiting.push(id);
    return { ...answer, expectedStatus: 202 };
  });
}

function next(index) {
  if (index % 10 !== 0)
    return sendRequest('GET', READS[index % READS.length]).then(expectingStatus);
  const id = waiting.length > 20 ? waiting.shift() : undefined;
  return id === undefined ? place() : sendRequest('DELETE', `${CANCEL}${id}`).then(expectingStatus);
}

const expectingStatus = (answer) => ({ ...answer, expectedStatus: 200 });

const megabytes = () => Math.round(sandbox.memory() / 1e6);

/** The resident set after each tenth of the time. */
function sampleMemory(forMs) {
  const samples = [];
  const timer = setInterval(() => {
    if (samples.push(megabytes()) === SAMPLES) clearInterval(timer);
  }, forMs / SAMPLES);
  return { samples, stop: () => clearInterval(timer) };
}

async function run(forMs, latencies) {
  const startedAt = performance.now();
  const pending = new Set();
  let sent = 0;
  let wrong = 0;
  while (performance.now() - startedAt < forMs) {
    const due = Math.floor(((performance.now() - startedAt) * rate) / 1_000);
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (sent * 1_000) / rate;
      const answer = next(sent)
        .then(({ status, wanted }) => {
          if (status !== wanted) wrong += 1;
          latencies.push(performance.now() - dueAt);
        })
        .finally(() => pending.delete(answer));
      pending.add(answer);
    }
    await sleep(1);
  }
  await Promise.all(pending);
  return { sent, wrong, perSecond: (sent * 1_000) / (performance.now() - startedAt) };
}

try {
  await run(WARM_UP_MS, []);
  const latencies = [];
  const before = megabytes();
  const memory = sampleMemory(seconds * 1_000);
  const { sent, wrong, perSecond } = await run(seconds * 1_000, latencies);
  memory.stop();
  latencies.sort((a, b) => a - b);
  const result = {
    requests: sent,
    wrong,
    per_second: Math.round(perSecond),
    p50_ms: Number(percentile(latencies, 0.5).toFixed(2)),
    p99_ms: Number(percentile(latencies, 0.99).toFixed(2)),
    max_ms: Number((latencies.at(-1) ?? 0).toFixed(2)),
    rss_before_mb: before,
    rss_after_mb: megabytes(),
    rss_mb: memory.samples,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = wrong === 0 ? 0 : 1;
} finally {
  await pool.close();
  await sandbox.stop();
}
