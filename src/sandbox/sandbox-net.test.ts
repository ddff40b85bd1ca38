import { describe, expect, test } from 'vitest';
import { TransportError, type HttpResponse } from '../core/ports.js';
import { createSandboxNet } from './sandbox-net.js';
import {
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  SECRET,
} from '../../test/support/rigs/test-sandbox.js';

const BASE = 'http://sandbox:1';
const STREAM = 'ws://sandbox:1/fapi/v1/price/ws/linear';

async function setUp(faults: readonly unknown[] = []) {
  const testSandbox = await openFundedSandbox();
  await testSandbox.call('PUT', '/sandbox/faults', faults);
  const net = createSandboxNet(testSandbox.sandbox, {
    baseUrl: BASE,
    wsUrl: 'ws://sandbox:1',
    scheduler: testSandbox.time,
  });
  const place = () => {
    const outcome: { reply?: HttpResponse; error?: TransportError } = {};
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
          outcome.reply = reply;
        },
        (error: unknown) => {
          if (error instanceof TransportError) outcome.error = error;
        },
      );
    return outcome;
  };
  return { ...testSandbox, net, place };
}

describe('in-process network', () => {
  test('a request and its answer are carried with latency', async () => {
    const { place, time } = await setUp();
    const outcome = place();
    await time.advance(1);
    expect(outcome.reply).toBeUndefined();
    await time.advance(1);
    expect(outcome.reply?.status).toBe(202);
    expect(JSON.parse(outcome.reply?.body ?? '')).toMatchObject({ success: true });
    expect(outcome.reply?.headers['date']).toBe('Mon, 05 May 2025 00:00:00 GMT');
  });

  test('a lost answer stays silent until the time-out, with the request reported as sent', async () => {
    const { place, time, sandbox } = await setUp([{ on: '*', fault: 'resp_lost' }]);
    const outcome = place();
    await time.advance(9_999);
    expect(outcome.error).toBeUndefined();
    await time.advance(1);
    expect(outcome.error?.sent).toBe(true);
    expect(sandbox.exchange.order({ clientOrderId: 'a' })?.status).toBe('filled');
  });

  test('a late landing is delivered after the caller’s time-out', async () => {
    const { place, time, sandbox } = await setUp([
      { on: '*', fault: 'req_delay', delay_ms: 30_000 },
    ]);
    const outcome = place();
    await time.advance(10_000);
    expect(outcome.error?.sent).toBe(true);
    expect(sandbox.exchange.order({ clientOrderId: 'a' })).toBeUndefined();
    await time.advance(25_000);
    expect(sandbox.exchange.order({ clientOrderId: 'a' })?.status).toBe('filled');
  });

  test('a cut answer fails inside the body', async () => {
    const { place, time } = await setUp([{ on: '*', fault: 'reset_mid_body' }]);
    const outcome = place();
    await time.advance(2);
    expect(outcome.error?.sent).toBe(true);
  });

  test('a request to another address is reported as not sent', async () => {
    const { net } = await setUp();
    const elsewhere = {
      method: 'GET',
      url: 'http://elsewhere:1/',
      headers: {},
      timeoutMs: 1,
    } as const;
    await expect(net.request(elsewhere)).rejects.toMatchObject({ sent: false });
  });

  test('a stream opens, carries messages, pings and closes', async () => {
    const { net, time } = await setUp();
    const messages: string[] = [];
    const socket = net.connect(STREAM, {
      onOpen: () => messages.push('open'),
      onMessage: (text) => messages.push(text),
      onAlive: () => messages.push('alive'),
      onClose: (reason) => messages.push(`closed: ${reason}`),
    });
    await time.advance(1);
    socket.send('{"id":1,"method":"SUBSCRIBE","params":["kline@1m@btcusdt"]}');
    socket.ping();
    await time.advance(2);
    socket.close();
    socket.close();
    await time.advance(2);
    expect(messages).toEqual([
      'open',
      '{"method":"SUBSCRIBE","id":1,"result":"success"}',
      'alive',
      'closed: closed',
    ]);
  });

  test('a refused handshake and an idle close are reported', async () => {
    const { net, time } = await setUp();
    const messages: string[] = [];
    const handlers = {
      onOpen: () => undefined,
      onMessage: () => undefined,
      onAlive: () => undefined,
      onClose: (reason: string) => messages.push(reason),
    };
    net.connect('ws://sandbox:1/fapi/v1/price/ws/spot', handlers);
    net.connect(STREAM, handlers);
    await time.advance(41_000);
    expect(messages).toEqual(['handshake failed: HTTP 404', 'closed by the server']);
  });
});
