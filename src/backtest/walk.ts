import { isLess, isMore, numberFromFixed, type Amount } from '../core/fixed.js';
import { closeTimeOf } from '../core/interval.js';
import type { Engine } from '../engine/engine.js';
import { finishCandle, openCandle, walkCandle } from '../exchange/candle-path.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { fundingNewsOf } from './funding-rates.js';
import type { InlineVenue } from './inline-venue.js';
import { NewsFeed } from './market-news.js';
import { marketsOf, type BacktestMarket, type BacktestPlan } from './plan.js';
import { noPulse, PHASE, PULSE } from './pulse.js';
import { nextOpen, Track } from './track.js';

const PROGRESS_EVERY = 65_536;

export interface Walked {
  /** Closes of the candles, ms UTC: one for each open time that any symbol has. */
  readonly times: Float64Array;
  /** Equity at each of them, in the run's currency. */
  readonly equity: Float64Array;
  readonly equityLow: Amount;
  readonly equityHigh: Amount;
}

export interface Stage {
  readonly engine: Engine;
  readonly venue: InlineVenue;
  readonly exchange: SimulatedExchange;
}

/** Every candle over the exchange, then to the engine; symbols that open together close together. */
export function walk(plan: BacktestPlan, { engine, venue, exchange }: Stage): Walked {
  const { base, currency, intrabar } = plan;
  const tracks = marketsOf(plan).map((market, ordinal) =>
    trackOf(market, ordinal, { engine, venue, exchange }),
  );
  const most = marketsOf(plan).reduce((sum, { columns }) => sum + columns.length, 0);
  const times = new Float64Array(most);
  const equity = new Float64Array(most);
  let low = exchange.equity(currency);
  let high = low;
  let bars = 0;
  let candles = 0;
  const { pulse = noPulse() } = plan;
  pulse[PULSE.phase] = PHASE.run;
  const news = new NewsFeed([...fundingNewsOf(plan.funding ?? {}), ...(plan.news ?? [])]);
  for (let openTime = nextOpen(tracks); openTime < Infinity; openTime = nextOpen(tracks)) {
    exchange.setTime(openTime);
    const closeTime = closeTimeOf(base, openTime);
    const isLive = openTime >= (plan.liveFromMs ?? -Infinity);
    if (news.nextAt < closeTime) {
      walkWithNews(tracks, openTime, closeTime, { plan, venue, exchange, news, isLive });
    } else {
      for (const track of tracks) {
        if (track.next !== openTime) continue;
        walkCandle(exchange, track.symbol, track.prices(), intrabar, track.onOpen);
        venue.drain();
      }
    }
    exchange.setTime(closeTime);
    venue.fireDue();
    // What was settled with the time: funding, and what it liquidated.
    if (venue.busy) venue.drain();
    if (news.nextAt <= closeTime) tellAtClose(closeTime, { venue, exchange, news, isLive });
    engine.at(closeTime, closeTime);
    engine.accountIsCurrent();
    if (tracks.length > 1) seeCloses(tracks, openTime, engine, closeTime);
    for (const track of tracks) {
      if (track.next !== openTime) continue;
      pulse[PULSE.openTime] = openTime;
      pulse[PULSE.symbol] = track.ordinal;
      pulse[PULSE.candles] = candles += 1;
      engine.candle(track.series, track.index, isLive);
      venue.drain();
      track.advance();
    }
    engine.closed(closeTime);
    venue.drain();
    const now = exchange.equity(currency);
    if (isLess(now, low)) low = now;
    if (isMore(now, high)) high = now;
    times[bars] = closeTime;
    equity[bars] = numberFromFixed(now);
    if (bars % PROGRESS_EVERY === 0) plan.progress?.(bars);
    bars += 1;
  }
  pulse[PULSE.phase] = PHASE.own;
  return {
    times: times.subarray(0, bars),
    equity: equity.subarray(0, bars),
    equityLow: low,
    equityHigh: high,
  };
}

interface Telling {
  readonly venue: InlineVenue;
  readonly exchange: SimulatedExchange;
  readonly news: NewsFeed;
  readonly isLive: boolean;
}

/** News in the time of a candle come after its open, and before its extremes and its close. */
function walkWithNews(
  tracks: readonly Track[],
  openTime: number,
  closeTime: number,
  { plan, ...telling }: Telling & { readonly plan: BacktestPlan },
): void {
  const { exchange, venue, news, isLive } = telling;
  const open = tracks.filter(({ next }) => next === openTime);
  for (const track of open) openCandle(exchange, track.symbol, track.prices(), track.onOpen);
  for (let next = news.take(closeTime - 1); next; next = news.take(closeTime - 1)) {
    exchange.setTime(Math.max(next.at, exchange.nowMs));
    venue.fireDue();
    const { symbol } = next.event;
    if (next.last !== undefined) exchange.jump(symbol, next.last, next.last);
    settle(exchange, venue, symbol);
    if (isLive || next.event.kind === 'funding') venue.happens(next.event);
    settle(exchange, venue, symbol);
  }
  for (const track of open) {
    finishCandle(exchange, track.symbol, track.prices(), plan.intrabar);
    venue.drain();
  }
}

/** News of the moment in which candles close: what is ordered on them fills as what candles cause does. */
function tellAtClose(closeTime: number, { venue, news, isLive }: Telling): void {
  for (let next = news.take(closeTime); next; next = news.take(closeTime)) {
    if (isLive || next.event.kind === 'funding') venue.happens(next.event);
    venue.drain();
  }
}

/** At the present price, with what the fills cause. */
function settle(exchange: SimulatedExchange, venue: InlineVenue, symbol: string): void {
  venue.drain();
  exchange.settle(symbol);
  matchOpen(exchange, venue, symbol);
}

/** Whoever decides on the first symbol's candle knows the prices that the others close at. */
function seeCloses(
  tracks: readonly Track[],
  openTime: number,
  { prices }: Engine,
  closeTime: number,
): void {
  for (const track of tracks) {
    if (track.next !== openTime) continue;
    prices.seeLast(track.symbol, track.close, closeTime);
  }
}

function trackOf(
  market: BacktestMarket,
  ordinal: number,
  { engine, venue, exchange }: Stage,
): Track {
  const { columns } = market;
  const { symbol } = market.instrument;
  const onOpen = (): void => matchOpen(exchange, venue, symbol);
  return new Track(symbol, ordinal, engine.series.attach(symbol, columns), onOpen);
}

/** Matches until the fills of this open cause no further order. */
function matchOpen(exchange: SimulatedExchange, venue: InlineVenue, symbol: string): void {
  while (venue.busy) {
    venue.drain();
    exchange.settle(symbol);
  }
}
