/** A parsed client frame, or the reason why it is invalid (supplement: part 1). */
export type StreamRequest =
  | { readonly kind: 'list'; readonly id: number }
  | {
      readonly kind: 'subscribe' | 'unsubscribe';
      readonly id: number;
      readonly streams: readonly StreamName[];
      readonly assets: readonly string[];
    }
  | {
      readonly kind: 'invalid';
      readonly method: string;
      readonly id: number;
      readonly msg: string;
    };

/** A stream by its name. `text` is the caller's spelling, `key` the normalised one. */
export type StreamName =
  | {
      readonly kind: 'kline' | 'markKline';
      readonly period: '1s' | '1m';
      readonly symbol: string;
      readonly key: string;
      readonly text: string;
    }
  | {
      readonly kind: 'ticker';
      readonly period: '1s' | '5s';
      readonly key: string;
      readonly text: string;
    };

export function parseStreamName(text: string): StreamName | undefined {
  const candle = /^(kline|markKline)@(1s|1m)@([A-Za-z0-9]+)$/.exec(text);
  if (candle !== null) {
    const [, kind, period, asset = ''] = candle;
    const symbol = asset.toLowerCase();
    return {
      kind: kind === 'kline' ? 'kline' : 'markKline',
      period: period === '1s' ? '1s' : '1m',
      symbol,
      key: `${kind}@${period}@${symbol}`,
      text,
    };
  }
  if (text !== 'ticker@1s' && text !== 'ticker@5s') return undefined;
  return { kind: 'ticker', period: text === 'ticker@1s' ? '1s' : '5s', key: text, text };
}

export function parseStreamRequest(text: string): StreamRequest {
  const frame = parseObject(text);
  if (frame === undefined) return { kind: 'invalid', method: '', id: 0, msg: 'invalid JSON' };
  const method = typeof frame['method'] === 'string' ? frame['method'] : '';
  const id = typeof frame['id'] === 'number' ? frame['id'] : 0;
  if (method === 'LIST_SUBSCRIPTIONS') return { kind: 'list', id };
  if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE') {
    return { kind: 'invalid', method, id, msg: 'unknown method' };
  }
  const names: readonly unknown[] = Array.isArray(frame['params']) ? frame['params'] : [''];
  const streams: StreamName[] = [];
  for (const name of names.length === 0 ? [''] : names) {
    const stream = typeof name === 'string' ? parseStreamName(name) : undefined;
    if (stream === undefined) {
      const shown = typeof name === 'string' ? name : JSON.stringify(name);
      return { kind: 'invalid', method, id, msg: `invalid stream name: ${shown}` };
    }
    streams.push(stream);
  }
  const assets: readonly unknown[] = Array.isArray(frame['assets']) ? frame['assets'] : [];
  const kind = method === 'SUBSCRIBE' ? 'subscribe' : 'unsubscribe';
  return { kind, id, streams, assets: assets.filter((asset) => typeof asset === 'string') };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
