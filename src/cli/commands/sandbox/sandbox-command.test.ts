import { get } from 'node:http';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Io } from '../../command-io.js';
import type { SandboxCommandOptions } from './sandbox-options.js';
import { nodeClock } from '../../../io/node/node-clock.js';
import { nodeFiles } from '../../../io/node/node-files.js';
import { nodeFolders } from '../../../io/node/node-folders.js';
import { nodeRandom } from '../../../io/node/node-random.js';
import { nodeScheduler } from '../../../io/node/node-scheduler.js';
import { sandboxCommand } from './sandbox-command.js';

const OPTIONS: SandboxCommandOptions = {
  port: 0,
  listen: '127.0.0.1',
  seed: 1,
  clock: { kind: 'manual' },
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

/** Starts the command. `firstOutput` resolves with its first output. */
function start(options: Partial<SandboxCommandOptions>): {
  firstOutput: Promise<string>;
  stop: () => void;
  ended: Promise<number>;
} {
  let stop: () => void = () => undefined;
  let onOutput: (text: string) => void = () => undefined;
  const firstOutput = new Promise<string>((resolve) => (onOutput = resolve));
  const io: Io = {
    stdout: onOutput,
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
    folders: nodeFolders,
  };
  const ended = sandboxCommand({ ...OPTIONS, ...options }, io);
  return {
    firstOutput,
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

test('the sandbox serves from its first line on, and stops on a signal', async () => {
  const sandbox = start({});
  const line = await sandbox.firstOutput;
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

test('the banner shows the addresses and a command to try', async () => {
  const sandbox = start({ json: false, secret: 'my-secret' });
  const text = await sandbox.firstOutput;
  expect(text).toContain("curl -s -H 'X-Authentication: my-secret'");
  expect(text).toContain('2025-05-05T00:00:00.000Z');
  sandbox.stop();
  await sandbox.ended;
});

test('control paths answer under the names of --allow-host, and under no other', async () => {
  const sandbox = start({ allowHosts: ['box.local'] });
  const { base_url: baseUrl } = JSON.parse(await sandbox.firstOutput) as Addresses;
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

test('each sandbox generates a new secret', async () => {
  const both = [start({}), start({})];
  const [first, second] = await Promise.all(
    both.map(async ({ firstOutput }) => JSON.parse(await firstOutput) as Addresses),
  );
  for (const { stop } of both) stop();
  await Promise.all(both.map(({ ended }) => ended));
  expect(first?.api_secret).not.toBe(second?.api_secret);
});

test('a port in use is reported', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(start({ port }).ended).rejects.toThrow(
    `port ${port} on 127.0.0.1 is in use; choose another, or --port 0 for a free one`,
  );
  await new Promise((resolve) => other.close(resolve));
});

describe('a fault file', () => {
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

  test('the faults apply from the first request on', async () => {
    const faults = file('[{"on":"GET /fapi/v1/futures/funds","fault":"html_5xx","count":1}]');
    const sandbox = start({ faults });
    const { base_url: baseUrl, api_secret: secret } = JSON.parse(
      await sandbox.firstOutput,
    ) as Addresses;
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
  ])('a fault file that holds %s is refused with its name', async (text, message) => {
    await expect(start({ faults: file(text) }).ended).rejects.toThrow(message);
  });
});
