import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { listen, type SandboxServer } from './server.js';
import {
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  SECRET,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const FUNDS = '/fapi/v1/futures/funds';
const EIGHT_MB = 8 * 1_048_576;

let testSandbox: TestSandbox;
let server: SandboxServer;
let ledger: unknown;
const ledgerNow = () =>
  (JSON.parse(testSandbox.sandbox.state()) as { wallets: unknown; internal_errors: unknown })
    .wallets;

beforeEach(async () => {
  testSandbox = await openFundedSandbox();
  server = await listen(testSandbox.sandbox, { port: 0 });
  ledger = ledgerNow();
});

/** After any input the process runs, the ledger is consistent and there is no internal error. */
afterEach(async () => {
  const reply = await fetch(`${server.baseUrl}${FUNDS}`, {
    headers: { 'X-Authentication': SECRET },
  });
  expect(reply.status).toBe(200);
  expect(ledgerNow()).toEqual(ledger);
  expect(JSON.parse(testSandbox.sandbox.state())).toMatchObject({ internal_errors: [] });
  await server.close();
  testSandbox.sandbox.stop();
});

/** Sends raw bytes and returns everything received until the other side closes, or is silent for 2 s. */
const raw = (...pieces: readonly (string | Buffer)[]): Promise<string> => exchange(pieces, 2_000);

function exchange(pieces: readonly (string | Buffer)[], silentMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1');
    let said = '';
    socket.on('data', (data) => (said += data.toString('latin1')));
    // A server that has refused a body may close before reading all of it.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      resolve(said);
    });
    for (const piece of pieces) socket.write(piece);
    socket.on('connect', () => socket.setTimeout(silentMs, () => socket.destroy()));
  });
}

const envelopeIn = (said: string): unknown => JSON.parse(said.slice(said.indexOf('\r\n\r\n') + 4));

