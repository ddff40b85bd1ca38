// The cost of alerts for the thread of the engine: 100 events a second against a webhook that never answers.
// Measures `record` (the engine's note) and a step of the notifier with 25 alerts, and the delay of a timer of
// 1 ms beside them, with and without the alerts. Usage: npm run bench:notify [-- --seconds 10]
import { createServer } from 'node:http';
import { programOptions } from '../scripts/program-options.mjs';
import { ChannelQueue } from '../dist/src/notify/channel/channel-queue.js';
import { WebhookChannel } from '../dist/src/notify/channel/webhook-channel.js';
import { Notifier } from '../dist/src/notify/notifier.js';
import { NO_PAGES } from '../dist/src/notify/alert/page-budget.js';
import { createUndiciHttp } from '../dist/src/io/net/undici-http.js';
import { nodeClock } from '../dist/src/io/node/node-clock.js';
import { nodeScheduler } from '../dist/src/io/node/node-scheduler.js';

const { seconds } = programOptions(import.meta.url, { seconds: { type: 'number', default: 10 } });
const EVENTS_PER_SECOND = 100;
const silent = () => undefined;

const stuck = createServer(silent);
await new Promise((resolve) => stuck.listen(0, '127.0.0.1', resolve));
const net = createUndiciHttp({ connectionsPerOrigin: 1 });
const queue = new ChannelQueue({
  channel: new WebhookChannel(
    {
      url: `http://127.0.0.1:${stuck.address().port}/`,
      secret: 'shared',
      levels: new Set(['page', 'message', 'digest']),
    },
    { net, clock: nodeClock },
  ),
  clock: nodeClock,
  scheduler: nodeScheduler,
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
const notifier = new Notifier({
  account: 'bench',
  mode: 'sandbox',
  session: 'bench',
  timeZone: 'Asia/Kolkata',
  quietHours: undefined,
  digestMinute: undefined,
  pageTimes: NO_PAGES,
});
const conditions = Array.from({ length: 25 }, (_, at) => ({
  kind: 'feed_dead',
  scope: `SYMBOL${at}`,
  text: 'no price',
}));

const before = await delays(seconds);
const records = [];
const steps = [];
let recorded = 0;
const events = setInterval(() => {
  const at = performance.now();
  const kind = recorded % 2 === 0 ? 'error' : 'warning';
  notifier.record({ kind, scope: `S${recorded % 10}`, text: 'the venue refuses' }, Date.now());
  records.push(performance.now() - at);
  recorded += 1;
}, 1_000 / EVENTS_PER_SECOND);
const stepping = setInterval(() => {
  const at = performance.now();
  const now = { utcMs: Date.now(), monotonic: performance.now() };
  for (const notice of notifier.step(conditions, now, () => '')) queue.enqueue(notice);
  steps.push(performance.now() - at);
}, 1_000);
const during = await delays(seconds);
clearInterval(events);
clearInterval(stepping);

row('timer of 1 ms, no alerts', before);
row('timer of 1 ms, with alerts', during);
row('record an event', records);
row('step with 25 alerts', steps);
process.stdout.write(
  `events ${recorded}, delivered ${queue.delivered}, waiting ${queue.waiting}\n`,
);
await queue.close();
await net.close();
stuck.closeAllConnections();
stuck.close();

/** Lateness of timers of 1 ms, ms. */
async function delays(forSeconds) {
  const found = [];
  const until = performance.now() + forSeconds * 1_000;
  while (performance.now() < until) {
    const at = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
    found.push(performance.now() - at - 1);
  }
  return found;
}

function row(name, all) {
  const sorted = [...all].sort((a, b) => a - b);
  const us = (part) => Math.round((sorted[Math.floor((sorted.length - 1) * part)] ?? 0) * 1_000);
  process.stdout.write(
    `${name.padEnd(28)} p50 ${us(0.5)} us, p99 ${us(0.99)} us, max ${us(1)} us (${all.length})\n`,
  );
}
