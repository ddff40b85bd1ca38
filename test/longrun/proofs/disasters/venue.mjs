// The sandbox of a scene: a process of its own, spoken to over HTTP only.
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../../bench/sandbox-process.mjs';
import { openProxy } from '../kill9/tcp-proxy.mjs';

const JSON_BODY = { 'content-type': 'application/json' };
const STEP_MS = 200;
const ENDED = new Set(['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED', 'SYSTEM_CANCELLED']);
/** Client order ids of the bot; stops and targets are the venue's own orders. */
const OWN_ID = /-a\d+$/;

/** @param {{ clock: string, start: string, isProxied?: boolean }} options */
export async function openVenue({ clock, start, isProxied = false }) {
  const sandbox = await startSandbox(['--clock', clock, '--start', start]);
  const { port } = new URL(sandbox.baseUrl);
  const proxy = isProxied ? await openProxy(Number(port)) : undefined;
  const ask = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${sandbox.baseUrl}${path}`, {
      method,
      headers: { ...JSON_BODY, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
  let { secret } = sandbox;
  const venue = {
    baseUrl: proxy === undefined ? sandbox.baseUrl : `http://127.0.0.1:${proxy.port}`,
    wsUrl: proxy === undefined ? sandbox.wsUrl : `ws://127.0.0.1:${proxy.port}`,
    /** Each connection of the daemon ends; another one can be made. */
    breakConnections() {
      proxy.goDown();
      proxy.comeUp();
    },
    get secret() {
      return secret;
    },
    state: async () => stateOf(await ask('GET', '/sandbox/state')),
    control: (path, body) => ask('POST', `/sandbox/${path}`, body),
    faults: (...rules) => ask('PUT', '/sandbox/faults', rules),
    /** Injections of each rule. */
    async struck() {
      const { faults } = await ask('GET', '/sandbox/faults');
      return faults.map(({ struck }) => struck);
    },
    requests: async () => (await ask('GET', '/sandbox/requests')).requests,
    /** As an app of the account's owner. */
    person: (method, path, body) => ask(method, path, body, { 'X-Authentication': secret }),
    async rotate(next) {
      await venue.control('secret', { secret: next });
      secret = next;
    },
    setPrice: (symbol, price) =>
      venue.control('price', { symbol, price: Number(price).toPrecision(6) }),
    /** Moves prices by this share at a constant rate. */
    async slide(symbols, share, seconds) {
      const { prices } = await venue.state();
      const from = performance.now();
      for (let passed = 0; passed < seconds;) {
        await sleep(STEP_MS);
        passed = Math.min(seconds, (performance.now() - from) / 1_000);
        const factor = (1 + share) ** (passed / seconds);
        for (const symbol of symbols) await venue.setPrice(symbol, prices[symbol].last * factor);
      }
    },
    async stop() {
      proxy?.close();
      await sandbox.stop();
    },
  };
  return venue;
}

function stateOf(state) {
  const stopIsLive = ({ stoploss: stop }) =>
    state.orders.some(({ order_id: id, status }) => id === stop?.order_id && !ENDED.has(status));
  const positions = state.positions.map((row) => ({
    symbol: row.symbol,
    quantity: Number(row.quantity) * (row.order_type === 'SHORT' ? -1 : 1),
    notional: Number(row.quantity) * Number(row.entry_price),
    hasStop: row.stoploss !== undefined && stopIsLive(row),
  }));
  const own = state.orders.filter(({ client_order_id: id }) => id && OWN_ID.test(id));
  return {
    ...state,
    positions,
    own,
    open: own.filter(({ status }) => !ENDED.has(status)),
    entries: own.filter(({ reduce_only: reduces }) => !reduces).length,
    quantity: (symbol) => positions.find((each) => each.symbol === symbol)?.quantity ?? 0,
    hasStop: (symbol) => positions.some((each) => each.symbol === symbol && each.hasStop),
  };
}