describe('bad input over HTTP', () => {
  test.each([
    ['no HTTP at all', 'hello?\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nrubbish\r\n\r\n', 400],
    [
      'a header name of control characters',
      'GET / HTTP/1.1\r\nHost: a\r\n\x01\x02: 1\r\n\r\n',
      400,
    ],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400],
    ['an unknown method', 'BREW /coffee HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    [
      'two content lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    ['an invalid content length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n', 400],
    [
      'invalid chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    [
      'more headers than fit',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
    ],
  ])('%s is refused with the envelope', async (_what, bytes, status) => {
    const said = await raw(bytes);
    expect(said).toContain(`HTTP/1.1 ${status} `);
    expect(envelopeIn(said)).toMatchObject({ success: false, errors: [{ code: status }] });
  });

  test('a body of 8 MB is refused, with or without a declared length', async () => {
    const head = `POST ${ORDER_PATH} HTTP/1.1\r\nHost: a\r\nX-Authentication: ${SECRET}\r\n`;
    const body = Buffer.alloc(EIGHT_MB, 0x78);
    const declared = await raw(`${head}Content-Length: ${EIGHT_MB}\r\n\r\n`, body);
    expect(declared).toContain('HTTP/1.1 413 ');
    const chunk = `${EIGHT_MB.toString(16)}\r\n`;
    const chunked = await raw(
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
      body,
      '\r\n0\r\n\r\n',
    );
    expect(chunked === '' || chunked.includes('HTTP/1.1 413 ')).toBe(true);
  });

  test.each([
    ['{"trigger_type":', 400],
    ['[]', 400],
    ['null', 400],
    ['"text"', 400],
    ['{"quantity":1e999}', 400],
    ['{"quantity":NaN}', 400],
    [`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
    [`{"client_order_id":"${'x'.repeat(500_000)}"}`, 400],
    ['{"__proto__":{"quantity":"1"},"constructor":null}', 400],
    ['\uFEFF{}', 400],
  ])('a body of %.40s is refused with the envelope', async (body, status) => {
    for (const path of [
      ORDER_PATH,
      '/fapi/v1/futures/BTCUSDT/order?is_symbol',
      '/fapi/v1/wallet/futures/transfer',
    ]) {
      const reply = await fetch(`${server.baseUrl}${path}`, {
        method: 'POST',
        headers: { 'X-Authentication': SECRET, 'Content-Type': 'application/json' },
        body,
      });
      expect(reply.status).toBe(status);
      expect(await reply.json()).toMatchObject({ success: false });
    }
  });

  test.each(['{', '[{}]', '7', '[{"on":"*","fault":"ws_drop"}]', '[{"on":7,"fault":"resp_lost"}]'])(
    'a fault list of %s is refused with an explanation',
    async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      const reply = await fetch(`${server.baseUrl}/sandbox/faults`, {
        method: 'PUT',
        headers,
        body,
      });
      expect(reply.status).toBe(400);
    },
  );

  test('pipelined requests are answered in order', async () => {
    const get = (path: string, more = '') =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Authentication: ${SECRET}\r\n${more}\r\n`;
    const said = await raw(
      `${get(FUNDS)}${get('/fapi/v1/nowhere')}${get('/fapi/v1/futures/ping', 'Connection: close\r\n')}`,
    );
    const statuses = [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '404', '200']);
    expect(said.indexOf('balance')).toBeLessThan(said.indexOf('pong'));
  });

  test('a slow client delays no other client and is answered when its request is complete', async () => {
    const socket = connect(server.port, '127.0.0.1');
    let said = '';
    socket.on('data', (data) => (said += data.toString('latin1')));
    socket.write(`GET ${FUNDS} HTTP/1.1\r\nHost: a\r\n`);
    const other = await fetch(`${server.baseUrl}${FUNDS}`, {
      headers: { 'X-Authentication': SECRET },
    });
    expect(other.status).toBe(200);
    socket.write(`X-Authentication: ${SECRET}\r\n\r\n`);
    await expect.poll(() => said, { timeout: 5_000 }).toContain('HTTP/1.1 200 ');
    socket.destroy();
  });

  test('a client that disconnects inside its body has placed nothing', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const body = JSON.stringify(marketOrder('half'));
    socket.write(
      `POST ${ORDER_PATH} HTTP/1.1\r\nHost: a\r\nX-Authentication: ${SECRET}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
      () => socket.destroy(),
    );
    await new Promise((resolve) => socket.on('close', resolve));
    expect(testSandbox.sandbox.exchange.allOrders()).toEqual([]);
  });

  test('a gzip bomb arrives compressed', async () => {
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: `GET /futures/funds`, fault: 'gzip_bomb', count: 1 },
    ]);
    const request = `GET ${FUNDS} HTTP/1.1\r\nHost: a\r\nX-Authentication: ${SECRET}\r\nConnection: close\r\n\r\n`;
    // A busy machine needs seconds to compress it.
    const said = await exchange([request], 60_000);
    expect(said).toContain('content-encoding: gzip');
    expect(said.length).toBeLessThan(100_000);
  }, 90_000);
});

describe('bad input over WebSocket', () => {
  const open = async () => {
    const socket = new WebSocket(`${server.wsUrl}/fapi/v1/price/ws/linear`);
    const texts: string[] = [];
    socket.on('message', (data) => texts.push((data as Buffer).toString('utf8')));
    socket.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('open', resolve));
    return { socket, texts, closed };
  };

  test.each([
    ['a binary frame', Buffer.from([0, 255, 1, 2])],
    ['an empty frame', ''],
    ['no JSON', 'PING'],
    ['half of JSON', '{"id":1,"method":"SUBS'],
    ['JSON that is no object', '[1,2,3]'],
    ['a NUL', '\u0000'],
    ['deep nesting', '['.repeat(100_000)],
  ])('%s is answered as invalid JSON, and the connection stays open', async (_what, frame) => {
    const { socket, texts } = await open();
    socket.send(frame);
    socket.send('{"id":2,"method":"LIST_SUBSCRIPTIONS"}');
    await expect.poll(() => texts.length, { timeout: 5_000 }).toBe(2);
    expect(texts[0]).toBe('{"method":"","id":0,"error":{"code":400,"msg":"invalid JSON"}}');
    expect(texts[1]).toContain('"subscriptions":[]');
    socket.terminate();
  });

  test('a frame of 8 MB ends only its own connection', async () => {
    const [large, other] = [await open(), await open()];
    large.socket.send('x'.repeat(EIGHT_MB));
    expect([1_006, 1_009]).toContain(await large.closed);
    other.socket.send('{"id":2,"method":"LIST_SUBSCRIPTIONS"}');
    await expect.poll(() => other.texts.length, { timeout: 5_000 }).toBe(1);
    other.socket.terminate();
  });

  test('a request for 30,000 streams is refused as a whole', async () => {
    const { socket, texts } = await open();
    const params = Array.from({ length: 30_000 }, (_, index) => `kline@1s@s${index}usdt`);
    socket.send(JSON.stringify({ id: 1, method: 'SUBSCRIBE', params }));
    await expect.poll(() => texts.length, { timeout: 5_000 }).toBe(1);
    expect(texts[0]).toContain('"code":429');
    socket.terminate();
  });

  test('bytes that are not a frame end the connection', async () => {
    const said = await raw(
      'GET /fapi/v1/price/ws/linear HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]),
    );
    expect(said).toContain('101 Switching Protocols');
  });

  test('a handshake without a key is refused', async () => {
    const said = await raw(
      'GET /fapi/v1/price/ws/linear HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    );
    expect(said).toContain('HTTP/1.1 4');
  });
});
