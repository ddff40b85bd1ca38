import { defer, finalize, ignoreElements, merge, Subject, tap, type Observable } from 'rxjs';
import { MINUTE_MS } from '../../core/interval.js';
import { assert, assertNever } from '../../core/assert.js';
import { candleFault, type Candle } from '../../core/candle.js';
import type { EngineEventBody } from '../../core/events.js';
import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { CandleRange, MarketMessage } from '../../venue/venue.js';
import { CandleRepair } from './candle-repair.js';
import { CandleSequence, type OfferResult } from './candle-sequence.js';
import { SecondAndMarkStreams } from './second-and-mark-streams.js';

export type MarketFeedEvent = Extract<
  EngineEventBody,
  { kind: 'candles' | 'revision' | 'seconds' | 'mark-candles' | 'tickers' | 'feed' }
>;

/** Counts of dropped and repaired candles since the subscription. */
export interface CandleFeedCounts {
  duplicates: number;
  late: number;
  revisions: number;
  invalid: number;
  overflows: number;
  /** Candles fetched from REST. */
  repaired: number;
  /** Minutes for which the venue has no candle. */
  absent: number;
}

export const emptyCandleFeedCounts = (): CandleFeedCounts => ({
  duplicates: 0,
  late: 0,
  revisions: 0,
  invalid: 0,
  overflows: 0,
  repaired: 0,
  absent: 0,
});

export interface CandleFeedOptions {
  readonly message$: Observable<MarketMessage>;
  readonly symbols: readonly string[];
  readonly fetch: (range: CandleRange) => Promise<readonly Candle[]>;
  /** Estimated venue time, ms UTC. */
  readonly venueNow: () => number;
  /** Open time of the newest candle of the warm-up, by symbol. The feed continues after it. */
  readonly lastOpenTime: ReadonlyMap<string, number>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Updated in place, if given. */
  readonly counts?: CandleFeedCounts;
  /** Venue ms after an expected close at which REST is queried (hazard I1). Default 75,000. */
  readonly staleAfterMs?: number;
}

const STALE_AFTER_MS = 75_000;
/** Monotonic ms. A venue minute can be one second long on an accelerated sandbox clock. */
const CHECK_EVERY_MS = 500;
/** The venue clock is an estimate: a candle up to this early (venue ms) counts as closed (hazard I17). */
const EARLY_TOLERANCE_MS = 2_000;
/** A candle further ahead than this is dropped. A nearer one waits for its close. */
const FUTURE_LIMIT_MS = 600_000;
/** After so many failed repairs `feed up` no longer waits for the symbol. */
const MAX_FAILURES_BEFORE_UP = 5;

/**
 * The validated market stream: closed one-minute candles per symbol, strictly ascending, without gaps
 * or duplicates, none before its close (property P18). Gaps after losses, reconnects and silence are
 * filled from REST before later candles pass.
 *
 * After a reconnect, `feed up` follows when every symbol has caught up (hazard I6) or its repair keeps
 * failing. In that case the age of its data stops entries at the risk gate.
 *
 * Cold. It ends with `message$`; timers and requests end with the subscription.
 */
export const candleFeed$ = (options: CandleFeedOptions): Observable<MarketFeedEvent> =>
  defer(() => {
    const feed = new MarketFeed(options);
    return merge(
      feed.event$,
      options.message$.pipe(
        tap({ subscribe: () => feed.start(), next: (message) => feed.onMessage(message) }),
        finalize(() => feed.stop()),
        ignoreElements(),
      ),
    ).pipe(finalize(() => feed.stop()));
  });

interface SymbolFeedState {
  readonly symbol: string;
  readonly sequence: CandleSequence;
  readonly repair: CandleRepair;
  /** After a connect: every candle that opens before this must be delivered before `feed up`. */
  catchUpTo: number | undefined;
}

class MarketFeed {
  readonly event$ = new Subject<MarketFeedEvent>();
  readonly #options: CandleFeedOptions;
  readonly #states = new Map<string, SymbolFeedState>();
  readonly #counts: CandleFeedCounts;
  readonly #secondAndMark: SecondAndMarkStreams;
  /** A candle that opens at T proves that the minutes before T have closed. */
  #knownClosedUntil = -Infinity;
  #connecting = false;
  #cancelCheck: Cancel | undefined;

  constructor(options: CandleFeedOptions) {
    this.#options = options;
    this.#counts = options.counts ?? emptyCandleFeedCounts();
    this.#secondAndMark = new SecondAndMarkStreams(options);
    for (const symbol of options.symbols) this.#states.set(symbol, this.#stateOf(symbol));
  }

  start(): void {
    this.#scheduleCheck();
  }

