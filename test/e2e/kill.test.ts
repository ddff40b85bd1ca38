import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespaceOf } from '../../src/core/ids.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { openFramedLog } from '../../src/io/log/framed-log.js';
import { decodeJournalRecord } from '../../src/execution/journal/journal-record.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox } from '../support/rigs/served-sandbox.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const folder = temporaryFolder();

beforeAll(() => {
  // The compiled daemon runs as a process.
  execFileSync('node', ['scripts/prepare.mjs', '--dev'], { cwd: ROOT, stdio: 'ignore' });
}, 120_000);
afterAll(() => {
  folder.remove();
});

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runNode(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('node', args, { cwd: ROOT });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** Signals come every few candles. A candle is ten seconds long, and a signal is valid for two. */
const configText = (baseUrl: string, wsUrl: string, secret: string, stateDir: string): string => `
mode: sandbox
account: doomed
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${secret}' }
state_dir: '${stateDir}'
strategies:
${['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'LINKUSDT']
  .map(
    (symbol) => `  - id: cross-${symbol.slice(0, 3).toLowerCase()}
    use: sma-cross
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '100' }
    protect: { stop_loss_pct: 2 }
    params: { fast: 2, slow: 3 }`,
  )
  .join('\n')}
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT, SOLUSDT, XRPUSDT, LINKUSDT] }
`;

const POINTS = ['intent-journaled', 'attempt-journaled', 'bytes-sent', 'answer-read'] as const;

describe('a daemon killed with SIGKILL', () => {
  it.concurrent.each(POINTS)(
    'killed at %s, the restarted daemon proves each intent: one order, one fence, or dropped',
    async (point) => {
      const served = await serveSandbox({
        clock: { kind: 'fast', factor: 6 },
        instanceId: `kill-${point}`,
        limits: false,
      });
      try {
        const { baseUrl, wsUrl } = served.server;
        if (point === 'bytes-sent') {
          // The answer is delayed for longer than the daemon runs.
          const rule = [
            { on: 'POST /fapi/v2/futures/order', fault: 'resp_delay', delay_ms: 1_000 },
          ];
          const body = JSON.stringify(rule);
          const headers = { 'content-type': 'application/json' };
          await fetch(`${baseUrl}/sandbox/faults`, { method: 'PUT', headers, body });
        }
        const secret = join(folder.path, `secret-${point}`);
        const stateDir = join(folder.path, `state-${point}`);
        const config = join(folder.path, `${point}.yaml`);
        writeFileSync(secret, served.sandbox.secret, { mode: 0o600 });
        writeFileSync(config, configText(baseUrl, wsUrl, secret, stateDir));

        const first = await runNode(['test/e2e/crashing-daemon.mjs', config, point]);
        expect(first.signal, first.stderr).toBe('SIGKILL');
        const intents = await idsOf(stateDir, 'intent');
        expect(intents.length).toBeGreaterThan(0);

        await fetch(`${baseUrl}/sandbox/faults`, { method: 'DELETE' });
        const second = await runNode([
          'bin/sluice.mjs',
          'run',
          '--config',
          config,
          '--duration',
          '6s',
          '--json',
        ]);
        expect(second.code, second.stderr).toBe(0);
        const summary: unknown = JSON.parse(second.stdout.trim().split('\n').at(-1) ?? '');
        expect(summary).toMatchObject({ reconciled: true, unknown: 0 });

        const orders = served.sandbox.exchange.allOrders();
        // An entry of the previous run is never sent: it is dropped, or a fence uses up its id.
        const dropped = await idsOf(stateDir, 'dropped');
        const fenced = await idsOf(stateDir, 'fence');
        for (const id of intents) {
          const own = orders.filter((order) => order.clientOrderId === id);
          const ended = dropped.includes(id) ? [] : [fenced.includes(id) ? 'canceled' : 'filled'];
          expect(
            own.map((order) => order.status),
            `${id}\n${second.stderr}`,
          ).toEqual(ended);
        }
        const prefix = `${namespaceOf('doomed')}-`;
        const ids = orders.flatMap(({ clientOrderId }) =>
          clientOrderId?.startsWith(prefix) === true ? [clientOrderId] : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
      } finally {
        await served.close();
      }
    },
    120_000,
  );
});

/** Every record of a durable type. */
async function idsOf(
  stateDir: string,
  type: 'intent' | 'dropped' | 'fence',
): Promise<readonly string[]> {
  const log = await openFramedLog(nodeFiles, stateDir, 'journal');
  const ids = log
    .read()
    .map(decodeJournalRecord)
    .flatMap((record) => (record.type === type ? [record.clientOrderId] : []));
  await log.close();
  return ids;
}
