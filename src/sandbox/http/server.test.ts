import { connect } from 'node:net';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { listen, PortInUseError, type SandboxServer } from './server.js';
import {
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  SECRET,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const POSITIONS = '/fapi/v1/futures/positions';

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

const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { 'X-Authentication': SECRET, ...headers },
    ...(body === undefined ? {} : { body }),
  });

function openStream(path = '/fapi/v1/price/ws/linear') {
  const socket = new WebSocket(`${server.wsUrl}${path}`);
  const texts: string[] = [];
  socket.on('message', (data) => texts.push((data as Buffer).toString('utf8')));
  const opened = new Promise<string>((resolve) => {
    socket.on('open', () => {
      resolve('open');
    });
    socket.on('error', (error) => {
      resolve(error.message);
    });
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', resolve);
  });
  const next = (count: number) =>
    expect.poll(() => texts.slice(0, count), { interval: 2, timeout: 5_000 });
  return { socket, texts, opened, closed, next };
}

describe('sandbox server', () => {
  test('the documented paths are served over HTTP with venue time as Date', async () => {
    const placed = await send('POST', ORDER_PATH, JSON.stringify(marketOrder('a')), {
      'Content-Type': 'application/json',
    });
    expect(placed.status).toBe(202);
    expect(placed.headers.get('date')).toBe('Mon, 05 May 2025 00:00:00 GMT');
    expect(placed.headers.get('content-type')).toContain('application/json');
    await testSandbox.time.advance(20);
    const found = await send('GET', '/fapi/v1/futures/orders/detail?client_order_id=a');
    expect(await found.json()).toMatchObject({ data: { status: 'FILLED' } });
  });

  test('a DELETE with a content type and no body, and a POST without a content type, are accepted', async () => {
    const canceled = await send('DELETE', '/fapi/v1/futures/orders?client_order_id=x', undefined, {
      'Content-Type': 'application/json',
    });
    expect(canceled.status).toBe(404);
    const placed = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'X-Authentication': SECRET };
      const request = httpRequest(`${server.baseUrl}${ORDER_PATH}`, { method: 'POST', headers });
      request.on('response', (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      request.on('error', reject);
      request.end(JSON.stringify(marketOrder('a')));
    });
    expect(placed).toBe(202);
  });

  test.each(['text/xml', 'garbage;;;', 'application/x-www-form-urlencoded', 'a/b; c=\u00e4'])(
    'a body is read with any content type: %s',
    async (type) => {
      const placed = await send('POST', ORDER_PATH, JSON.stringify(marketOrder('a')), {
        'Content-Type': type,
      });
      expect(placed.status).toBe(202);
    },
  );

  test('pairs with %2F or /, and odd paths, are routed', async () => {
    for (const pair of ['btc%2Fusdt', 'btc/usdt']) {
      const query = `assets=${pair}&aggregation=1m&start_time=1746403000&end_time=1746403140`;
      const reply = await fetch(`${server.baseUrl}/fapi/v1/price/kline?${query}`);
      expect(reply.status).toBe(200);
    }
    for (const path of ['/%zz', `/${'x'.repeat(500)}`, '//']) {
      const reply = await send('GET', path);
      expect(reply.status).toBe(404);
      expect(await reply.json()).toMatchObject({ success: false });
    }
  });

  test('a body above 1 MiB is refused with the envelope', async () => {
    const reply = await send('POST', ORDER_PATH, 'x'.repeat(1_048_577));
    expect(reply.status).toBe(413);
    expect(await reply.json()).toMatchObject({ success: false, errors: [{ code: 413 }] });
  });

  test('a lost answer breaks the connection, and a cut one breaks it inside the body', async () => {
    const order = JSON.stringify(marketOrder('a'));
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: 'POST /fapi/v2/futures/order', fault: 'resp_lost', count: 1 },
    ]);
    await expect(send('POST', ORDER_PATH, order)).rejects.toThrow();
    expect(testSandbox.sandbox.exchange.order({ clientOrderId: 'a' })).toBeDefined();
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: `GET ${POSITIONS}`, fault: 'reset_mid_body' },
    ]);
    const cut = await send('GET', POSITIONS);
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
  });

  test('the control paths are open to loopback', async () => {
    const reply = await fetch(`${server.baseUrl}/sandbox/clock`);
    expect(await reply.json()).toMatchObject({ instance_id: testSandbox.sandbox.instanceId });
  });

  test('the streams are served, pings answered, and compression is not offered', async () => {
    const { socket, next, opened } = openStream();
    expect(await opened).toBe('open');
    expect(socket.extensions).toBe('');
    socket.send('{"id":1,"method":"SUBSCRIBE","params":["kline@1m@btcusdt"]}');
    await next(1).toEqual(['{"method":"SUBSCRIBE","id":1,"result":"success"}']);
    const ponged = new Promise((resolve) => socket.on('pong', resolve));
    socket.ping();
    await ponged;
    testSandbox.sandbox.advance(60_000);
    await next(2).toEqual([
      expect.anything(),
      expect.stringContaining('"stream":"kline@1m@btcusdt"'),
    ]);
    socket.terminate();
  });

  test('a handshake on another path is refused as HTTP', async () => {
    const elsewhere = openStream('/fapi/v1/price/ws/spot');
    expect(await elsewhere.opened).toBe('Unexpected server response: 404');
  });

  test('the eleventh handshake within a minute is refused as HTTP', async () => {
    const limited = await openFundedSandbox({ limits: true });
    const own = await listen(limited.sandbox, { port: 0 });
    const opened: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      const socket = new WebSocket(`${own.wsUrl}/fapi/v1/price/ws/linear`);
      opened.push(
        await new Promise<string>((resolve) => {
          socket.on('open', () => {
            resolve('open');
          });
          socket.on('error', (error) => {
            resolve(error.message);
          });
        }),
      );
    }
    expect(opened).toEqual([...Array(10).fill('open'), 'Unexpected server response: 429']);
    await own.close();
    limited.sandbox.stop();
  });

  test('an idle connection is dropped without a close frame', async () => {
    const { opened, closed } = openStream();
    await opened;
    await testSandbox.time.advance(40_000);
    expect(await closed).toBe(1_006);
  });

  test('close ends at once with keep-alive and stream connections open', async () => {
    const idle = connect(server.port, '127.0.0.1');
    idle.on('error', () => idle.destroy());
    await new Promise((resolve) => idle.on('connect', resolve));
    await new Promise((resolve, reject) => {
      const request = httpRequest(`${server.baseUrl}/sandbox/clock`, (reply) => {
        reply.resume();
        reply.on('end', resolve);
      });
      request.on('error', reject);
      request.end();
    });
    const stream = openStream();
    await stream.opened;
    await server.close();
    expect(await stream.closed).toBe(1_006);
    await expect(fetch(`${server.baseUrl}/sandbox/clock`)).rejects.toThrow();
  });
});

describe('listening', () => {
  test('a port in use fails with a clear message', async () => {
    const again = listen(testSandbox.sandbox, { port: server.port });
    await expect(again).rejects.toThrow(PortInUseError);
    await expect(again).rejects.toThrow(`port ${server.port} on 127.0.0.1 is in use`);
  });

  test('a host other than loopback needs allowRemote', async () => {
    await expect(listen(testSandbox.sandbox, { port: 0, host: '0.0.0.0' })).rejects.toThrow(
      '0.0.0.0 is not loopback',
    );
    const open = await listen(testSandbox.sandbox, { port: 0, host: '0.0.0.0', allowRemote: true });
    await open.close();
  });
});
