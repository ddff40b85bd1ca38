import type { Cancel, Clock, Scheduler } from '../../core/ports.js';
import type { FaultInjector } from '../faults/faults.js';
import { FeedFaults } from './feed-faults.js';
import type { Market } from '../../market/synthetic/market.js';
import type { StreamName } from './stream-request.js';
import {
  SandboxStreamSession,
  type SessionContext,
  type StreamConnection,
  type TickerPeriod,
} from './sandbox-stream-session.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';
import {
  createCandleFrames,
  createTickerRows,
  type CandleFrames,
  type CandleStreamName,
} from './stream-frames.js';

/** Real ms without a client frame after which the connection is closed (interface: Limits). */
const IDLE_MS = 40_000;
/**
 * Least real ms between two pushes of a ticker. On a fast clock venue seconds are shorter than that; a
 * frame then has the newest rows.
 */
const TICKER_SPACING_MS = 100;
const FIVE_SECONDS_MS = 5_000;

export interface StreamsOptions {
  readonly market: Market;
  /** Venue ms up to which prices are applied. */
  readonly nowMs: () => number;
  readonly faults: Pick<FaultInjector, 'hasFeed' | 'push'>;
  readonly switches: BehaviorFlags;
  readonly seed: number;
}

/** The server's end of a connection, called by its transport. */
export interface StreamPeer {
  /** A text frame from the client. */
  onMessage(text: string): void;
  /** A ping frame from the client, which resets the idle timer. */
  onActivity(): void;
  /** The connection has ended. */
  onClosed(): void;
}

export interface Streams {
  open(connection: StreamConnection): StreamPeer;
  /** Venue time reached this whole second. */
  onSecond(boundaryMs: number): void;
  /** A price override was set or released. */
  onPriceMoved(): void;
  /** Sends due ticker frames, now or as soon as the spacing permits. */
  flush(): void;
  closeAll(): void;
}

export const createStreams = (
  options: StreamsOptions,
  clock: Clock,
  scheduler: Scheduler,
): Streams => new MarketStreams(options, clock, scheduler);

interface StreamSubscribers<Stream extends StreamName> {
  readonly stream: Stream;
  readonly sessions: Set<SandboxStreamSession>;
}

class MarketStreams implements Streams {
  readonly #options: StreamsOptions;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #frames: CandleFrames;
  readonly #context: SessionContext;
  /** Each with the function that breaks its connection. */
  readonly #sessions = new Map<SandboxStreamSession, () => void>();
  /** By stream key; each frame is built once a second for all sessions. */
  readonly #candles = new Map<string, StreamSubscribers<CandleStreamName>>();
  readonly #tickers: Readonly<Record<TickerPeriod, Set<SandboxStreamSession>>> = {
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
    this.#context = {
      switches,
      row: createTickerRows({ market, nowMs, seed, tickerMark: switches.tickerMark }),
      push: (session, stream, frame) => {
        if (this.#sessions.has(session)) feed.push(session, stream, frame);
      },
      onSubscribed: (session, stream) => this.#subscribersOf(stream).add(session),
      onUnsubscribed: (session, stream) => {
        this.#unsubscribe(session, stream);
      },
    };
  }

  open(connection: StreamConnection): StreamPeer {
    const session = new SandboxStreamSession(connection, this.#context);
    const idleTimer = this.#startIdleTimer(() => {
      drop();
    });
    const removeSession = (): void => {
      idleTimer.cancel();
      this.#sessions.delete(session);
      for (const stream of session.streams()) this.#unsubscribe(session, stream);
    };
    const drop = (): void => {
      removeSession();
      connection.close();
    };
    this.#sessions.set(session, drop);
    return {
      onActivity: idleTimer.reset,
      onMessage: (text) => {
        if (!this.#sessions.has(session)) return;
        idleTimer.reset();
        session.handle(text);
      },
      onClosed: removeSession,
    };
  }

  onSecond(boundaryMs: number): void {
    if (this.#sessions.size === 0) return;
    this.#due['1s'] = true;
    if (boundaryMs % FIVE_SECONDS_MS === 0) this.#due['5s'] = true;
    for (const { stream, sessions } of [...this.#candles.values()]) {
      const frame = this.#frames.at(stream, boundaryMs);
      if (frame === undefined) continue;
      for (const session of sessions) this.#context.push(session, stream.key, frame);
    }
  }

  onPriceMoved(): void {
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

  #subscribersOf(stream: StreamName): Set<SandboxStreamSession> {
    if (stream.kind === 'ticker') return this.#tickers[stream.period];
    const existing = this.#candles.get(stream.key);
    if (existing !== undefined) return existing.sessions;
    const sessions = new Set<SandboxStreamSession>();
    this.#candles.set(stream.key, { stream, sessions });
    return sessions;
  }

  #unsubscribe(session: SandboxStreamSession, stream: StreamName): void {
    const sessions = this.#subscribersOf(stream);
    sessions.delete(session);
    if (stream.kind !== 'ticker' && sessions.size === 0) this.#candles.delete(stream.key);
  }

  #startIdleTimer(expired: () => void): {
    readonly reset: () => void;
    readonly cancel: () => void;
  } {
    let lastFrameAt = this.#clock.monotonicMs();
    let cancel: Cancel = () => undefined;
    const schedule = (afterMs: number): void => {
      cancel = this.#scheduler.after(afterMs, () => {
        const restMs = lastFrameAt + IDLE_MS - this.#clock.monotonicMs();
        if (restMs <= 0) expired();
        else schedule(restMs);
      });
    };
    if (this.#options.switches.idleClose === 'after-40s') schedule(IDLE_MS);
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
