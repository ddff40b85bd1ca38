import type { Candle } from '../core/candle.js';
import type { Cancel, Clock, Scheduler } from '../core/ports.js';
import { MINUTE_MS, runningMinute, SECOND_MS, type Market } from './market.js';
import type { StreamName } from './stream-request.js';
import {
  StreamSession,
  type StreamConnection,
  type TickerPeriod,
  type TickerPrices,
} from './stream-session.js';

/** Real ms without a client frame after which the connection is closed (interface, Limits). */
const IDLE_MS = 40_000;
/**
 * Least real ms between two pushes of a ticker. On a fast clock the venue seconds come closer than
 * that; the frame then holds the newest rows.
 */
const TICKER_SPACING_MS = 100;
const FIVE_SECONDS_MS = 5_000;

export interface StreamsOptions {
  readonly market: Market;
  /** Venue ms up to which prices have been told. */
  readonly nowMs: () => number;
  /** Asked before every push: whether the connection breaks instead. */
  readonly dropsPush: () => boolean;
}

/** The server's end of a connection, for whoever carries its bytes. */
export interface StreamPeer {
  /** A text frame from the client. */
  message(text: string): void;
  /** A ping frame from the client: it lives. */
  alive(): void;
  /** The connection is gone. */
  closed(): void;
}

export interface Streams {
  open(connection: StreamConnection): StreamPeer;
  /** Venue time has reached this whole second. */
  second(boundaryMs: number): void;
  /** A price was moved by hand. */
  priceMoved(): void;
  /** Sends the ticker rows that are due, now or as soon as the spacing allows. */
  flush(): void;
  closeAll(): void;
}

/** The public market-data streams (supplement, part 1), independent of what carries them. */
export const createStreams = (
  options: StreamsOptions,
  clock: Clock,
  scheduler: Scheduler,
): Streams => new MarketStreams(options, clock, scheduler);

class MarketStreams implements Streams {
  readonly #options: StreamsOptions;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  /** Each with what breaks its connection. */
  readonly #sessions = new Map<StreamSession, () => void>();
  readonly #due = { '1s': false, '5s': false };
  #lastTickerAt = -Infinity;
  #cancelFlush: Cancel | undefined;

