import type { Candle } from '../../../core/candle.js';
import type { TickerRow } from '../../../core/events.js';
import type { Interval } from '../../../core/interval.js';

/** Market data is JSON numbers and epoch seconds, so `JSON.parse` loses nothing that matters. */
type Fields = Readonly<Record<string, unknown>>;

/** `aggregation` of kline requests. One-second candles are only streamed. */
const AGGREGATIONS: Readonly<Record<Exclude<Interval, '1s'>, string>> = {
  '1m': '1m',
  '3m': '3t',
  '5m': '5t',
  '10m': '10t',
  '15m': '15t',
  '30m': '30t',
  '1h': '1h',
  '4h': '4h',
  '6h': '6h',
  '12h': '12h',
  '1d': '1d',
  '1w': '1w',
  '1M': '1mth',
};

export const aggregationOf = (interval: Interval): string | undefined =>
  interval === '1s' ? undefined : AGGREGATIONS[interval];

/** 2001 to 2100. A time outside this range is not in seconds (hazard I11). */
const FIRST_SECOND = 1_000_000_000;
const LAST_SECOND = 4_102_444_800;

/** [1680312600,28436.6,28449.81,28436.6,28449.81,0.742521] */
export function candleFromRow(row: unknown): Candle | undefined {
  if (!Array.isArray(row)) return undefined;
  const [time, open, high, low, close, volume] = row as unknown[];
  return candleOf(time, open, high, low, close, volume);
}

/** [1680312600,28436.6,28449.81,28436.6,28449.81]: mark prices have no volume. */
export function markCandleFromRow(row: unknown): Candle | undefined {
  if (!Array.isArray(row)) return undefined;
  const [time, open, high, low, close] = row as unknown[];
  return candleOf(time, open, high, low, close, 0);
}

/** {"s":"btcusdt","t":1781691300,"o":64858,"h":64864.9,"l":64834.1,"c":64864.9,"v":10.921} */
export function candleFromPush(data: unknown): Candle | undefined {
  if (!isFields(data)) return undefined;
  return candleOf(data['t'], data['o'], data['h'], data['l'], data['c'], data['v']);
}

/** {"s":"btcusdt","t":1781691300,"o":64858.62,"h":64864.9,"l":64837.09,"c":64864.8} */
export function markCandleFromPush(data: unknown): Candle | undefined {
  if (!isFields(data)) return undefined;
  return candleOf(data['t'], data['o'], data['h'], data['l'], data['c'], 0);
}

function candleOf(
  time: unknown,
  open: unknown,
  high: unknown,
  low: unknown,
  close: unknown,
  volume: unknown,
): Candle | undefined {
  if (!isNumber(time) || time < FIRST_SECOND || time > LAST_SECOND) return undefined;
  if (!isNumber(open) || !isNumber(high) || !isNumber(low)) return undefined;
  if (!isNumber(close) || !isNumber(volume)) return undefined;
  return { openTime: time * 1_000, open, high, low, close, volume };
}

/**
 * {"s":"btcusdt","p":64863.6,"mp":64862}. `mp` is optional. Prices that are not above 0 are ignored.
 */
export function tickerFromPush(row: unknown): TickerRow | undefined {
  if (!isFields(row)) return undefined;
  const { s: name, p: last, mp: mark } = row;
  if (typeof name !== 'string' || !isNumber(last) || last <= 0) return undefined;
  const symbol = name.toUpperCase();
  return isNumber(mark) && mark > 0 ? { symbol, last, mark } : { symbol, last };
}

/** Pairs of one call (interface: GET kline). A body with more is no answer to it, and is not searched further. */
const MAX_PAIRS = 25;

/** `data.asset_ticks` of a kline answer: rows by lower-case pair. `data: {}` is an empty list. */
export const klineRowsFromBody = (
  body: string,
): ReadonlyMap<string, readonly unknown[]> | undefined => klineRowsOf(parseJson(body));

/**
 * The same, with the rows of each pair as JSON text: 25 pairs have 36,000 rows, and the garbage collector would copy
 * all of them while they are read. undefined: another shape, which `klineRowsFromBody` judges.
 */
export function klineTextsFromBody(body: string): ReadonlyMap<string, string> | undefined {
  const texts: string[] = [];
  let frame = '';
  let at = 0;
  for (let start = body.indexOf('[['); start >= 0; start = body.indexOf('[[', at)) {
    const end = body.indexOf(']]', start) + 2;
    const quote = body.indexOf('"', start);
    // Rows are numbers: a quote would be the name of the next pair.
    if (end < 2 || (quote >= 0 && quote < end) || texts.length === MAX_PAIRS) return undefined;
    // The place of a pair's rows is a row that holds their index.
    frame += `${body.slice(at, start)}[${texts.length}]`;
    texts.push(body.slice(start, end));
    at = end;
  }
  const places = klineRowsOf(parseJson(frame + body.slice(at)));
  if (places === undefined) return undefined;
  const byPair = new Map<string, string>();
  let index = 0;
  for (const [pair, rows] of places) {
    if (rows.length === 0) byPair.set(pair, '[]');
    else if (rows.length !== 1 || rows[0] !== index) return undefined;
    else byPair.set(pair, texts[index++] as string);
  }
  return index === texts.length ? byPair : undefined;
}

function klineRowsOf(document: unknown): ReadonlyMap<string, readonly unknown[]> | undefined {
  const data = isFields(document) && document['success'] === true ? document['data'] : undefined;
  if (!isFields(data)) return undefined;
  const ticks = data['asset_ticks'] ?? {};
  if (!isFields(ticks)) return undefined;
  const rows = new Map<string, readonly unknown[]>();
  for (const [pair, value] of Object.entries(ticks)) {
    if (!Array.isArray(value)) return undefined;
    rows.set(pair.toLowerCase(), value as unknown[]);
  }
  return rows;
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const isNumber = (value: unknown): value is number => Number.isFinite(value);

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
