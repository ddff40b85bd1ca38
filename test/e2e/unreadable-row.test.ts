import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const ORDER_SPEC = fileURLToPath(new URL('../fixtures/constant-target.ts', import.meta.url));
const SECRET = 'sandbox-secret';
/** Reads of the positions that contain the invalid row. */
const ODD_READS = 6;
const ODD_ROW =
  '{"id":"odd","position_id":"odd","symbol":"ETHUSDT","status":"OPEN","order_type":"LONG",' +
  `"quantity":1${'0'.repeat(90)},"entry_price":"2000","leverage":"3","initial_margin":"1",` +
  '"maintenance_margin":"1","trade_currency":"USDT"}';

const folder = temporaryFolder();
let served: ServedSandbox;
let front: Server;
let url = '';
let reads = 0;

/** The sandbox with a row of absurd length in the first lists of USDT positions. */
async function answerOf(method: string, path: string, headers: Headers, body: Buffer) {
  const target = `${served.server.baseUrl}${path}`;
  const reply = await fetch(target, { method, headers, ...(body.length > 0 && { body }) });
  const text = await reply.text();
  const isList = path.includes('/futures/positions?') && path.includes('USDT');
  const isOdd = method === 'GET' && isList && (reads += 1) <= ODD_READS;
  // An empty list is `null`.
  const list = text.replace('"data":null', '"data":[]');
  const end = list.lastIndexOf(']');
  const row = list[end - 1] === '[' ? ODD_ROW : `,${ODD_ROW}`;
  const shown = isOdd ? `${list.slice(0, end)}${row}${list.slice(end)}` : text;
  return { status: reply.status, text: shown };
}

beforeAll(async () => {
  served = await serveSandbox({
    secret: SECRET,
    limits: false,
    clock: { kind: 'fast', factor: 60 },
  });
  front = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(incoming.headers))
        if (typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name))
          headers.set(name, value);
      const { method = 'GET', url: path = '/' } = incoming;
      answerOf(method, path, headers, Buffer.concat(chunks)).then(
        ({ status, text }) =>
          outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text),
        () => outgoing.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  writeFileSync(join(folder.path, 'secret'), SECRET);
  chmodSync(join(folder.path, 'secret'), 0o600);
});
afterAll(async () => {
  front.close();
  front.closeAllConnections();
  await served.close();
  folder.remove();
});

it('only the symbol of the absurd row is not traded, until the row is valid', async () => {
  const config = join(folder.path, 'rows.yaml');
  writeFileSync(
    config,
    `mode: sandbox
account: rows
venue:
  base_url: ${url}
  ws_url: ${served.server.wsUrl}
  api_secret_file: ${join(folder.path, 'secret')}
state_dir: ${join(folder.path, 'state')}
on_stop: flatten
strategies:
  - { id: a, use: '${ORDER_SPEC}', symbols: [BTCUSDT, ETHUSDT], size: { notional: '100' } }
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT] }
`,
  );
  const printed: string[] = [];
  const { exitCode, stdout, stderr } = await runSluice(
    ['run', '--config', config, '--duration', '14s', '--json'],
    { stderr: (text) => void printed.push(...text.split('\n')) },
  );
  const matchesOf = (pattern: RegExp): number => printed.findIndex((line) => pattern.test(line));
  const times = (pattern: RegExp): number => printed.filter((line) => pattern.test(line)).length;
  const all = `${printed.join('\n')}${stderr}`;
  expect(times(/"ETHUSDT is unknown: its row of the positions in USDT does not read/), all).toBe(1);
  expect(times(/ETHUSDT reads again/), all).toBe(1);
  const bought = matchesOf(/bought .* BTCUSDT/);
  expect(bought).toBeGreaterThan(matchesOf(/ETHUSDT is unknown/));
  expect(bought).toBeLessThan(matchesOf(/ETHUSDT reads again/));
  expect(matchesOf(/bought .* ETHUSDT/)).toBeGreaterThan(matchesOf(/ETHUSDT reads again/));
  expect(exitCode, all).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ unreadable: {}, reconciled: true, positions: [] });
  const replay = await runSluice(['replay', join(folder.path, 'state'), '--json']);
  expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
});
