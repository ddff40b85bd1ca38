import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen, type SandboxServer } from './server.js';
import {
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  SECRET,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const FUNDS = '/fapi/v1/futures/funds';
const AUTH = `Host: 127.0.0.1\r\nX-Authentication: ${SECRET}\r\n`;
const DATE = 'date: Mon, 05 May 2025 00:00:00 GMT\r\n';
const JSON_TYPE = 'content-type: application/json; charset=utf-8\r\n';
const KEPT = 'Connection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\n';
const NOT_FOUND =
  '{"success":false,"errors":[{"code":404,"text":"requested resource was not found"}]}';
const TOO_LARGE =
  '{"success":false,"errors":[{"code":413,"text":"request body is larger than 1 MiB"}]}';

let testSandbox: TestSandbox;
let server: SandboxServer;
beforeEach(async () => {
  testSandbox = await openFundedSandbox();
  server = await listen(testSandbox.sandbox, { port: 0 });
});
afterEach(async () => {
  await server.close();
  testSandbox.sandbox.stop();
});

interface Wire {
  readonly received: () => string;
  readonly closed: Promise<void>;
  readonly write: (bytes: string | Buffer) => void;
  readonly end: () => void;
}

function open(host = '127.0.0.1'): Wire {
  const socket = connect(server.port, host);
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  socket.on('error', () => socket.destroy());
  return {
    received: () => received,
    closed: new Promise((resolve) => socket.on('close', () => resolve())),
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.destroy(),
  };
}

/** The reply to these bytes, up to the last expected byte. */
async function rawReply(bytes: string, length: number): Promise<string> {
  const wire = open();
  wire.write(bytes);
  await expect
    .poll(() => wire.received().length, { timeout: 5_000 })
    .toBeGreaterThanOrEqual(length);
  wire.end();
  return wire.received();
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${AUTH}${more}\r\n`;

describe('the bytes of an answer', () => {
  test('a read has the date of the venue, its type and length, and keeps the connection', async () => {
    const body =
      '{"success":true,"data":{"balance":"10000","locked_amount":"0","first_time_user":true}}';
    const expected = `HTTP/1.1 200 OK\r\n${DATE}${JSON_TYPE}content-length: ${body.length}\r\n${KEPT}${body}`;
    expect(await rawReply(get(FUNDS), expected.length)).toBe(expected);
  });

  test('HEAD has only the head of the answer', async () => {
    const expected = `HTTP/1.1 404 Not Found\r\n${DATE}${JSON_TYPE}content-length: ${NOT_FOUND.length}\r\n${KEPT}`;
    expect(await rawReply(`HEAD ${FUNDS} HTTP/1.1\r\n${AUTH}\r\n`, expected.length)).toBe(expected);
  });

  test.each(['OPTIONS', 'PATCH', 'PUT', 'TRACE', 'PROPFIND', 'LOCK'])(
    '%s of an unknown path is the 404 of the interface',
    async (method) => {
      const expected = `HTTP/1.1 404 Not Found\r\n${DATE}${JSON_TYPE}content-length: ${NOT_FOUND.length}\r\n${KEPT}${NOT_FOUND}`;
      expect(await rawReply(`${method} ${FUNDS} HTTP/1.1\r\n${AUTH}\r\n`, expected.length)).toBe(
        expected,
      );
    },
  );

  test('the body of a GET is skipped, and the next request on the connection is read', async () => {
    const wire = open();
    wire.write(`GET ${FUNDS} HTTP/1.1\r\n${AUTH}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`);
    wire.write(`0\r\n\r\n${get('/fapi/v1/futures/ping', 'Connection: close\r\n')}`);
    await wire.closed;
    const statuses = [...wire.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '200']);
  });

  test('HTTP/1.0 is answered and its connection closed', async () => {
    const wire = open();
    wire.write(`GET ${FUNDS} HTTP/1.0\r\n${AUTH}\r\n`);
    await wire.closed;
    expect(wire.received()).toContain('HTTP/1.1 200 OK');
    expect(wire.received()).toContain('Connection: close');
  });
});

describe('a body', () => {
  const post = (more: string): string => `POST ${ORDER_PATH} HTTP/1.1\r\n${AUTH}${more}\r\n`;

  test('a body of exactly 1 MiB is read, and one byte more is refused before it is sent', async () => {
    const exact = open();
    exact.write(post('Content-Length: 1048576\r\nConnection: close\r\n'));
    exact.write(Buffer.alloc(1_048_576, 0x78));
    await exact.closed;
    expect(exact.received()).toContain('HTTP/1.1 400 Bad Request');
    const beyond = open();
    beyond.write(post('Content-Length: 1048577\r\n'));
    await beyond.closed;
    expect(beyond.received()).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\nconnection: close\r\n/);
    expect(beyond.received().endsWith(TOO_LARGE)).toBe(true);
  });

  test('a chunked body is refused when it exceeds 1 MiB', async () => {
    const wire = open();
    wire.write(post('Transfer-Encoding: chunked\r\n'));
    wire.write('1e8480\r\n');
    wire.write(Buffer.alloc(2_000_000, 0x78));
    await wire.closed;
    expect(wire.received()).toContain('HTTP/1.1 413 Payload Too Large');
  });

  test('a body may wait for 100 Continue, and may split a character', async () => {
    const order = Buffer.from(JSON.stringify({ ...marketOrder('a'), note: 'é' }));
    const wire = open();
    wire.write(
      post(`Content-Length: ${order.length}\r\nExpect: 100-continue\r\nConnection: close\r\n`),
    );
    await expect.poll(wire.received, { timeout: 5_000 }).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const cut = order.indexOf(0xc3) + 1;
    wire.write(order.subarray(0, cut));
    wire.write(order.subarray(cut));
    await wire.closed;
    expect(wire.received()).toContain('HTTP/1.1 202 Accepted');
  });
});

describe('the answer of a fault', () => {
  const strike = (fault: string) =>
    testSandbox.call('PUT', '/sandbox/faults', [{ on: `GET ${FUNDS}`, fault }]);

  test('a redirect has a type and no body', async () => {
    await strike('redirect(303 http://127.0.0.1:9/x)');
    const expected = `HTTP/1.1 303 See Other\r\n${DATE}location: http://127.0.0.1:9/x\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 0\r\n${KEPT}`;
    expect(await rawReply(get(FUNDS), expected.length)).toBe(expected);
  });

  test('an answer with an invalid header is a 500, and the server continues', async () => {
    await strike('redirect(307 http://127.0.0.1/\u2192)');
    expect(await rawReply(get(FUNDS), 190)).toContain('HTTP/1.1 500 Internal Server Error');
    expect(await rawReply(get('/fapi/v1/futures/ping'), 190)).toContain('HTTP/1.1 200 OK');
  });

  test('a gzip bomb has the length of its compressed bytes', async () => {
    await strike('gzip_bomb');
    const reply = await rawReply(get(FUNDS), 32_000);
    const length = Number(/content-length: (\d+)/.exec(reply)?.[1]);
    expect(reply.length - reply.indexOf('\r\n\r\n') - 4).toBe(length);
  });
});

test('localhost means every loopback address of this machine, on one port', async () => {
  const both = await listen(testSandbox.sandbox, { port: 0, host: 'localhost' });
  const answered: string[] = [];
  for (const host of ['127.0.0.1', '[::1]']) {
    try {
      const reply = await fetch(`http://${host}:${both.port}/sandbox/clock`);
      answered.push(`${reply.status}`);
    } catch {
      answered.push('none');
    }
  }
  expect(answered[0]).toBe('200');
  // A machine without IPv6 has only the first one.
  expect(['200', 'none']).toContain(answered[1]);
  await both.close();
  await expect(fetch(`http://127.0.0.1:${both.port}/sandbox/clock`)).rejects.toThrow();
});
