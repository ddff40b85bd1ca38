import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import type { HttpRequest } from '../../core/ports.js';
import { VirtualTime } from '../../../test/harness/virtual-ports.js';
import { apiBefore, CANARY, success } from '../../../test/harness/api-rig.js';
import { Caller } from './caller.js';
import { Secret, SecretHolder } from './secret.js';

const ORIGIN = 'https://api.example.com';

function setUp(statuses: readonly number[] = [200]) {
  const sent: HttpRequest[] = [];
  const told: boolean[] = [];
  const secret = new SecretHolder(new Secret(CANARY));
  const caller = new Caller({
    net: {
      request(request) {
        sent.push(request);
        const status = statuses[sent.length - 1] ?? 200;
        return Promise.resolve({ status, headers: { location: 'https://a.example/' }, body: '' });
      },
      connect: () => expect.fail('no stream here'),
    },
    clock: new VirtualTime(),
    secret,
    origin: ORIGIN,
    onAuthentication: (accepted) => told.push(accepted),
  });
  const get = (url: string) => caller.trading({ method: 'GET', url, timeoutMs: 1_000 });
  return { caller, sent, told, secret, get };
}

describe('the secret', () => {
  it.each([
    '/fapi/v1/futures',
    '/fapi/v1/futures/x',
    '/fapi/v2/futures/order',
    '/fapi/v1/wallet/funds',
  ])('goes to the trading path %s', async (path) => {
    const { sent, get } = setUp();
    await get(`${ORIGIN}${path}?a=b`);
    expect(sent[0]?.headers['x-authentication']).toBe(CANARY);
  });

  it.each([
    ['market data', `${ORIGIN}/fapi/v1/price/kline`],
    ['market data behind dots', `${ORIGIN}/fapi/v1/futures/../price/kline`],
    ['another path', `${ORIGIN}/fapi/v1/futuresx`],
    ['the root', `${ORIGIN}/`],
    ['another host', 'https://api.example.org/fapi/v1/futures'],
    ['another port', `${ORIGIN}:8443/fapi/v1/futures`],
    ['another scheme', 'http://api.example.com/fapi/v1/futures'],
    ['a host before an @', 'https://api.example.com@evil.example/fapi/v1/futures'],
  ])('never goes to %s', async (_, url) => {
    const { sent, get } = setUp();
    await expect(get(url)).rejects.toThrow(AssertionError);
    expect(sent).toEqual([]);
  });

  it('does not go with public calls', async () => {
    const { caller, sent } = setUp();
    const url = `${ORIGIN}/fapi/v1/price/kline`;
    await caller.public({ method: 'GET', url, timeoutMs: 1_000 });
    expect(JSON.stringify(sent)).not.toContain(CANARY);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %i', async (status) => {
    const headers = { location: 'https://a.example/fapi/v1/futures/funds' };
    const { api, sent } = apiBefore({ status, headers, body: success(null) });
    expect(await api.futuresWallet('USDT')).toMatchObject({ kind: 'unknown', status });
    expect(sent).toHaveLength(1);
  });

  it('is the new one from the call after its replacement', async () => {
    const { sent, secret, get } = setUp();
    const url = `${ORIGIN}/fapi/v1/futures/funds`;
    await get(url);
    secret.replace('another');
    await get(url);
    expect(sent.map(({ headers }) => headers['x-authentication'])).toEqual([CANARY, 'another']);
  });
});

describe('whether the secret is accepted', () => {
  it.each([
    ['each change, once', [200, 200, 401, 401, 202, 401], [true, false, true, false]],
    ['nothing by answers that did not look at it', [500, 429, 502, 307], []],
    ['a refusal from the first call on', [401], [false]],
  ])('is told: %s', async (_, statuses, expected) => {
    const { told, get } = setUp(statuses);
    for (let i = 0; i < statuses.length; i += 1) await get(`${ORIGIN}/fapi/v1/futures/funds`);
    expect(told).toEqual(expected);
  });

  it('is not asked of market data', async () => {
    const { caller, told } = setUp([401]);
    await caller.public({ method: 'GET', url: `${ORIGIN}/fapi/v1/price/kline`, timeoutMs: 1_000 });
    expect(told).toEqual([]);
  });
});
