import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFundedSandbox, type TestSandbox } from '../../../test/support/rigs/test-sandbox.js';
import { listen, type SandboxServer } from '../http/server.js';

let testSandbox: TestSandbox;
let server: SandboxServer;
beforeAll(async () => {
  testSandbox = await openFundedSandbox();
  server = await listen(testSandbox.sandbox, {
    port: 0,
    host: '127.0.0.2',
    allowHosts: ['sandbox.local'],
  });
});
afterAll(async () => {
  await server.close();
  testSandbox.sandbox.stop();
});

type Headers = Readonly<Record<string, string>>;

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
}

/** Sends exactly these headers, without those a browser or client would add. */
function send(method: string, path: string, headers: Headers, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.2', port: server.port, method, path, headers });
    request.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      response.on('end', () => {
        resolve({ status: response.statusCode, text });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const PRICE = JSON.stringify({ symbol: 'BTCUSDT', release: true });
const read = (headers: Headers) => send('GET', '/sandbox/state', headers);

describe('host check of control paths', () => {
  test.each([
    'localhost',
    'LOCALHOST:8787',
    '127.0.0.1:1',
    '127.9.8.7',
    '[::1]:8787',
    '127.0.0.2',
    'sandbox.local:80',
  ])('a request to host %s is answered', async (host) => {
    expect((await read({ host })).status).toBe(200);
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:127',
    '10.0.0.1',
    'localhost.',
    '::1.evil.example',
  ])('a page whose name "%s" resolves to loopback is refused', async (host) => {
    const { status, text } = await read({ host });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ success: false, errors: [{ code: 403 }] });
    expect(text).toContain('--allow-host');
  });
});

describe('origin check of control paths', () => {
  test.each([
    'http://evil.example',
    'null',
    'https://localhost',
    'http://localhost:81',
    'http://127.0.0.1:80',
    'http://localhost:80.evil.example',
  ])('a request of the page %s is refused, for reads and writes', async (origin) => {
    const headers = { host: 'localhost:80', origin };
    const { status, text } = await read(headers);
    expect([status, text]).toEqual([403, expect.stringContaining('without an Origin header')]);
    const written = await send('POST', '/sandbox/price', { ...headers, ...JSON_TYPE }, PRICE);
    expect(written.status).toBe(403);
    expect((await send('DELETE', '/sandbox/faults', headers)).status).toBe(403);
  });

  test('a request of the sandbox’s own origin is allowed', async () => {
    const headers = { host: 'localhost:80', origin: 'http://localhost:80', ...JSON_TYPE };
    expect((await send('POST', '/sandbox/price', headers, PRICE)).status).toBe(200);
  });
});

describe('content type check of control paths', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/plain; application/json',
  ])('a body of a type that forms can send is refused: %s', async (type) => {
    const headers = { host: 'localhost', 'content-type': type };
    const { status, text } = await send('POST', '/sandbox/price', headers, PRICE);
    expect(status).toBe(415);
    expect(JSON.parse(text)).toMatchObject({
      success: false,
      errors: [{ text: expect.stringContaining('Content-Type: application/json') }],
    });
  });

  test('a body without a type is refused', async () => {
    const { status } = await send('PUT', '/sandbox/faults', { host: 'localhost' }, '[]');
    expect(status).toBe(415);
  });

  test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json ;charset=x'])(
    'a body of type %s is accepted',
    async (type) => {
      const headers = { host: 'localhost', 'content-type': type };
      expect((await send('POST', '/sandbox/price', headers, PRICE)).status).toBe(200);
    },
  );

  test('a request without a body needs no type', async () => {
    expect((await send('DELETE', '/sandbox/faults', { host: 'localhost' })).status).toBe(200);
  });
});

test('the documented paths check only the key', async () => {
  const headers = { host: 'evil.example', 'x-authentication': testSandbox.sandbox.secret };
  expect((await send('GET', '/fapi/v1/futures/funds', headers)).status).toBe(200);
});

test('a request from this process is not checked', async () => {
  expect((await testSandbox.call('GET', '/sandbox/clock', undefined, {})).status).toBe(200);
});
