import type { Cancel, Clock, Scheduler } from '../core/ports.js';
import { createCandleFrames, type CandleFrames, type CandleStream } from './candle-frames.js';
import type { FaultInjector } from './faults.js';
import { FeedFaults } from './feed-faults.js';
import type { Market } from './market.js';
import type { StreamName } from './stream-request.js';
import {
  StreamSession,
  type SessionDesk,
  type StreamConnection,
  type TickerPeriod,
} from './stream-session.js';
import type { Switches } from './switches.js';
import { createTickerRows } from './ticker-rows.js';

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
  readonly faults: Pick<FaultInjector, 'hasFeed' | 'push'>;
  readonly switches: Switches;
  readonly seed: number;
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
  /** Sends what tickers have to tell, now or as soon as the spacing allows. */
  flush(): void;
  closeAll(): void;
}

export const createStreams = (
  options: StreamsOptions,
  clock: Clock,
  scheduler: Scheduler,
): Streams => new MarketStreams(options, clock, scheduler);

interface Audience<Stream extends StreamName> {
  readonly stream: Stream;
  readonly sessions: Set<StreamSession>;
}

class MarketStreams implements Streams {
  readonly #options: StreamsOptions;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #frames: CandleFrames;
  readonly #desk: SessionDesk;
  /** Each with what breaks its connection. */
  readonly #sessions = new Map<StreamSession, () => void>();
  /** By stream key: a frame is made once a second, whoever hears it. */
  readonly #candles = new Map<string, Audience<CandleStream>>();
  readonly #tickers: Readonly<Record<TickerPeriod, Set<StreamSession>>> = {
    '1s': new Set(),
    '5s': new Set(),
  };
  readonly #due = { '1s': false, '5s': false };
  #lastTickerAt = -Infinity;
  #cancelFlush: Cancel | undefined;

  constructor(options: StreamsOptions, clock: Clock, scheduler: Scheduler) {
    const { market, nowMs, switches, seed, faults } = options;
    this.#options = options;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#frames = createCandleFrames(market, switches.kline1s);
    const feed = new FeedFaults({
      faults,
      monotonicMs: () => clock.monotonicMs(),
      drop: (session) => this.#sessions.get(session)?.(),
    });
    this.#desk = {
      switches,
      row: createTickerRows({ market, nowMs, seed, tickerMark: switches.tickerMark }),
      push: (session, stream, frame) => {
        if (this.#sessions.has(session)) feed.push(session, stream, frame);
      },
      joined: (session, stream) => this.#audienceOf(stream).add(session),
      left: (session, stream) => {
        this.#leave(session, stream);
      },
    };
  }

  open(connection: StreamConnection): StreamPeer {
    const session = new StreamSession(connection, this.#desk);
    const idle = this.#watchIdle(() => {
      drop();
    });
    const forget = (): void => {
      idle.cancel();
      this.#sessions.delete(session);
      for (const stream of session.streams()) this.#leave(session, stream);
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
    for (const { stream, sessions } of [...this.#candles.values()]) {
      const frame = this.#frames.at(stream, boundaryMs);
      if (frame === undefined) continue;
      for (const session of sessions) this.#desk.push(session, stream.key, frame);
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
    for (const session of this.#tickers[period]) session.pushTicker(period);
  }

  #audienceOf(stream: StreamName): Set<StreamSession> {
    if (stream.kind === 'ticker') return this.#tickers[stream.period];
    const known = this.#candles.get(stream.key);
    if (known !== undefined) return known.sessions;
    const sessions = new Set<StreamSession>();
    this.#candles.set(stream.key, { stream, sessions });
    return sessions;
  }

  #leave(session: StreamSession, stream: StreamName): void {
    const sessions = this.#audienceOf(stream);
    sessions.delete(session);
    if (stream.kind !== 'ticker' && sessions.size === 0) this.#candles.delete(stream.key);
  }

  #watchIdle(expired: () => void): { readonly reset: () => void; readonly cancel: () => void } {
    let lastFrameAt = this.#clock.monotonicMs();
    let cancel: Cancel = () => undefined;
    const watch = (afterMs: number): void => {
      cancel = this.#scheduler.after(afterMs, () => {
        const restMs = lastFrameAt + IDLE_MS - this.#clock.monotonicMs();
        if (restMs <= 0) expired();
        else watch(restMs);
      });
    };
    if (this.#options.switches.idleClose === 'after-40s') watch(IDLE_MS);
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
