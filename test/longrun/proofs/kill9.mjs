// The real daemon against the real sandbox, two processes: killed with SIGKILL over and over under
// faults and outages, each time started again on the same state. At the end it is left in peace for
// ten minutes at most, then told to flatten. The god view judges.
// Usage: npm run sim:kill9 [-- --kills 100] [--seed 1] [--json] [--keep]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { option, percentile, sleep, startSandbox } from '../../../bench/sandbox-process.mjs';
import { checkJournalAgainstVenue, readJournal } from './kill9/checks.mjs';
import { startDaemon } from './kill9/daemon.mjs';
import { armKillPoint, drawKillPoint } from './kill9/kill-points.mjs';
import { outagesOf, playOutage } from './kill9/outage.mjs';
import { seeded } from './kill9/seeded-rng.mjs';
import { openProxy } from './kill9/tcp-proxy.mjs';

const kills = option('kills', 100);
const seed = option('seed', 1);
const json = process.argv.includes('--json');
const keep = process.argv.includes('--keep');
const ACCOUNT = 'kill9';
/**
 * Each life uses about 45 of the 450 requests a minute that the bot allows itself: it sends 30 to 35, and
 * its start counts ten that the last one may have sent unsaved. Ten lives use the minute up, and the next
 * start would wait for it.
 */
const STARTS_PER_MINUTE = 8;
/** With their seconds and the tickers they fit on one connection (15 subscriptions). */
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT', 'ADAUSDT'];
const PLACE = 'POST /fapi/v2/futures/order';
const CANCEL = 'DELETE /fapi/v1/futures/orders*';
const FAULTS = [
  { on: PLACE, fault: 'resp_lost', probability: 0.1 },
  { on: PLACE, fault: 'req_lost', probability: 0.06 },
  { on: PLACE, fault: '500_after', probability: 0.08 },
  { on: PLACE, fault: '500_before', probability: 0.08 },
  { on: PLACE, fault: 'req_delay', probability: 0.08, delay_ms: 900 },
  { on: PLACE, fault: 'resp_delay', probability: 0.08, delay_ms: 400 },
  { on: PLACE, fault: 'dup_deliver', probability: 0.06 },
  { on: PLACE, fault: 'reset_mid_body', probability: 0.04 },
  { on: PLACE, fault: 'html_5xx', probability: 0.04 },
  { on: PLACE, fault: '423', probability: 0.05 },
  { on: PLACE, fault: '429', probability: 0.02 },
  { on: PLACE, fault: 'async_refuse', probability: 0.03 },
  { on: CANCEL, fault: 'resp_lost', probability: 0.1 },
  { on: CANCEL, fault: '500_before', probability: 0.1 },
  { on: 'GET /fapi/v1/futures/orders/detail', fault: '500_before', probability: 0.05 },
];

const configText = ({ baseUrl, wsUrl, folder, onStop }) => `
mode: sandbox
account: ${ACCOUNT}
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${join(folder, 'secret')}' }
state_dir: '${join(folder, 'state')}'
on_stop: ${onStop}
strategies:
${SYMBOLS.map(
  (symbol) => `  - id: restless-${symbol.toLowerCase()}
    use: '${fileURLToPath(new URL('./kill9/busy-trader.ts', import.meta.url))}'
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '150' }
    protect: { stop_loss_pct: 2 }`,
).join('\n')}
risk: { preset: standard, symbols_allow: [${SYMBOLS.join(', ')}] }
`;

