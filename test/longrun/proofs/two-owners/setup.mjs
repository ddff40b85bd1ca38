// What a scene needs: a sandbox of its own, a folder, configurations, and the sandbox's own picture.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep, startSandbox } from '../../../../bench/sandbox-process.mjs';

/** Venue seconds a second: a candle of one minute closes every three. */
export const RATE = 20;
export const SYMBOL = 'BTCUSDT';
const ACCOUNT = 'owners';
const SIZE_USDT = 150;
const PATIENCE_MS = 60_000;
const STRATEGY = fileURLToPath(new URL('./flipping-trader.ts', import.meta.url));

const configText = ({ baseUrl, wsUrl, folder, state, by, onStop }) => `
mode: sandbox
account: ${ACCOUNT}
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${join(folder, 'secret')}' }
state_dir: '${state}'
on_stop: ${onStop}
strategies:
  - id: coin
    use: '${STRATEGY}'
    symbols: [${SYMBOL}]
    size: { notional: '${SIZE_USDT}' }
    protect: { stop_loss_pct: 5 }
    params: { by: ${by} }
risk: { preset: standard, symbols_allow: [${SYMBOL}] }
`;

/** Held by `close`, which keeps the folder where `holds` is false. */
export async function openSetup(seed, options = ['--clock', `fast:${RATE}`]) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-owners-'));
  const sandbox = await startSandbox([...options, '--seed', String(seed)]);
  writeFileSync(join(folder, 'secret'), sandbox.secret, { mode: 0o600 });
  const requestJson = async (path, init) => (await fetch(`${sandbox.baseUrl}${path}`, init)).json();
  const scenarioSetup = {
    folder,
    ask: requestJson,
    pathOf: (name) => join(folder, name),
    /** @returns the path of a configuration whose state folder is `name` */
    config(name, { by = 'coin', onStop = 'keep' } = {}) {
      const path = join(folder, `${name}.yaml`);
      const { baseUrl, wsUrl } = sandbox;
      const state = join(folder, name);
      writeFileSync(path, configText({ baseUrl, wsUrl, folder, state, by, onStop }));
      return path;
    },
    /** As `cp -a` does. */
    copy: (from, to) =>
      cpSync(join(folder, from), join(folder, to), { recursive: true, preserveTimestamps: true }),
    /** A folder is taken away, and a copy of it put in its place. */
    restore(backup, name) {
      rmSync(join(folder, name), { recursive: true });
      scenarioSetup.copy(backup, name);
    },
    /** On a manual clock: the next candle closes. */
    nextCandle: () =>
      requestJson('/sandbox/clock', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance_ms: 60_000 }),
      }),
    venueMs: async () => (await requestJson('/sandbox/clock')).now_ms,
    orders: async () => ownOrders(await requestJson('/sandbox/state')),
    position: async () => signedPosition(await requestJson('/sandbox/state')),
    /** Waits until the venue has `count` orders of ours. */
    async untilOrders(count) {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const orders = await scenarioSetup.orders();
        if (orders.length >= count) return orders;
        if (performance.now() > until)
          throw new Error(`${orders.length} orders at the venue, ${count} were expected`);
        await sleep(100);
      }
    },
    async close(holds) {
      if (!holds)
        for (const what of ['state', 'requests'])
          writeFileSync(
            join(folder, `sandbox-${what}.json`),
            JSON.stringify(await requestJson(`/sandbox/${what}`)),
          );
      await sandbox.stop();
      if (holds) rmSync(folder, { recursive: true, force: true });
    },
  };
  return scenarioSetup;
}

/** Of our account name, by client order id; stops and targets are the venue's own. */
const ownOrders = ({ orders }) =>
  orders.filter(({ client_order_id: id }) => id && /-a\d+$/.test(id));

const signedPosition = ({ positions }) => {
  const row = positions.find(({ symbol }) => symbol === SYMBOL);
  if (row === undefined) return 0;
  return Number(row.quantity) * (row.order_type === 'SHORT' ? -1 : 1);
};
