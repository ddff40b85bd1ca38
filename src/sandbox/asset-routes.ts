import {
  decimalFromFixed,
  negate,
  numberFromFixed,
  textFromFixed,
  type Ratio,
} from '../core/fixed.js';
import { openTimeOf } from '../core/interval.js';
import { MAX_FUNDING_RATE } from './funding.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import type { SandboxListing } from './listings.js';
import { parsePage, type PageRules } from './page.js';
import { rejection } from './rejection-text.js';
import { judgeable, parseCurrency, parseDecimal } from './request-fields.js';
import type { Call, Route } from './route.js';
import { assetOf, type VenueDesk } from './venue-desk.js';
import type { WireValue } from './wire-json.js';

const FUTURES = '/fapi/v1/futures';
const DAY_MS = 86_400_000;
/** Here `offset` counts records (supplement, part 4); the cap is assumed there. */
const PAGES: PageRules = { offset: 'count', cap: 1_000 };
const ASSET_NOT_FOUND = failure(404, 'Asset not found');

export const assetRoutes = (desk: VenueDesk): readonly Route[] => [
  // Every official client calls it when it starts (supplement, part 3a); it has no envelope.
  {
    method: 'GET',
    path: `${FUTURES}/ping`,
    answer: () => ({ status: 200, body: { code: 200, text: 'pong' } }),
  },
  { method: 'GET', path: FUTURES, answer: (call) => list(desk, call) },
  { method: 'GET', path: `${FUTURES}/{asset_id}`, answer: (call) => asset(desk, call) },
  {
    method: 'GET',
    path: `${FUTURES}/{asset_id}/leverage`,
    answer: (call) => readLeverage(desk, call),
  },
  {
    method: 'POST',
    path: `${FUTURES}/{asset_id}/leverage`,
    answer: (call) => setLeverage(desk, call),
  },
];

interface Day {
  readonly price: number;
  readonly lastDayPrice: number;
  readonly changePercent: number;
  readonly high: number;
  readonly low: number;
  readonly volume: number;
}

/** The last 24 hours, by whole minutes. */
function dayOf(desk: VenueDesk, symbol: string): Day {
  const { market, exchange } = desk;
  const nowMs = exchange.nowMs;
  const toMs = openTimeOf('1m', nowMs);
  const known = market.priceAt('last', symbol, nowMs) ?? 0;
  const told = exchange.prices(symbol)?.last;
  const price = told === undefined ? known : numberFromFixed(told);
  const candle = market.span('last', symbol, toMs - DAY_MS, toMs);
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
  desk: VenueDesk,
  listing: SandboxListing,
  day: Day,
): { readonly [key: string]: WireValue } {
  const { instrument, name, popularity } = listing;
  const { funding, switches } = desk;
  const nextFundingMs = funding.next(desk.exchange.nowMs);
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
    trading_fee_perc: switches.tradingFeeField === 'there' ? feePercent(desk) : undefined,
    leverage_step: textFromFixed(instrument.leverageStep),
    min_leverage: textFromFixed(instrument.minLeverage),
    max_leverage: textFromFixed(instrument.maxLeverage),
    // The epoch second of the next settlement, not a period (supplement, part 4).
    funding_interval: nextFundingMs / 1_000,
    price: decimalText(day.price),
    last_day_price: decimalText(day.lastDayPrice),
    change_perc: day.changePercent.toFixed(4),
    volume: decimalText(day.volume),
    popularity: String(popularity),
  };
}

/** 0.00059 is "0.059". */
const feePercent = ({ takerFeeRate }: VenueDesk): string =>
  decimalFromFixed(takerFeeRate).times(100).toFixed();

/** Market numbers as short texts without an exponent. */
const decimalText = (value: number): string => parseDecimal(value)?.toFixed() ?? '0';

const SORTS = ['price', 'volume', 'change_perc', 'popularity'] as const;
type Sort = (typeof SORTS)[number];

function list(desk: VenueDesk, call: Call): RouteReply {
  const sort = call.query.get('sort') ?? 'popularity';
  // Unset, the live list begins with the highest rank number (supplement, part 4).
  const order = call.query.get('order') ?? 'desc';
  const page = parsePage(call.query, PAGES);
  if (!isSort(sort) || (order !== 'asc' && order !== 'desc') || page === undefined) {
    return PARAMS_ERROR;
  }
  const rows = desk.listings.all.map((listing) => {
    const day = dayOf(desk, listing.instrument.symbol);
    return { listing, day, key: sortKey(listing, day, sort) };
  });
  const direction = order === 'asc' ? 1 : -1;
  rows.sort(
    (a, b) => direction * (a.key - b.key) || a.listing.popularity - b.listing.popularity || 0,
  );
  const shown = rows.slice(page.skip, page.skip + page.limit);
  return success(shown.map(({ listing, day }) => assetWire(desk, listing, day)));
}

const isSort = (text: string): text is Sort => (SORTS as readonly string[]).includes(text);

function sortKey(listing: SandboxListing, day: Day, sort: Sort): number {
  if (sort === 'popularity') return listing.popularity;
  if (sort === 'price') return day.price;
  return sort === 'volume' ? day.volume : day.changePercent;
}

function asset(desk: VenueDesk, call: Call): RouteReply {
  const listing = assetOf(desk, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  const day = dayOf(desk, listing.instrument.symbol);
  return success({
    ...assetWire(desk, listing, day),
    '1d_high': day.high,
    '1d_low': day.low,
    '1d_volume': day.volume,
  });
}

function readLeverage(desk: VenueDesk, call: Call): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const listing = assetOf(desk, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  const leverage = desk.exchange.leverage(listing.instrument.symbol, currency);
  if (leverage === undefined) return failure(404, 'leverage not found');
  return success(leverageWire(leverage));
}

function setLeverage(desk: VenueDesk, call: Call): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return rejection('invalid-currency');
  if ((body['margin_type'] ?? 'ISOLATED') !== 'ISOLATED') return PARAMS_ERROR;
  const leverage = parseDecimal(body['leverage']);
  const listing = assetOf(desk, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  if (leverage === undefined) return rejection('leverage-range');
  const { symbol, leverageStep } = listing.instrument;
  const wanted = judgeable<'ratio'>(leverage, leverageStep);
  const answer = desk.exchange.setLeverage(symbol, currency, wanted);
  return answer.ok ? success(leverageWire(answer.value)) : rejection(answer.code);
}

const leverageWire = (leverage: Ratio) => ({
  margin_type: 'ISOLATED',
  leverage: textFromFixed(leverage),
  collateral_currency_id: 0,
});