const logOf = (number) => join(folder, 'lives', `${String(number).padStart(4, '0')}.log`);
const log = (text) => process.stderr.write(`kill9: ${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'sluice-kill9-'));
mkdirSync(join(folder, 'lives'));
const stateDir = join(folder, 'state');
const config = join(folder, 'kill9.yaml');
const flattening = join(folder, 'flatten.yaml');
/** The count of connections is the address's, and goes with it. */
const moveTo = (number) => {
  tap.moveTo(number);
  rmSync(join(stateDir, 'connections.json'), { force: true });
};
let current;
let interrupted = false;
process.once('SIGINT', () => {
  interrupted = true;
  current?.child.kill('SIGKILL');
});

const sandbox = await startSandbox(['--clock', 'real', '--seed', String(seed)]);
const tap = await openProxy(Number(new URL(sandbox.baseUrl).port));
const requestJson = async (method, path, body) => {
  const init = { method, headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${sandbox.baseUrl}${path}`, {
    ...init,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
};
let holds = false;
try {
  const here = (scheme) => `${scheme}://127.0.0.1:${tap.port}`;
  writeFileSync(join(folder, 'secret'), sandbox.secret, { mode: 0o600 });
  const venue = { baseUrl: here('http'), wsUrl: here('ws'), folder };
  writeFileSync(config, configText({ ...venue, onStop: 'cancel-entries' }));
  writeFileSync(flattening, configText({ ...venue, onStop: 'flatten' }));
  await requestJson('PUT', '/sandbox/faults', FAULTS);
  const killed = await runKills();
  if (!interrupted) holds = await checkOutcome(killed);
} finally {
  current?.child.kill('SIGKILL');
  tap.close();
  await sandbox.stop();
  if (holds && !keep) rmSync(folder, { recursive: true, force: true });
  else
    log(
      `kept: ${folder} (lives/*.log, state/, verdict.json); again: npm run sim:kill9 -- --kills ${kills} --seed ${seed}`,
    );
}
process.exit(interrupted ? 130 : holds ? 0 : 1);

async function runKills() {
  const random = seeded(seed);
  const [recoveries, engines, moments, own] = [[], [], {}, []];
  const [starts, outages] = [[], outagesOf(kills)];
  let [number, count] = [0, 0];
  const startNext = async () => {
    number += 1;
    moveTo(number);
    await waitForStartQuota(starts);
    current = startDaemon(['--config', config], logOf(number));
    if (interrupted) current.child.kill('SIGKILL');
    return current;
  };
  const end = (ended, kind) => {
    moments[kind] = (moments[kind] ?? 0) + 1;
    if (ended.signal === 'SIGKILL') count += 1;
    else own.push(`a life (${kind}) ended by itself with code ${ended.code}`);
    if (count % 10 === 0) log(`${count} of ${kills} killed`);
  };
  while (count < kills && !interrupted && own.length <= 5) {
    if (outages.delete(count)) {
      log('the venue is away for longer than an entry is valid');
      const { lives, faults } = await playOutage({ random, tap, begin: startNext });
      for (const ended of lives) end(ended, 'outage');
      own.push(...(interrupted ? [] : faults));
      continue;
    }
    const moment = drawKillPoint(random);
    const { child, ended } = await startNext();
    const disarm = armKillPoint(moment, {
      life: current,
      tap,
      journalPath: join(stateDir, 'journal.log'),
      kill: () => child.kill('SIGKILL'),
    });
    await ended;
    disarm();
    end(current, moment.kind);
    if (current.recoveryMs === undefined) continue;
    recoveries.push(current.recoveryMs);
    engines.push(current.engineMs);
  }
  return { kills: count, recoveries, engines, moments, endedThemselves: own };
}

/** At once, but for a minute that has had its share. */
async function waitForStartQuota(starts) {
  const before = starts.at(-STARTS_PER_MINUTE) ?? -Infinity;
  while (!interrupted && performance.now() < before + 60_000) await sleep(100);
  starts.push(performance.now());
}

/** No faults and no price that moves: whatever is unproved now is proved, and stays as it is. */
async function checkOutcome({ recoveries, engines, moments, endedThemselves, ...killed }) {
  await requestJson('DELETE', '/sandbox/faults');
  const struck = await requestJson('GET', '/sandbox/faults');
  const { prices } = await requestJson('GET', '/sandbox/state');
  for (const symbol of SYMBOLS) {
    await requestJson('POST', '/sandbox/price', { symbol, price: prices[symbol].last });
  }
  await sleep(3_000);
  moveTo(kills + 1_000);
  // What left and may still land is waited for: ten minutes, after which nothing is unknown.
  for (const seconds of [6, 30, 150, 600]) {
    current = startDaemon(
      ['--config', config, '--duration', `${seconds}s`, '--json'],
      logOf('last'),
    );
    await current.ended;
    recoveries.push(current.recoveryMs ?? Number.NaN);
    if (current.code === 0 || interrupted) break;
    log(`not yet reconciled after a last life of ${seconds} s`);
  }
  const unknown = summaryOf(current)?.unknown ?? 'not told';
  if (unknown !== 0) endedThemselves.push(`unknown after ten quiet minutes: ${unknown}`);
  await flatten();
  const summary = summaryOf(current);
  const state = await requestJson('GET', '/sandbox/state');
  const left = leftOpen(state);
  const { requests } = await requestJson('GET', '/sandbox/requests');
  const records = await readJournal(stateDir);
  const found = checkJournalAgainstVenue({ account: ACCOUNT, records, state, summary });
  const sorted = recoveries.toSorted((a, b) => a - b);
  const verdict = {
    ...killed,
    duplicates: found.duplicates.length,
    lost: found.lost.length,
    phantom: found.phantom.length,
    unknown,
    left_open: left.length,
    recovery_p99_ms: Math.round(percentile(sorted, 0.99)),
    recovery_p50_ms: Math.round(percentile(sorted, 0.5)),
    recovery_engine_p99_ms: Math.round(
      percentile(
        engines.toSorted((a, b) => a - b),
        0.99,
      ),
    ),
    recoveries: sorted.length,
    ended_themselves: endedThemselves.length,
    orders: found.orders,
    intents: found.intents,
    moments,
    seed,
  };
  const { duplicates, lost, phantom } = found;
  const violations = [...duplicates, ...lost, ...phantom, ...left, ...endedThemselves];
  writeFileSync(
    join(folder, 'verdict.json'),
    JSON.stringify({ verdict, violations, recoveries, struck, summary, state, requests }, null, 1),
  );
  for (const text of violations) log(text);
  print(verdict);
  return violations.length === 0 && verdict.recovery_p99_ms <= 5_000 && verdict.orders > 0;
}

/** A last life that closes what is open as it stops. */
async function flatten() {
  const { positions } = await requestJson('GET', '/sandbox/state');
  log(`flatten: ${positions.length} positions are open`);
  current = startDaemon(['--config', flattening, '--duration', '5s', '--json'], logOf('flatten'));
  await current.ended;
}

/** Sentences on the positions and orders that a flatten has left. */
function leftOpen({ positions, orders }) {
  const open = orders.filter(({ status }) => status === 'CREATED');
  return [
    ...positions.map(({ symbol, quantity }) => `${quantity} ${symbol} is left after flatten`),
    ...open.map(({ order_id: id, symbol }) => `order ${id} of ${symbol} is left after flatten`),
  ];
}

/** undefined: it did not end as it should. */
function summaryOf({ code, stdout }) {
  return code === 0 ? JSON.parse(stdout.trim().split('\n').at(-1)) : undefined;
}

function print(verdict) {
  if (json) console.log(JSON.stringify(verdict));
  else
    for (const [key, value] of Object.entries(verdict))
      console.log(key.padEnd(18), JSON.stringify(value));
}
