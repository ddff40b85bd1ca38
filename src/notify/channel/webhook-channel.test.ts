import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../io/net/public-address.js';
import { createUndiciHttp } from '../../io/net/undici-http.js';
import { ALERT_LEVELS } from '../alert/alert-kind.js';
import type { Notice } from '../alert/notice.js';
import { DeliveryError } from './channel.js';
import { WebhookChannel } from './webhook-channel.js';
import { webhookSignature } from './webhook-signature.js';

const NOTICE: Notice = {
  id: 'run-1',
  level: 'page',
  silent: false,
  atMs: Date.UTC(2026, 10, 23),
  account: 'main',
  mode: 'live',
  items: [
    {
      key: 'halted',
      kind: 'halted',
      state: 'raised',
      title: 'trading is halted',
      text: 'x',
      count: 1,
      sinceMs: 0,
    },
  ],
  omitted: 0,
};

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server | undefined;
const https: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of https.splice(0)) await each.close();
  await new Promise((resolve) =>
    server === undefined ? resolve(undefined) : server.close(resolve),
  );
  server = undefined;
});

/** A receiver on loopback. @returns its port and requests */
async function receiver(status: number, headers: Readonly<Record<string, string>> = {}) {
  const received: Received[] = [];
  const listening = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status, headers).end();
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { port: (listening.address() as AddressInfo).port, received };
}

function channelTo(url: string, allowPrivate = true, secret = 'shared'): WebhookChannel {
  const net = createUndiciHttp(allowPrivate ? {} : { mayConnect: isPublicAddress });
  https.push(net);
  return new WebhookChannel(
    { url, secret, levels: new Set(ALERT_LEVELS) },
    { net, clock: { utcMs: () => NOTICE.atMs } },
  );
}

const failureOf = async (channel: WebhookChannel): Promise<DeliveryError> => {
  const error: unknown = await channel.deliver(NOTICE).catch((each: unknown) => each);
  if (!(error instanceof DeliveryError)) throw new Error('it was delivered');
  return error;
};

describe('a webhook', () => {
  it('has the id, the time and the HMAC of both and the body, so that its receiver can check all three', async () => {
    const { port, received } = await receiver(204);
    await channelTo(`http://127.0.0.1:${port}/hook`).deliver(NOTICE);
    const { headers, body } = received[0] as Received;
    const timestamp = String(NOTICE.atMs / 1_000);
    const signed = `run-1.${timestamp}.${body}`;
    expect(headers['webhook-id']).toBe('run-1');
    expect(headers['webhook-timestamp']).toBe(timestamp);
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'shared').update(signed).digest('base64')}`,
    );
    expect(JSON.parse(body)).toMatchObject({ v: 1, id: 'run-1', level: 'page', account: 'main' });
  });

  it('agrees with the published example of Standard Webhooks', () => {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    expect(
      webhookSignature(
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        '1614265330',
        '{"test": 2432232314}',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ),
    ).toBe('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('follows no redirect, and names where it leads', async () => {
    const { port, received } = await receiver(302, { location: 'http://127.0.0.1:1/inside' });
    const { message, isPermanent } = await failureOf(channelTo(`http://127.0.0.1:${port}/`));
    expect(message).toContain('redirect to http://127.0.0.1:1/inside');
    expect([isPermanent, received.length]).toEqual([true, 1]);
  });

  it.each([
    [401, {}, true, undefined],
    [404, {}, true, undefined],
    [429, { 'retry-after': '7' }, false, 7_000],
    [500, {}, false, undefined],
    [503, {}, false, undefined],
  ])(
    'an answer %i %o is permanent: %s, asks for a pause of %s',
    async (status, headers, permanent, pause) => {
      const { port } = await receiver(status, headers);
      const { isPermanent, retryAfterMs } = await failureOf(channelTo(`http://127.0.0.1:${port}/`));
      expect([isPermanent, retryAfterMs]).toEqual([permanent, pause]);
    },
  );

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'to %s is refused without a byte unless private addresses are allowed',
    async (host) => {
      const { port, received } = await receiver(204);
      const { message } = await failureOf(channelTo(`http://${host}:${port}/`, false));
      expect(message).toContain('is private');
      expect(received).toEqual([]);
    },
  );
});

describe('a public address', () => {
  it.each([
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '198.18.0.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('"%s" is none', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