  stop(): void {
    this.#cancelCheck?.();
    for (const { repair } of this.#states.values()) repair.stop();
    this.event$.complete();
  }

  onMessage(message: MarketMessage): void {
    switch (message.kind) {
      case 'up':
        return this.#onConnected();
      case 'down':
        this.#connecting = false;
        return this.event$.next({ kind: 'feed', up: false, reason: message.reason });
      case 'candle':
        return this.#onCandle(message.symbol, message.candle);
      case 'tickers':
        return this.event$.next({ kind: 'tickers', rows: message.rows });
      case 'mark-candle':
      case 'second':
      case 'mark-second':
        for (const event of this.#secondAndMark.accept(message)) this.event$.next(event);
        return;
      default:
        return assertNever(message);
    }
  }

  #stateOf(symbol: string): SymbolFeedState {
    const { fetch, scheduler, logger, lastOpenTime } = this.#options;
    const last = lastOpenTime.get(symbol);
    assert(last !== undefined, `The warm-up of ${symbol} ended somewhere`);
    const sequence = new CandleSequence(last);
    const repair = new CandleRepair({
      symbol,
      sequence,
      fetch,
      scheduler,
      logger,
      closedUntil: () => this.#closedUntil(),
      onProgress: (repaired) => {
        this.#counts.repaired += repaired;
        this.#deliver(state);
      },
      onAbsent: (minutes) => this.#onAbsentMinutes(state, minutes),
    });
    const state: SymbolFeedState = { symbol, sequence, repair, catchUpTo: undefined };
    return state;
  }

  #closedUntil(): number {
    return Math.max(this.#options.venueNow() + EARLY_TOLERANCE_MS, this.#knownClosedUntil);
  }

  #lastMinuteEnd(): number {
    return Math.floor(this.#options.venueNow() / MINUTE_MS) * MINUTE_MS;
  }

  #onConnected(): void {
    this.#connecting = true;
    const until = this.#lastMinuteEnd();
    for (const state of this.#states.values()) {
      state.catchUpTo = until;
      state.sequence.requireUntil(until);
      state.repair.restart();
    }
    for (const state of this.#states.values()) this.#deliver(state);
    this.#emitUpWhenCaughtUp();
  }

  #onCandle(symbol: string, candle: Candle): void {
    const state = this.#states.get(symbol);
    if (state === undefined) return;
    const result = state.sequence.offer(candle, this.#options.venueNow() + FUTURE_LIMIT_MS);
    this.#countResult(state, candle, result);
    if (result === 'taken')
      this.#knownClosedUntil = Math.max(this.#knownClosedUntil, candle.openTime);
    // An invalid candle still shows that a minute has closed: REST has its candle, or soon will.
    if (result === 'invalid') state.sequence.requireUntil(this.#lastMinuteEnd());
    this.#deliver(state);
  }

  /** Emits the candles that are in order, requests missing ones and emits `feed up` when all caught up. */
  #deliver(state: SymbolFeedState): void {
    const candles = state.sequence.takeClosed(this.#closedUntil());
    if (candles.length > 0) {
      const { symbol } = state;
      this.event$.next({ kind: 'candles', symbol, interval: '1m', candles, live: true });
    }
    state.repair.start();
    if (this.#connecting) this.#emitUpWhenCaughtUp();
  }

  #emitUpWhenCaughtUp(): void {
    if (!this.#connecting) return;
    for (const state of this.#states.values()) if (this.#isBehind(state)) return;
    this.#connecting = false;
    this.event$.next({ kind: 'feed', up: true, reason: 'connected, candles complete' });
  }

  #isBehind(state: SymbolFeedState): boolean {
    const { sequence, repair, catchUpTo, symbol } = state;
    if (catchUpTo === undefined) return false;
    const caughtUp = sequence.nextOpenTime >= catchUpTo;
    if (!caughtUp && repair.failures < MAX_FAILURES_BEFORE_UP) return true;
    if (!caughtUp) {
      const fields = { symbol, fromMs: sequence.nextOpenTime };
      this.#options.logger.warn(fields, 'The stream is up but candles are still missing');
    }
    state.catchUpTo = undefined;
    return false;
  }

  #scheduleCheck(): void {
    this.#cancelCheck = this.#options.scheduler.after(CHECK_EVERY_MS, () => {
      for (const state of this.#states.values()) this.#check(state);
      this.#scheduleCheck();
    });
  }

  /** Detects silence, and emits candles that arrived early and have closed since. */
  #check(state: SymbolFeedState): void {
    const { sequence, symbol } = state;
    const staleAfterMs = this.#options.staleAfterMs ?? STALE_AFTER_MS;
    const expectedClose = sequence.nextOpenTime + MINUTE_MS;
    if (this.#options.venueNow() >= expectedClose + staleAfterMs && !sequence.missing()) {
      const fields = { symbol, expectedClose };
      this.#options.logger.warn(fields, 'No candle arrived for too long; querying REST');
      sequence.requireUntil(this.#lastMinuteEnd());
    }
    this.#deliver(state);
  }

  #onAbsentMinutes(state: SymbolFeedState, minutes: number): void {
    this.#counts.absent += minutes;
    const fields = { symbol: state.symbol, minutes, nextMs: state.sequence.nextOpenTime };
    this.#options.logger.warn(
      fields,
      'The venue has no candles for these minutes; they are skipped',
    );
  }

  #countResult(state: SymbolFeedState, candle: Candle, result: OfferResult): void {
    const { logger } = this.#options;
    const fields = { symbol: state.symbol, candle };
    switch (result) {
      case 'taken':
        return;
      case 'duplicate':
        this.#counts.duplicates++;
        return;
      case 'late':
        this.#counts.late++;
        return logger.debug(fields, 'A late candle was dropped');
      case 'revision':
        this.#counts.revisions++;
        logger.warn(
          fields,
          'A closed candle arrived again with other values; the first values stay in use',
        );
        return this.event$.next({ kind: 'revision', symbol: state.symbol, candle });
      case 'overflow':
        this.#counts.overflows++;
        return;
      case 'invalid':
      case 'too-early':
        this.#counts.invalid++;
        return logger.warn(
          { ...fields, fault: candleFault(candle) ?? 'its open time is not valid' },
          'An invalid candle was dropped',
        );
      default:
        return assertNever(result);
    }
  }
}
