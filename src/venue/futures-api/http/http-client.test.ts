import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../../core/assert.js';
import type { HttpRequest } from '../../../core/ports.js';
import { ManualTime } from '../../../../test/support/fakes/manual-ports.js';
import { apiAnsweredBy, CANARY, success } from '../../../../test/support/rigs/api-rig.js';
import { DEFAULT_API_LIMITS } from './api-limits.js';
import { HttpClient } from './http-client.js';
import { Secret, SecretHolder } from './secret.js';

const ORIGIN = 'https://api.example.com';

function setUp() {
  const sent: HttpRequest[] = [];
  const secret = new SecretHolder(new Secret(CANARY));
  const client = new HttpClient({
    net: {
      request(request) {
        sent.push(request);
        return Promise.resolve({ status: 200, headers: {}, body: '' });
      },
      connect: () => expect.fail('no stream here'),
    },
    clock: new ManualTime(),
    secret,
    urls: { origin: ORIGIN },
    limits: DEFAULT_API_LIMITS,
    requestLimits: { onResponse: () => undefined },
    acquirePermit: () => Promise.resolve(),
  });
  const get = (url: string) => client.call('futuresWallet', { url });
  return { client, sent, secret, get };
}

describe('the API secret', () => {
  it.each([
    '/fapi/v1/futures',
    '/fapi/v1/futures/x',
    '/fapi/v2/futures/order',
    '/fapi/v1/wallet/funds',
  ])('the secret goes to the trading path %s', async (path) => {
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
  ])('the secret never goes to %s', async (_, url) => {
    const { sent, get } = setUp();
    await expect(get(url)).rejects.toThrow(AssertionError);
    expect(sent).toEqual([]);
  });

  it('public calls are sent without the secret', async () => {
    const { client, sent } = setUp();
    await client.call('klines', { url: `${ORIGIN}/fapi/v1/price/kline` });
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).not.toContain(CANARY);
  });

  it.each([301, 302, 303, 307, 308])(
    'the secret does not follow a redirect of status %i',
    async (status) => {
      const headers = { location: 'https://a.example/fapi/v1/futures/funds' };
      const { api, sent } = apiAnsweredBy({ status, headers, body: success(null) });
      expect(await api.futuresWallet('USDT')).toMatchObject({ kind: 'unknown', status });
      expect(sent).toHaveLength(1);
    },
  );

  it('a replaced secret is sent from the next call on', async () => {
    const { sent, secret, get } = setUp();
    const url = `${ORIGIN}/fapi/v1/futures/funds`;
    await get(url);
    secret.replace('another');
    await get(url);
    expect(sent.map(({ headers }) => headers['x-authentication'])).toEqual([CANARY, 'another']);
  });
});
