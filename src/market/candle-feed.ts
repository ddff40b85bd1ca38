import { defer, finalize, ignoreElements, merge, Subject, tap, type Observable } from 'rxjs';
import { assert, assertNever } from '../core/assert.js';
import { candleFault, type Candle } from '../core/candle.js';
import type { Happening } from '../core/events.js';
import type { Cancel, Logger, Scheduler } from '../core/ports.js';
import type { CandleRange, MarketMessage } from '../venue/venue.js';
import { CandleRepair } from './candle-repair.js';
import { CandleSequence, MINUTE_MS, type Reception } from './candle-sequence.js';
import { ExtraStreams } from './extra-streams.js';

export type FeedHappening = Extract<
  Happening,
  { kind: 'candles' | 'revision' | 'seconds' | 'mark-candles' | 'tickers' | 'feed' }
>;

/** What was left out and what was mended, since the subscription. */
export interface CandleFeedCounts {
  duplicates: number;
  late: number;
  revisions: number;
  invalid: number;
  overflows: number;
  /** Candles that came from REST. */
  repaired: number;
  /** Minutes that the venue turned out not to have. */
  absent: number;
}

export const noCandleFeedCounts = (): CandleFeedCounts => ({
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
  /** Venue time, ms UTC; an estimate. */
  readonly venueNow: () => number;
  /** Open time of the newest candle of the warm-up, per symbol: the feed goes on after it. */
  readonly lastOpenTime: ReadonlyMap<string, number>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Kept up to date when given. */
  readonly counts?: CandleFeedCounts;
  /** Venue ms after an expected close before REST is asked (reliability, I1). Default 75,000. */
  readonly staleAfterMs?: number;
}

const STALE_AFTER_MS = 75_000;
/** Monotonic. Under a fast sandbox clock a venue minute is one second long. */
const CHECK_EVERY_MS = 500;
/** The venue clock is an estimate; a frame this early (venue ms) counts as closed (hazard I17). */
const EARLY_TOLERANCE_MS = 2_000;
/** A frame further ahead than this is not believed; one within it waits for its close. */
const FUTURE_LIMIT_MS = 600_000;
/** Repairs that fail so often no longer hold back the news that the stream is up. */
const FAILURES_BEFORE_UP = 5;

/**
 * The market stream made sound: closed one-minute candles per symbol, strictly ascending, no gap, no
 * duplicate, none before its close (property P18). Holes, reconnects and silence are mended from
 * REST before later candles pass. `feed up` follows a reconnect only when every symbol has caught
 * up (hazard I6), or cannot for now: the age of its data then tells the gate.
 *
 * Cold; ends when `message$` ends. Timers and requests end with the subscription.
 */
export const candleFeed$ = (options: CandleFeedOptions): Observable<FeedHappening> =>
  defer(() => {
    const feed = new CandleFeed(options);
    return merge(
      feed.out$,
      options.message$.pipe(
        tap({ subscribe: () => feed.start(), next: (message) => feed.receive(message) }),
        finalize(() => feed.stop()),
        ignoreElements(),
      ),
    ).pipe(finalize(() => feed.stop()));
  });

interface SymbolState {
  readonly symbol: string;
  readonly sequence: CandleSequence;
  readonly repair: CandleRepair;
  /** Catching up after a connect: everything that opens before this must have been delivered. */
  catchUpTo: number | undefined;
}

class CandleFeed {
  readonly out$ = new Subject<FeedHappening>();
  readonly #options: CandleFeedOptions;
  readonly #states = new Map<string, SymbolState>();
  readonly #counts: CandleFeedCounts;
  readonly #extra: ExtraStreams;
  /** A frame that opens at T proves that the minutes before T have closed. */
  #provedUntil = -Infinity;
  #connecting = false;
  #cancelCheck: Cancel | undefined;

  constructor(options: CandleFeedOptions) {
    this.#options = options;
    this.#counts = options.counts ?? noCandleFeedCounts();
    this.#extra = new ExtraStreams(options);
    for (const symbol of options.symbols) this.#states.set(symbol, this.#stateOf(symbol));
  }

  start(): void {
    this.#checkLater();
  }

  stop(): void {
    this.#cancelCheck?.();
    for (const { repair } of this.#states.values()) repair.stop();
    this.out$.complete();
  }

  receive(message: MarketMessage): void {
    switch (message.kind) {
      case 'up':
        return this.#connected();
      case 'down':
        this.#connecting = false;
        return this.out$.next({ kind: 'feed', up: false, reason: message.reason });
      case 'candle':
        return this.#receiveCandle(message.symbol, message.candle);
      case 'tickers':
        return this.out$.next({ kind: 'tickers', rows: message.rows });
      case 'mark-candle':
      case 'second':
      case 'mark-second':
        for (const happening of this.#extra.take(message)) this.out$.next(happening);
        return;
      default:
        return assertNever(message);
    }
  }

  #stateOf(symbol: string): SymbolState {
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
      onAnswer: (repaired) => {
        this.#counts.repaired += repaired;
        this.#deliver(state);
      },
      onAbsent: (minutes) => this.#acceptAbsence(state, minutes),
    });
    const state: SymbolState = { symbol, sequence, repair, catchUpTo: undefined };
    return state;
  }

  #closedUntil(): number {
    return Math.max(this.#options.venueNow() + EARLY_TOLERANCE_MS, this.#provedUntil);
  }

  #lastMinuteEnd(): number {
    return Math.floor(this.#options.venueNow() / MINUTE_MS) * MINUTE_MS;
  }

  #connected(): void {
    this.#connecting = true;
    const until = this.#lastMinuteEnd();
    for (const state of this.#states.values()) {
      state.catchUpTo = until;
      state.sequence.want(until);
      state.repair.restart();
    }
    for (const state of this.#states.values()) this.#deliver(state);
    this.#announceUp();
  }

  #receiveCandle(symbol: string, candle: Candle): void {
    const state = this.#states.get(symbol);
    if (state === undefined) return;
    const reception = state.sequence.offer(candle, this.#options.venueNow() + FUTURE_LIMIT_MS);
    this.#count(state, candle, reception);
    if (reception === 'taken') this.#provedUntil = Math.max(this.#provedUntil, candle.openTime);
    // Something closed just now, whatever was wrong with it: REST has it, or soon will.
    if (reception === 'invalid') state.sequence.want(this.#lastMinuteEnd());
    this.#deliver(state);
  }

  /** Hands out what is in order, asks for what is missing, and says when all have caught up. */
  #deliver(state: SymbolState): void {
    const candles = state.sequence.take(this.#closedUntil());
    if (candles.length > 0) {
      const { symbol } = state;
      this.out$.next({ kind: 'candles', symbol, interval: '1m', candles, live: true });
    }
    state.repair.start();
    if (this.#connecting) this.#announceUp();
  }

  #announceUp(): void {
    if (!this.#connecting) return;
    for (const state of this.#states.values()) if (this.#isBehind(state)) return;
    this.#connecting = false;
    this.out$.next({ kind: 'feed', up: true, reason: 'connected, candles complete' });
  }

  #isBehind(state: SymbolState): boolean {
    const { sequence, repair, catchUpTo, symbol } = state;
    if (catchUpTo === undefined) return false;
    const caughtUp = sequence.nextOpenTime >= catchUpTo;
    if (!caughtUp && repair.failures < FAILURES_BEFORE_UP) return true;
    if (!caughtUp) {
      const fields = { symbol, fromMs: sequence.nextOpenTime };
      this.#options.logger.warn(fields, 'The stream is up but candles are still missing');
    }
    state.catchUpTo = undefined;
    return false;
  }

  #checkLater(): void {
    this.#cancelCheck = this.#options.scheduler.after(CHECK_EVERY_MS, () => {
      for (const state of this.#states.values()) this.#check(state);
      this.#checkLater();
    });
  }

  /** The watchdog; also lets out candles that came early and have closed since. */
  #check(state: SymbolState): void {
    const { sequence, symbol } = state;
    const staleAfterMs = this.#options.staleAfterMs ?? STALE_AFTER_MS;
    const expectedClose = sequence.nextOpenTime + MINUTE_MS;
    if (this.#options.venueNow() >= expectedClose + staleAfterMs && !sequence.missing()) {
      const fields = { symbol, expectedClose };
      this.#options.logger.warn(fields, 'No candle arrived for too long; asking REST');
      sequence.want(this.#lastMinuteEnd());
    }
    this.#deliver(state);
  }

  #acceptAbsence(state: SymbolState, minutes: number): void {
    this.#counts.absent += minutes;
    const fields = { symbol: state.symbol, minutes, nextMs: state.sequence.nextOpenTime };
    this.#options.logger.warn(fields, 'The venue has no candles for these minutes; going on');
  }

  #count(state: SymbolState, candle: Candle, reception: Reception): void {
    const { logger } = this.#options;
    const fields = { symbol: state.symbol, candle };
    switch (reception) {
      case 'taken':
        return;
      case 'duplicate':
        this.#counts.duplicates++;
        return;
      case 'late':
        this.#counts.late++;
        return logger.debug(fields, 'A candle came late and was dropped');
      case 'revision':
        this.#counts.revisions++;
        logger.warn(fields, 'A closed candle came again with other values; kept the first');
        return this.out$.next({ kind: 'revision', symbol: state.symbol, candle });
      case 'overflow':
        this.#counts.overflows++;
        return;
      case 'invalid':
      case 'too-early':
        this.#counts.invalid++;
        return logger.warn(
          { ...fields, fault: candleFault(candle) ?? 'its open time is off' },
          'A candle cannot be true and was dropped',
        );
      default:
        return assertNever(reception);
    }
  }
}
