import { get } from 'node:http';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clockMode } from './cli-values.js';
import type { Io, SandboxOptions } from './command-options.js';
import { nodeClock } from './ports/node-clock.js';
import { nodeFiles } from './ports/node-files.js';
import { nodeRandom } from './ports/node-random.js';
import { nodeScheduler } from './ports/node-scheduler.js';
import { sandboxCommand } from './sandbox-command.js';

const OPTIONS: SandboxOptions = {
  port: 0,
  listen: '127.0.0.1',
  seed: 1,
  clock: clockMode('manual'),
  startMs: Date.UTC(2025, 4, 5),
  quirks: 'none',
  assume: {},
  limits: true,
  retainOrders: 20_000,
  spot: { USDT: '100000', INR: '10000000' },
  futures: { USDT: '123.45', INR: '1000000' },
  json: true,
  debug: false,
};

/** Starts the command; `said` resolves with what it says first. */
function start(options: Partial<SandboxOptions>): {
  said: Promise<string>;
  stop: () => void;
  ended: Promise<number>;
} {
  let stop: () => void = () => undefined;
  let say: (text: string) => void = () => undefined;
  const said = new Promise<string>((resolve) => (say = resolve));
  const io: Io = {
    stdout: say,
    stderr: () => undefined,
    isTerminal: false,
    env: {},
    onSignal(listener) {
      stop = () => {
        listener('SIGINT');
      };
      return () => undefined;
    },
    clock: nodeClock,
    scheduler: nodeScheduler,
    random: nodeRandom,
    files: nodeFiles,
  };
  const ended = sandboxCommand({ ...OPTIONS, ...options }, io);
  return {
    said,
    stop: () => {
      stop();
    },
    ended,
  };
}

interface Addresses {
  readonly base_url: string;
  readonly ws_url: string;
  readonly api_secret: string;
}

test('serves from its first line on, and ends on a signal', async () => {
  const sandbox = start({});
  const line = await sandbox.said;
  expect(line.endsWith('}\n')).toBe(true);
  const addresses = JSON.parse(line) as Addresses;
  expect(Object.keys(addresses)).toEqual(['base_url', 'ws_url', 'api_secret']);
  expect(addresses.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(addresses.ws_url).toBe(addresses.base_url.replace('http', 'ws'));
  expect(addresses.api_secret.length).toBeGreaterThanOrEqual(32);

  const funds = `${addresses.base_url}/fapi/v1/futures/funds`;
  const answer = await fetch(funds, { headers: { 'X-Authentication': addresses.api_secret } });
  expect(await answer.json()).toMatchObject({ success: true, data: { balance: '123.45' } });
  expect((await fetch(funds, { headers: { 'X-Authentication': 'wrong' } })).status).toBe(401);

  sandbox.stop();
  expect(await sandbox.ended).toBe(0);
  await expect(fetch(`${addresses.base_url}/sandbox/state`)).rejects.toThrow();
});

test('tells a person where it is, and a command to try', async () => {
  const sandbox = start({ json: false, secret: 'my-secret' });
  const text = await sandbox.said;
  expect(text).toContain("curl -s -H 'X-Authentication: my-secret'");
  expect(text).toContain('2025-05-05T00:00:00.000Z');
  sandbox.stop();
  await sandbox.ended;
});

test('answers control paths under the names of --allow-host, and under no other', async () => {
  const sandbox = start({ allowHosts: ['box.local'] });
  const { base_url: baseUrl } = JSON.parse(await sandbox.said) as Addresses;
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(`${baseUrl}/sandbox/clock`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  expect(await statusFor('Box.local:8787')).toBe(200);
  expect(await statusFor('page.example')).toBe(403);
  sandbox.stop();
  await sandbox.ended;
});

test('draws a secret of its own each time', async () => {
  const both = [start({}), start({})];
  const [first, second] = await Promise.all(
    both.map(async ({ said }) => JSON.parse(await said) as Addresses),
  );
  for (const { stop } of both) stop();
  await Promise.all(both.map(({ ended }) => ended));
  expect(first?.api_secret).not.toBe(second?.api_secret);
});

test('says so when the port is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(start({ port }).ended).rejects.toThrow(
    `port ${port} on 127.0.0.1 is in use; take another, or --port 0 for a free one`,
  );
  await new Promise((resolve) => other.close(resolve));
});

describe('a file of faults', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'faults-'));
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  const file = (text: string): string => {
    const path = join(directory, 'faults.json');
    writeFileSync(path, text);
    return path;
  };

  test('strikes from the first request on', async () => {
    const faults = file('[{"on":"GET /fapi/v1/futures/funds","fault":"html_5xx","count":1}]');
    const sandbox = start({ faults });
    const { base_url: baseUrl, api_secret: secret } = JSON.parse(await sandbox.said) as Addresses;
    const ask = (): Promise<Response> =>
      fetch(`${baseUrl}/fapi/v1/futures/funds`, { headers: { 'X-Authentication': secret } });
    expect((await ask()).status).toBeGreaterThanOrEqual(500);
    expect((await ask()).status).toBe(200);
    sandbox.stop();
    await sandbox.ended;
  });

  test.each([
    ['not json', 'faults.json: Unexpected token'],
    ['[{"on":"*","fault":"flood"}]', 'faults.json: faults[0].fault "flood" is unknown'],
  ])('that holds %s is refused with its name', async (text, message) => {
    await expect(start({ faults: file(text) }).ended).rejects.toThrow(message);
  });
});
