import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const SECRET = 'sandbox-secret';
const folder = temporaryFolder();
let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox({ secret: SECRET, limits: false });
  writeFileSync(join(folder.path, 'secret'), SECRET);
  chmodSync(join(folder.path, 'secret'), 0o600);
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

/** The answer in front of the sandbox; undefined: requests reach the sandbox. */
type Front = () => { readonly status: number; readonly body: string } | undefined;

async function behind(front: Front): Promise<{ readonly url: string; readonly server: Server }> {
  const target = new URL(served.server.baseUrl);
  const server = createServer((incoming, outgoing) => {
    const instead = front();
    if (instead !== undefined) {
      outgoing.writeHead(instead.status, { 'content-type': 'text/html' }).end(instead.body);
      return;
    }
    const { method, url, headers } = incoming;
    const options = { host: target.hostname, port: target.port, method, path: url };
    const forward = httpRequest(
      { ...options, headers: { ...headers, host: target.host } },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

let files = 0;
function configOf(baseUrl: string): string {
  const path = join(folder.path, `${(files += 1)}.yaml`);
  writeFileSync(
    path,
    `mode: sandbox
account: down
venue:
  base_url: ${baseUrl}
  ws_url: ${served.server.baseUrl.replace('http', 'ws')}
  api_secret_file: ${join(folder.path, 'secret')}
state_dir: ${join(folder.path, `state-${files}`)}
strategies:
  - { id: a, use: sma-cross, symbols: [BTCUSDT], size: { notional: '250' } }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`,
  );
  return path;
}

const run = (config: string, duration: string) =>
  runSluice(['run', '--config', config, '--duration', duration, '--json']);

describe('a venue that is down when the daemon starts', () => {
  it.each([
    ['answers 500', { status: 500, body: 'oops' }],
    ['answers 503 with a page', { status: 503, body: '<html>maintenance</html>' }],
    ['says that there are too many requests', { status: 429, body: '{}' }],
  ])('the daemon waits while the venue %s, and trades when it is back', async (_, instead) => {
    let requestCount = 0;
    const { url, server } = await behind(() => ((requestCount += 1) <= 2 ? instead : undefined));
    const { exitCode, stdout, stderr } = await run(configOf(url), '5s');
    server.close();
    server.closeAllConnections();
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(/the venue cannot be used yet, for 0 s: .*Next try in 1 s/);
    expect(stderr).toMatch(/the venue cannot be used yet, for 1 s: .*Next try in 2 s/);
    expect(stderr).toMatch(/the venue answers, after 3 s/);
    expect(JSON.parse(stdout)).toMatchObject({
      reconciled: true,
      venue_down: null,
      pnl: '0',
      realised_pnl: '0',
      unrealised_pnl: '0',
      venue_positions: [],
      venue_positions_age_ms: expect.any(Number) as number,
    });
  });

  it('Ctrl-C ends the wait with a summary that lists the unknown values', async () => {
    const { url, server } = await behind(() => ({ status: 500, body: 'oops' }));
    let signal: (name: 'SIGINT') => void = () => undefined;
    const cliResult = runSluice(['run', '--config', configOf(url), '--json'], {
      onSignal: (listener) => {
        signal = listener;
        return () => undefined;
      },
      stderr: (text) => {
        if (text.includes('Next try in 2 s')) signal('SIGINT');
      },
    });
    const { exitCode, stdout } = await cliResult;
    server.close();
    server.closeAllConnections();
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      reconciled: false,
      unknown: null,
      mode: 'STARTING',
    });
  });

  it('a refused key ends the start at once, since waiting does not help', async () => {
    const config = configOf(served.server.baseUrl);
    writeFileSync(join(folder.path, 'wrong'), 'another');
    chmodSync(join(folder.path, 'wrong'), 0o600);
    writeFileSync(config, readFileSync(config, 'utf8').replace(/secret$/m, 'wrong'));
    const { exitCode, stderr } = await run(config, '60s');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/refuses the key/);
    expect(stderr).not.toMatch(/cannot be used yet/);
  });
});
