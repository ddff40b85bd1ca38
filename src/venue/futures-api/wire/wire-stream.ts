import { isFields, isNumber, parseJson } from './wire-market.js';

export type StreamReply =
  | { readonly kind: 'accepted'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'rejected'; readonly id: number; readonly text: string };

export type StreamFrame =
  { readonly kind: 'push'; readonly stream: string; readonly data: unknown } | StreamReply;

/**
 * {"stream":"kline@1m@btcusdt","data":{…}}, {"method":"SUBSCRIBE","id":1,"result":"success"} or
 * {"method":"SUBSCRIBE","id":1,"error":{"code":400,"msg":"…"}} (supplement: streams).
 */
export function frameFromText(text: string): StreamFrame | undefined {
  const frame = parseJson(text);
  if (!isFields(frame)) return undefined;
  const { stream, data, id, result, error } = frame;
  if (typeof stream === 'string' && data !== undefined) return { kind: 'push', stream, data };
  if (!isNumber(id)) return undefined;
  if (result !== undefined) return { kind: 'accepted', id, result };
  if (!isFields(error)) return undefined;
  return { kind: 'rejected', id, text: `${String(error['code'])} ${String(error['msg'])}` };
}

export interface SubscriptionList {
  /** Lower case. */
  readonly streams: ReadonlySet<string>;
  /** Lower case, of the one-second tickers; undefined if the venue omits them. */
  readonly tickerAssets: ReadonlySet<string> | undefined;
}

/**
 * {"subscriptions":["kline@1m@btcusdt","ticker@1s"],"ticker_5s_assets":[],
 *  "ticker_1s_assets":["btcusdt"]}: names as the client spelt them (supplement: streams).
 */
export function subscriptionListOf(result: unknown): SubscriptionList | undefined {
  if (!isFields(result)) return undefined;
  const streams = namesOf(result['subscriptions']);
  if (streams === undefined) return undefined;
  return { streams, tickerAssets: namesOf(result['ticker_1s_assets']) };
}

function namesOf(value: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(value)) return undefined;
  return new Set(
    value.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()),
  );
}
