import { describe, expect, test } from 'vitest';
import { TransportError, type HttpResponse } from '../core/ports.js';
import { createSandboxNet } from './sandbox-net.js';
import { marketOrder, ORDER_PATH, readyToTrade, SECRET } from '../../test/harness/test-sandbox.js';

const BASE = 'http://sandbox:1';
const STREAM = 'ws://sandbox:1/fapi/v1/price/ws/linear';

async function setUp(faults: readonly unknown[] = []) {
  const desk = await readyToTrade();
  await desk.call('PUT', '/sandbox/faults', faults);
  const net = createSandboxNet(desk.sandbox, {
    baseUrl: BASE,
    wsUrl: 'ws://sandbox:1',
    scheduler: desk.time,
  });
  const place = () => {
    const seen: { reply?: HttpResponse; error?: TransportError } = {};
    net
      .request({
        method: 'POST',
        url: `${BASE}${ORDER_PATH}`,
        headers: { 'X-Authentication': SECRET },
        body: JSON.stringify(marketOrder('a')),
        timeoutMs: 10_000,
      })
      .then(
        (reply) => {
          seen.reply = reply;
        },
        (error: unknown) => {
          if (error instanceof TransportError) seen.error = error;
        },
      );
    return seen;
  };
  return { ...desk, net, place };
}

describe('the network in process', () => {
  test('carries a request there and back, with its latency', async () => {
    const { place, time } = await setUp();
    const seen = place();
    await time.advance(1);
    expect(seen.reply).toBeUndefined();
    await time.advance(1);
    expect(seen.reply?.status).toBe(202);
    expect(JSON.parse(seen.reply?.body ?? '')).toMatchObject({ success: true });
    expect(seen.reply?.headers['date']).toBe('Mon, 05 May 2025 00:00:00 GMT');
  });

  test('is silent until the time-out when the answer is lost, and does not claim that nothing left', async () => {
    const { place, time, sandbox } = await setUp([{ on: '*', fault: 'resp_lost' }]);
    const seen = place();
    await time.advance(9_999);
    expect(seen.error).toBeUndefined();
    await time.advance(1);
    expect(seen.error?.sent).toBe(true);
    expect(sandbox.exchange.order({ clientOrderId: 'a' })?.status).toBe('filled');
  });

  test('delivers a late landing after the caller gave up', async () => {
    const { place, time, sandbox } = await setUp([
      { on: '*', fault: 'req_delay', delay_ms: 30_000 },
    ]);
    const seen = place();
    await time.advance(10_000);
    expect(seen.error?.sent).toBe(true);
    expect(sandbox.exchange.order({ clientOrderId: 'a' })).toBeUndefined();
    await time.advance(25_000);
    expect(sandbox.exchange.order({ clientOrderId: 'a' })?.status).toBe('filled');
  });

  test('fails inside an answer that is cut', async () => {
    const { place, time } = await setUp([{ on: '*', fault: 'reset_mid_body' }]);
    const seen = place();
    await time.advance(2);
    expect(seen.error?.sent).toBe(true);
  });

  test('proves that nothing left when the address is another', async () => {
    const { net } = await setUp();
    const elsewhere = {
      method: 'GET',
      url: 'http://elsewhere:1/',
      headers: {},
      timeoutMs: 1,
    } as const;
    await expect(net.request(elsewhere)).rejects.toMatchObject({ sent: false });
  });

  test('opens, speaks, pings and closes a stream', async () => {
    const { net, time } = await setUp();
    const told: string[] = [];
    const socket = net.connect(STREAM, {
      onOpen: () => told.push('open'),
      onMessage: (text) => told.push(text),
      onAlive: () => told.push('alive'),
      onClose: (reason) => told.push(`closed: ${reason}`),
    });
    await time.advance(1);
    socket.send('{"id":1,"method":"SUBSCRIBE","params":["kline@1m@btcusdt"]}');
    socket.ping();
    await time.advance(2);
    socket.close();
    socket.close();
    await time.advance(2);
    expect(told).toEqual([
      'open',
      '{"method":"SUBSCRIBE","id":1,"result":"success"}',
      'alive',
      'closed: closed',
    ]);
  });

  test('tells of a refused handshake and of an idle close', async () => {
    const { net, time } = await setUp();
    const told: string[] = [];
    const handlers = {
      onOpen: () => undefined,
      onMessage: () => undefined,
      onAlive: () => undefined,
      onClose: (reason: string) => told.push(reason),
    };
    net.connect('ws://sandbox:1/fapi/v1/price/ws/spot', handlers);
    net.connect(STREAM, handlers);
    await time.advance(41_000);
    expect(told).toEqual(['handshake failed: HTTP 404', 'closed by the server']);
  });
});
