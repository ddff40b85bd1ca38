// 200 connections × 15 one-second streams on a real clock. Every connection must
// receive each frame that one of them receives. Lateness counts from the end of the frame's second.
// Usage: npm run bench:streams [-- --connections 200 --seconds 30]
import WebSocket from 'ws';
import { option, percentile, sleep, startSandbox } from './sandbox-process.mjs';

const connections = option('connections', 200);
const seconds = option('seconds', 30);
const SYMBOLS = ['btc', 'eth', 'sol', 'xrp', 'bnb', 'doge', 'ada', 'link'].map(
  (base) => `${base}usdt`,
);
const STREAMS = [
  ...SYMBOLS.map((symbol) => `kline@1s@${symbol}`),
  ...SYMBOLS.slice(0, 7).map((symbol) => `markKline@1s@${symbol}`),
];

const sandbox = await startSandbox(['--no-limits', '--clock', 'real', '--seed', '1']);
const lateness = [];
/** stream + second → number of connections that received it */
const receivedFrames = new Map();
let counting = false;
let broken = 0;

function listen() {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${sandbox.wsUrl}/fapi/v1/price/ws/linear`);
    socket.on('open', () => {
      socket.send(JSON.stringify({ id: 1, method: 'SUBSCRIBE', params: STREAMS }));
    });
    socket.on('message', (bytes) => {
      const receivedAt = Date.now();
      const text = bytes.toString();
      if (text.startsWith('{"method"')) {
        if (text.includes('"success"')) resolve(socket);
        else reject(new Error(text));
        return;
      }
      if (!counting) return;
      const { stream, data } = JSON.parse(text);
      // The frame of a second leaves when the second is over.
      lateness.push(receivedAt - (data.t + 1) * 1_000);
      const key = `${stream} ${data.t}`;
      receivedFrames.set(key, (receivedFrames.get(key) ?? 0) + 1);
    });
    socket.on('close', () => {
      broken += 1;
    });
    socket.on('error', reject);
  });
}

const sockets = [];
try {
  for (let index = 0; index < connections; index += 1) sockets.push(await listen());
  const ping = setInterval(() => {
    for (const socket of sockets) socket.ping();
  }, 15_000);
  await sleep(2_000);
  counting = true;
  const from = Math.ceil(Date.now() / 1_000);
  await sleep(seconds * 1_000);
  const to = Math.floor(Date.now() / 1_000) - 1;
  await sleep(1_000);
  counting = false;
  clearInterval(ping);
  const whole = [...receivedFrames].filter(([key]) => {
    const second = Number(key.split(' ')[1]);
    return second > from && second < to;
  });
  const lost = whole.reduce((sum, [, count]) => sum + connections - count, 0);
  lateness.sort((a, b) => a - b);
  const result = {
    connections,
    streams: STREAMS.length,
    frames: lateness.length,
    lost,
    connections_broken: broken,
    late_p50_ms: percentile(lateness, 0.5),
    late_p99_ms: percentile(lateness, 0.99),
    late_max_ms: lateness.at(-1),
    rss_mb: Math.round(sandbox.memory() / 1e6),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = lost === 0 && broken === 0 ? 0 : 1;
} finally {
  for (const socket of sockets) socket.terminate();
  await sandbox.stop();
}
