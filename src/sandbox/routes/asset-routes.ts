import {
  decimalFromFixed,
  negate,
  numberFromFixed,
  textFromFixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { openTimeOf } from '../../core/interval.js';
import { MAX_FUNDING_RATE } from '../price/funding-schedule.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import type { SandboxListing } from '../../market/synthetic/listings.js';
import { parsePage, type PagingRules } from '../http/page.js';
import { rejection } from '../http/rejection-text.js';
import { toFixedForChecks, parseCurrency, parseDecimal } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import { assetOf, type RouteContext } from './route-context.js';
import type { WireValue } from '../http/wire-json.js';

const FUTURES = '/fapi/v1/futures';
const DAY_MS = 86_400_000;
/** Here `offset` counts records; the cap is an assumption (supplement: part 4). */
const PAGES: PagingRules = { offset: 'count', cap: 1_000 };
const ASSET_NOT_FOUND = failure(404, 'Asset not found');

export const assetRoutes = (context: RouteContext): readonly Route[] => [
  // Every official client calls it at startup; it has no envelope (supplement: part 3a).
  {
    method: 'GET',
    path: `${FUTURES}/ping`,
    handle: () => ({ status: 200, body: { code: 200, text: 'pong' } }),
  },
  { method: 'GET', path: FUTURES, handle: (call) => list(context, call) },
  { method: 'GET', path: `${FUTURES}/{asset_id}`, handle: (call) => asset(context, call) },
  {
    method: 'GET',
    path: `${FUTURES}/{asset_id}/leverage`,
    handle: (call) => readLeverage(context, call),
  },
  {
    method: 'POST',
    path: `${FUTURES}/{asset_id}/leverage`,
    handle: (call) => setLeverage(context, call),
  },
];

interface DayStats {
  readonly price: number;
  readonly lastDayPrice: number;
  readonly changePercent: number;
  readonly high: number;
  readonly low: number;
  readonly volume: number;
}

/** The last 24 hours in whole minutes. */
function dayStatsOf(context: RouteContext, symbol: string): DayStats {
  const { market, exchange } = context;
  const nowMs = exchange.nowMs;
  const toMs = openTimeOf('1m', nowMs);
  const marketPrice = market.priceAt('last', symbol, nowMs) ?? 0;
  const exchangePrice = exchange.prices(symbol)?.last;
  const price = exchangePrice === undefined ? marketPrice : numberFromFixed(exchangePrice);
  const candle = market.rangeCandle('last', symbol, toMs - DAY_MS, toMs);
  const lastDayPrice = candle?.open ?? price;
  return {
    price,
    lastDayPrice,
    changePercent: lastDayPrice === 0 ? 0 : ((price - lastDayPrice) / lastDayPrice) * 100,
    high: Math.max(candle?.high ?? price, price),
    low: Math.min(candle?.low ?? price, price),
    volume: candle?.volume ?? 0,
  };
}

function assetWire(
  context: RouteContext,
  listing: SandboxListing,
  day: DayStats,
): { readonly [key: string]: WireValue } {
  const { instrument, name, popularity } = listing;
  const { funding, switches } = context;
  const nextFundingMs = funding.nextSettlementMs(context.exchange.nowMs);
  return {
    id: instrument.assetId,
    name,
    symbol: instrument.symbol,
    min_contract: textFromFixed(instrument.minQuantity),
    max_contract: textFromFixed(instrument.maxQuantity),
    quantity_step: textFromFixed(instrument.quantityStep),
    min_price: textFromFixed(instrument.minPrice),
    max_price: textFromFixed(instrument.maxPrice),
    price_step: textFromFixed(instrument.priceStep),
    max_market_contract: textFromFixed(instrument.maxMarketQuantity),
    min_notional_value: textFromFixed(instrument.minNotional),
    funding_fee_perc: textFromFixed(funding.rate(instrument.symbol, nextFundingMs)),
    max_funding_rate: textFromFixed(MAX_FUNDING_RATE),
    min_funding_rate: textFromFixed(negate(MAX_FUNDING_RATE)),
    trading_fee_perc: switches.tradingFeeField === 'there' ? feePercent(context) : undefined,
    leverage_step: textFromFixed(instrument.leverageStep),
    min_leverage: textFromFixed(instrument.minLeverage),
    max_leverage: textFromFixed(instrument.maxLeverage),
    // The epoch second of the next settlement, not a period (supplement: part 4).
    funding_interval: nextFundingMs / 1_000,
    price: decimalText(day.price),
    last_day_price: decimalText(day.lastDayPrice),
    change_perc: day.changePercent.toFixed(4),
    volume: decimalText(day.volume),
    popularity: String(popularity),
  };
}

/** 0.00059 becomes "0.059". */
const feePercent = ({ takerFeeRate }: RouteContext): string =>
  decimalFromFixed(takerFeeRate).times(100).toFixed();

/** Short decimal text without an exponent. */
const decimalText = (value: number): string => parseDecimal(value)?.toFixed() ?? '0';

const SORTS = ['price', 'volume', 'change_perc', 'popularity'] as const;
type Sort = (typeof SORTS)[number];

function list(context: RouteContext, call: RouteCall): RouteReply {
  const sort = call.query.get('sort') ?? 'popularity';
  // Without a sort order the live list begins with the highest rank number (supplement: part 4).
  const order = call.query.get('order') ?? 'desc';
  const page = parsePage(call.query, PAGES);
  if (!isSort(sort) || (order !== 'asc' && order !== 'desc') || page === undefined) {
    return PARAMS_ERROR;
  }
  const rows = context.listings.all.map((listing) => {
    const day = dayStatsOf(context, listing.instrument.symbol);
    return { listing, day, key: sortKey(listing, day, sort) };
  });
  const direction = order === 'asc' ? 1 : -1;
  rows.sort(
    (a, b) => direction * (a.key - b.key) || a.listing.popularity - b.listing.popularity || 0,
  );
  const pageRows = rows.slice(page.skip, page.skip + page.limit);
  return success(pageRows.map(({ listing, day }) => assetWire(context, listing, day)));
}

const isSort = (text: string): text is Sort => (SORTS as readonly string[]).includes(text);

function sortKey(listing: SandboxListing, day: DayStats, sort: Sort): number {
  if (sort === 'popularity') return listing.popularity;
  if (sort === 'price') return day.price;
  return sort === 'volume' ? day.volume : day.changePercent;
}

function asset(context: RouteContext, call: RouteCall): RouteReply {
  const listing = assetOf(context, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  const day = dayStatsOf(context, listing.instrument.symbol);
  return success({
    ...assetWire(context, listing, day),
    '1d_high': day.high,
    '1d_low': day.low,
    '1d_volume': day.volume,
  });
}

function readLeverage(context: RouteContext, call: RouteCall): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const listing = assetOf(context, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  const leverage = context.exchange.leverage(listing.instrument.symbol, currency);
  if (leverage === undefined) return failure(404, 'leverage not found');
  return success(leverageWire(leverage));
}

function setLeverage(context: RouteContext, call: RouteCall): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return rejection('invalid-currency');
  if ((body['margin_type'] ?? 'ISOLATED') !== 'ISOLATED') return PARAMS_ERROR;
  const leverage = parseDecimal(body['leverage']);
  const listing = assetOf(context, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  if (leverage === undefined) return rejection('leverage-range');
  const { symbol, leverageStep } = listing.instrument;
  const requested = toFixedForChecks<'ratio'>(leverage, leverageStep);
  const result = context.exchange.setLeverage(symbol, currency, requested);
  return result.ok ? success(leverageWire(result.value)) : rejection(result.code);
}

const leverageWire = (leverage: Ratio) => ({
  margin_type: 'ISOLATED',
  leverage: textFromFixed(leverage),
  collateral_currency_id: 0,
});