  constructor(options: StreamsOptions, clock: Clock, scheduler: Scheduler) {
    this.#options = options;
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  open(connection: StreamConnection): StreamPeer {
    const session = new StreamSession(connection, (symbol) => this.#prices(symbol));
    const idle = this.#watchIdle(() => {
      drop();
    });
    const forget = (): void => {
      idle.cancel();
      this.#sessions.delete(session);
    };
    const drop = (): void => {
      forget();
      connection.close();
    };
    this.#sessions.set(session, drop);
    return {
      alive: idle.reset,
      message: (text) => {
        if (!this.#sessions.has(session)) return;
        idle.reset();
        session.handle(text);
      },
      closed: forget,
    };
  }

  second(boundaryMs: number): void {
    if (this.#sessions.size === 0) return;
    this.#due['1s'] = true;
    if (boundaryMs % FIVE_SECONDS_MS === 0) this.#due['5s'] = true;
    const frames = new Map<string, unknown>();
    for (const session of [...this.#sessions.keys()]) {
      for (const stream of [...session.streams()]) {
        if (stream.kind !== 'ticker') this.#pushCandle(session, stream, boundaryMs, frames);
      }
    }
  }

  priceMoved(): void {
    this.#due['1s'] = true;
    this.flush();
  }

  flush(): void {
    if ((!this.#due['1s'] && !this.#due['5s']) || this.#cancelFlush !== undefined) return;
    const waitMs = this.#lastTickerAt + TICKER_SPACING_MS - this.#clock.monotonicMs();
    if (waitMs > 0) {
      this.#cancelFlush = this.#scheduler.after(waitMs, () => {
        this.#cancelFlush = undefined;
        this.flush();
      });
      return;
    }
    this.#lastTickerAt = this.#clock.monotonicMs();
    for (const period of ['1s', '5s'] as const) this.#pushTickers(period);
  }

  closeAll(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (const drop of [...this.#sessions.values()]) drop();
  }

  #pushTickers(period: TickerPeriod): void {
    if (!this.#due[period]) return;
    this.#due[period] = false;
    for (const session of [...this.#sessions.keys()]) {
      if (session.hasTicker(period)) {
        this.#push(session, () => {
          session.pushTicker(period);
        });
      }
    }
  }

  /** `frames` keeps what a second has to say on a stream, for every session that hears it. */
  #pushCandle(
    session: StreamSession,
    stream: CandleStream,
    boundaryMs: number,
    frames: Map<string, unknown>,
  ): void {
    const { market } = this.#options;
    if (!frames.has(stream.key)) frames.set(stream.key, frameAt(market, stream, boundaryMs));
    const frame = frames.get(stream.key);
    if (frame === undefined || !this.#sessions.has(session)) return;
    this.#push(session, () => {
      session.push(stream.key, frame);
    });
  }

  #push(session: StreamSession, send: () => void): void {
    if (this.#options.dropsPush()) this.#sessions.get(session)?.();
    else send();
  }

  #prices(lowerSymbol: string): TickerPrices | undefined {
    const { market, nowMs } = this.#options;
    const symbol = lowerSymbol.toUpperCase();
    const last = market.priceAt('last', symbol, nowMs());
    if (last === undefined) return undefined;
    return { last, mark: market.priceAt('mark', symbol, nowMs()) };
  }

  #watchIdle(expired: () => void): { readonly reset: () => void; readonly cancel: () => void } {
    let lastFrameAt = this.#clock.monotonicMs();
    let cancel: Cancel;
    const watch = (afterMs: number): void => {
      cancel = this.#scheduler.after(afterMs, () => {
        const restMs = lastFrameAt + IDLE_MS - this.#clock.monotonicMs();
        if (restMs <= 0) expired();
        else watch(restMs);
      });
    };
    watch(IDLE_MS);
    return {
      reset: () => {
        lastFrameAt = this.#clock.monotonicMs();
      },
      cancel: () => {
        cancel();
      },
    };
  }
}

type CandleStream = Exclude<StreamName, { kind: 'ticker' }>;

/** The frame of a candle stream at a second's end; undefined when there is none. */
function frameAt(market: Market, stream: CandleStream, boundaryMs: number): unknown {
  const kind = stream.kind === 'kline' ? 'last' : 'mark';
  const symbol = stream.symbol.toUpperCase();
  if (stream.period === '1m') {
    if (boundaryMs % MINUTE_MS !== 0) return undefined;
    const candle = market.span(kind, symbol, boundaryMs - MINUTE_MS, boundaryMs);
    return candle === undefined ? undefined : wire(stream, candle, boundaryMs - MINUTE_MS);
  }
  const openMs = boundaryMs - SECOND_MS;
  const candle = market.second(kind, symbol, openMs);
  if (candle === undefined || isSilent(candle)) return undefined;
  if (kind === 'mark') return wire(stream, candle, openMs);
  // kline@1s is the running minute, stamped with the second (seen live; supplement, part 1.6).
  const running = runningMinute(market, kind, symbol, boundaryMs);
  return running === undefined ? undefined : wire(stream, running, openMs);
}

/** Seconds in which nothing happened are skipped. */
const isSilent = (candle: Candle): boolean =>
  candle.volume === 0 && candle.high === candle.low && candle.open === candle.close;

function wire(stream: CandleStream, candle: Candle, openMs: number): unknown {
  const { open: o, high: h, low: l, close: c, volume: v } = candle;
  const prices = { s: stream.symbol, t: openMs / 1_000, o, h, l, c };
  return stream.kind === 'kline' ? { ...prices, v } : prices;
}
