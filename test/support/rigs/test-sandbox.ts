import { ManualTime } from '../fakes/manual-ports.js';
import type { HttpReply } from '../../../src/sandbox/http/http-message.js';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.js';

export const START = Date.UTC(2025, 4, 5);
export const SECRET = 'test-secret';

interface Reply {
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
}

/** A sandbox on virtual time, with a manual venue clock unless given another one. */
export function openTestSandbox(options: SandboxOptions = {}) {
  const time = new ManualTime(START);
  const sandbox = createSandbox(
    { clock: { kind: 'manual' }, startMs: START, secret: SECRET, limits: false, ...options },
    { clock: time, scheduler: time },
  );
  sandbox.start();

  const raw = (
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { 'x-authentication': SECRET },
  ): Promise<HttpReply | 'reset'> => {
    const [path = '', query = ''] = target.split('?');
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    return sandbox.handle({ method, path, query, headers, body: text });
  };

  /** An answered request; the body as JSON where it is JSON. */
  const call = async (
    method: string,
    target: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply> => {
    const reply = await raw(method, target, body, headers);
    if (reply === 'reset') throw new Error(`${method} ${target} was not answered`);
    const isJson = reply.headers['content-type']?.includes('json') ?? false;
    const json: unknown = isJson ? JSON.parse(reply.body) : undefined;
    return { status: reply.status, json, text: reply.body };
  };

  /** `data` of a success envelope. */
  const data = async (method: string, target: string, body?: unknown): Promise<unknown> => {
    const { json } = await call(method, target, body);
    return (json as { readonly data: unknown }).data;
  };

  /** Status and text of the first error. */
  const refusal = async (method: string, target: string, body?: unknown) => {
    const { status, json } = await call(method, target, body);
    const { errors } = json as { readonly errors?: readonly { readonly text: string }[] };
    return [status, errors?.[0]?.text];
  };

  return { sandbox, time, raw, call, data, refusal };
}

export type TestSandbox = ReturnType<typeof openTestSandbox>;

export const ORDER_PATH = '/fapi/v2/futures/order?symbol=BTCUSDT';

export const marketOrder = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  trigger_type: 'MARKET',
  order_type: 'LONG',
  quantity: '0.01',
  client_order_id: id,
  ...more,
});

export const limitOrder = (
  id: string,
  price: string,
  more: Readonly<Record<string, unknown>> = {},
) => marketOrder(id, { trigger_type: 'LIMIT', order_price: price, ...more });

/** Leverage 5 on BTC in USDT, and the price at 60,000. */
export async function openFundedSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const testSandbox = openTestSandbox(options);
  await testSandbox.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', { leverage: '5' });
  await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '60000' });
  return testSandbox;
}
