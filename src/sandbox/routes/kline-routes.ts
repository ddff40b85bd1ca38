import type { Candle } from '../../core/candle.js';
import { type Interval, MINUTE_MS } from '../../core/interval.js';
import { failure, success, type RouteReply } from '../http/http-message.js';
import { hashPair, hashText, mix } from '../../core/integer-hash.js';
import type { InstrumentIndex } from '../price/instrument-index.js';
import {
  candlesOf,
  type MarketCandleQuery,
  type Market,
  type PriceKind,
} from '../../market/synthetic/market.js';
import type { RouteCall, Route } from '../http/route.js';
import { DEFAULT_BEHAVIOR_FLAGS, type BehaviorFlags } from '../behavior/behavior-flags.js';
import type { WireValue } from '../http/wire-json.js';

export const KLINE_PATHS = ['/fapi/v1/price/kline', '/fapi/v1/price/mark-kline'] as const;

const MAX_ASSETS = 25;
const MAX_CANDLES = 1_440;
const SILENT_CANDLE_RATE = 50;
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

export interface KlineContext {
  readonly market: Market;
  readonly listings: InstrumentIndex;
  readonly nowMs: () => number;
  /** Default: the documented answers. */
  readonly switches?: BehaviorFlags;
  /** Seed of occasional answers. Default 1. */
  readonly seed?: number;
}

export const klineRoutes = (context: KlineContext): readonly Route[] => [
  { method: 'GET', path: KLINE_PATHS[0], handle: (call) => klines(context, call, 'last') },
  { method: 'GET', path: KLINE_PATHS[1], handle: (call) => klines(context, call, 'mark') },
];

/** Checks in the order of the interface's table (interface: Market-data REST errors). */
function klines(context: KlineContext, call: RouteCall, kind: PriceKind): RouteReply {
  const { switches = DEFAULT_BEHAVIOR_FLAGS } = context;
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
  const symbols = listedSymbols(context, assets, switches);
  if ('status' in symbols) return symbols;
  const query: Omit<MarketCandleQuery, 'symbol'> = {
    kind,
    interval,
    fromMs: start * 1_000,
    toMs: end * 1_000,
    nowMs: context.nowMs() - switches.minuteLagMs,
    limit: MAX_CANDLES,
    withRunning: switches.runningBucket === 'shown',
  };
  return success({ asset_ticks: ticksOf(context, query, symbols) });
}

function ticksOf(
  context: KlineContext,
  query: Omit<MarketCandleQuery, 'symbol'>,
  symbols: ReadonlyMap<string, string>,
): Record<string, WireValue> {
  const { switches = DEFAULT_BEHAVIOR_FLAGS, seed = 1 } = context;
  const ticks: Record<string, WireValue> = {};
  for (const [pair, symbol] of symbols) {
    const candles = candlesOf(context.market, { ...query, symbol });
    if (candles.length === 0 && switches.emptyKlines === 'omitted') continue;
    ticks[pair] =
      switches.silentCandle === 'zero-ohlc' && query.interval === '1m'
        ? candles.map((candle) => candleWire(maybeSilenced(candle, seed, symbol), query.kind))
        : candles.map((candle) => candleWire(candle, query.kind));
  }
  return ticks;
}

const unsupported = (aggregation: string, { aggregationText }: BehaviorFlags): RouteReply =>
  failure(
    400,
    aggregationText === 'prefixed' && aggregation !== ''
      ? `${aggregation} aggregation not supported`
      : 'aggregation not supported',
  );

/** About one minute in fifty, drawn by a hash, as on a sibling host. */
function maybeSilenced(candle: Candle, seed: number, symbol: string): Candle {
  const key = hashPair(hashPair(mix(seed), hashText(symbol)), candle.openTime / MINUTE_MS);
  return key % SILENT_CANDLE_RATE === 0
    ? { ...candle, open: 0, high: 0, low: 0, volume: 0 }
    : candle;
}

/**
 * Lower-case pair → symbol. Invalid or unknown pairs are omitted unless none remains, which is an error
 * (interface: GET kline).
 */
function listedSymbols(
  context: KlineContext,
  assets: readonly string[],
  { unknownKlineSymbol }: BehaviorFlags,
): ReadonlyMap<string, string> | RouteReply {
  const pairs = assets.filter((asset) => PAIR.test(asset));
  const symbols = new Map<string, string>();
  for (const pair of pairs) {
    const symbol = pair.replace('/', '').toUpperCase();
    if (context.listings.bySymbol(symbol) !== undefined) symbols.set(pair.toLowerCase(), symbol);
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
