import type { Candle } from '../core/candle.js';
import type { Interval } from '../core/interval.js';
import { failure, success, type RouteReply } from './http-message.js';
import { hashPair, hashText, mix } from './integer-hash.js';
import type { ListingBook } from './listing-book.js';
import { candlesOf, MINUTE_MS, type CandleQuery, type Market, type PriceKind } from './market.js';
import type { Call, Route } from './route.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import type { WireValue } from './wire-json.js';

export const KLINE_PATHS = ['/fapi/v1/price/kline', '/fapi/v1/price/mark-kline'] as const;

const MAX_ASSETS = 25;
const MAX_CANDLES = 1_440;
const SILENT_ONE_IN = 50;
const PAIR = /^([A-Za-z0-9]+)\/([A-Za-z0-9]+)$/;
const AGGREGATIONS: ReadonlyMap<string, Interval> = new Map([
  ['1m', '1m'],
  ['3t', '3m'],
  ['5t', '5m'],
  ['10t', '10m'],
  ['15t', '15m'],
  ['30t', '30m'],
  ['1h', '1h'],
  ['4h', '4h'],
  ['6h', '6h'],
  ['12h', '12h'],
  ['1d', '1d'],
  ['1w', '1w'],
  ['1mth', '1M'],
]);

export interface KlineDesk {
  readonly market: Market;
  readonly listings: ListingBook;
  readonly nowMs: () => number;
  /** Default: what the document says. */
  readonly switches?: Switches;
  /** Of what happens now and then. Default 1. */
  readonly seed?: number;
}

export const klineRoutes = (desk: KlineDesk): readonly Route[] => [
  { method: 'GET', path: KLINE_PATHS[0], answer: (call) => klines(desk, call, 'last') },
  { method: 'GET', path: KLINE_PATHS[1], answer: (call) => klines(desk, call, 'mark') },
];

/** Checked from the top of the interface's table (Market-data REST errors) to its bottom. */
function klines(desk: KlineDesk, call: Call, kind: PriceKind): RouteReply {
  const { switches = DEFAULT_SWITCHES } = desk;
  const assets = (call.query.get('assets') ?? '').split(',').filter((asset) => asset !== '');
  if (assets.length === 0) return failure(400, 'assets are required');
  if (assets.length > MAX_ASSETS) return failure(400, 'allowed assets size is 25');
  const aggregation = call.query.get('aggregation') ?? (kind === 'mark' ? '1m' : '');
  const interval = AGGREGATIONS.get(aggregation);
  if (interval === undefined) return unsupported(aggregation, switches);
  const start = positiveNumber(call.query.get('start_time'));
  const end = positiveNumber(call.query.get('end_time'));
  if (start === undefined || end === undefined) {
    return failure(400, 'start and end time should be greater than 0');
  }
  if (end <= start) return failure(400, 'end time should be greater than start time');
  const symbols = listedSymbols(desk, assets, switches);
  if ('status' in symbols) return symbols;
  const query: Omit<CandleQuery, 'symbol'> = {
    kind,
    interval,
    fromMs: start * 1_000,
    toMs: end * 1_000,
    nowMs: desk.nowMs() - switches.minuteLagMs,
    limit: MAX_CANDLES,
    withRunning: switches.runningBucket === 'shown',
  };
  return success({ asset_ticks: ticksOf(desk, query, symbols) });
}

function ticksOf(
  desk: KlineDesk,
  query: Omit<CandleQuery, 'symbol'>,
  symbols: ReadonlyMap<string, string>,
): Record<string, WireValue> {
  const { switches = DEFAULT_SWITCHES, seed = 1 } = desk;
  const ticks: Record<string, WireValue> = {};
  for (const [pair, symbol] of symbols) {
    const candles = candlesOf(desk.market, { ...query, symbol });
    if (candles.length === 0 && switches.emptyKlines === 'omitted') continue;
    ticks[pair] =
      switches.silentCandle === 'zero-ohlc' && query.interval === '1m'
        ? candles.map((candle) => candleWire(silencedNowAndThen(candle, seed, symbol), query.kind))
        : candles.map((candle) => candleWire(candle, query.kind));
  }
  return ticks;
}

const unsupported = (aggregation: string, { aggregationText }: Switches): RouteReply =>
  failure(
    400,
    aggregationText === 'prefixed' && aggregation !== ''
      ? `${aggregation} aggregation not supported`
      : 'aggregation not supported',
  );

/** About one minute in fifty, always the same ones (a sibling host, Q42). */
function silencedNowAndThen(candle: Candle, seed: number, symbol: string): Candle {
  const key = hashPair(hashPair(mix(seed), hashText(symbol)), candle.openTime / MINUTE_MS);
  return key % SILENT_ONE_IN === 0 ? { ...candle, open: 0, high: 0, low: 0, volume: 0 } : candle;
}

/**
 * Lower-case pair → symbol. What is invalid or unknown is left out as long as something remains
 * (interface, GET kline); nothing left is an error of its own.
 */
function listedSymbols(
  desk: KlineDesk,
  assets: readonly string[],
  { unknownKlineSymbol }: Switches,
): ReadonlyMap<string, string> | RouteReply {
  const pairs = assets.filter((asset) => PAIR.test(asset));
  const symbols = new Map<string, string>();
  for (const pair of pairs) {
    const symbol = pair.replace('/', '').toUpperCase();
    if (desk.listings.bySymbol(symbol) !== undefined) symbols.set(pair.toLowerCase(), symbol);
  }
  if (symbols.size > 0) return symbols;
  if (unknownKlineSymbol === 'empty-data') return success({});
  return pairs.length === 0 ? failure(400, 'invalid assets') : failure(404, 'asset not found');
}

function positiveNumber(text: string | null): number | undefined {
  const value = text === null || text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function candleWire(candle: Candle, kind: PriceKind): WireValue {
  const { openTime, open, high, low, close, volume } = candle;
  const prices = [openTime / 1_000, open, high, low, close];
  return kind === 'last' ? [...prices, volume] : prices;
}
