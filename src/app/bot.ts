import { Subscription } from 'rxjs';
import { CURRENCIES, type Currency } from '../core/currency.js';
import type { Command, EngineEvent, Happening } from '../core/events.js';
import { numberFromFixed } from '../core/fixed.js';
import type { Cancel, Clock, Log, Logger, Scheduler } from '../core/ports.js';
import type { Engine } from '../engine/engine.js';
import { Inbox } from '../engine/inbox.js';
import type { Outbox } from '../engine/outbox.js';
import { LogWriteError } from '../execution/log/framed-log.js';
import type { JournalRecord } from '../execution/journal/journal-record.js';
import type { Recorder } from '../engine/recorder.js';
import { closesAfter, symbolsOf, wantedStreams } from '../engine/market/stream-router.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import { candleFeed$ } from '../market/candle-feed.js';
import { planWarmUp } from '../market/warm-up.js';
import type { Instrument } from '../core/instrument.js';
import type { Reply } from '../core/request.js';
import { VenueError, type AccountMessage, type Venue, type WantedAccount } from '../venue/venue.js';
import { KeyAccess } from './key-access.js';
import { isKeyRefusal } from './key-watch.js';
import type { FundingRate } from './paper/paper-input.js';
import type { VenueClock } from './venue-clock.js';

/** Candles that arrive live; what strategies want of longer ones is aggregated. */
export const LIVE_BASE: Interval = '1m';
const MINUTE_MS = 60_000;
const SETTLE_MS = 15_000;
const CHECK_MS = 50;
/** Four requests a minute: a foreign position there is no haste. */
const OTHER_CURRENCY_EVERY_MS = 30_000;

export interface BotParts {
  readonly engine: Engine;
  readonly outbox: Outbox;
  readonly recorder: Recorder;
  readonly logs: readonly Log[];
  /** The journal as it stood before this session. */
  readonly records: readonly JournalRecord[];
  readonly venue: Venue;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly symbols: readonly string[];
  readonly pollMs: number;
  /** Tells the rate of each symbol's next settlement, now and whenever it is read again. */
  readonly watchFunding: (
    symbols: readonly string[],
    know: (symbol: string, rate: FundingRate) => void,
  ) => Cancel;
  /** Compares the configuration with what the venue lists. @throws ConfigError */
  readonly checkListed: (listed: readonly Instrument[]) => void;
  /** What to say when the venue refuses the key, in its own words `cause`. */
  readonly keyRefused: (cause: string) => Error;
  /** What a person must do when it is refused in mid-run; absent: that ends the run. */
  readonly keyAdvice: string | undefined;
  /** Asks the venue for its time. @throws VenueError */
  readonly readTime: () => Promise<void>;
  /** Lets go of what was opened for this bot: clock follower, lock, sockets. */
  readonly release: () => Promise<void>;
}

/**
 * A running bot: streams and polls flow into the inbox, the engine takes one step each, the outbox
 * carries out what it wants. All that subscribes is here.
 */
export class Bot {
  readonly engine: Engine;
  readonly #parts: BotParts;
  readonly #inbox: Inbox;
  readonly #streams = new Subscription();
  readonly #waits = new Set<Cancel>();
  readonly #key: KeyAccess;
  #started = false;
  /** Candles that close after this venue time are no longer decided on. */
  #lastClose = Number.POSITIVE_INFINITY;
  #commands = 0;
  #closed = false;
  #failure: unknown;
  #journalLost = false;
  /** Nothing is stepped any more. */
  #over = false;
  #onFailure: ((error: unknown) => void) | undefined;
  readonly #onHalt: (() => void)[] = [];

  constructor(parts: BotParts) {
    this.#parts = parts;
    this.engine = parts.engine;
    this.#inbox = new Inbox(
      (event) => {
        this.#record(event);
        parts.engine.handle(event);
      },
      () => {
        parts.outbox.flush();
        this.#tellHalt();
      },
    );
    this.#key = new KeyAccess({
      ...parts,
      push: (happening) => {
        this.push(happening);
      },
      advice: parts.keyAdvice ?? '',
      phase: () => (this.#started ? 'running' : 'starting'),
      waits: parts.keyAdvice !== undefined,
      end: (cause) => {
        this.fail(parts.keyRefused(cause));
      },
    });
  }

  /** What the lives before this one journaled, header first. */
  get journalAtStart(): readonly JournalRecord[] {
    return this.#parts.records;
  }

  /** What ends a run from within: rejects once, never resolves. */
  get failed(): Promise<never> {
    return new Promise((_, reject) => {
      if (this.#failure !== undefined) reject(toError(this.#failure));
      this.#onFailure = (error) => {
        reject(toError(error));
      };
    });
  }

  /** What has ended it from within, if anything has. */
  get failure(): Error | undefined {
    return this.#failure === undefined ? undefined : toError(this.#failure);
  }

  /** Into the inbox, stamped with both times. */
  push(happening: Happening): void {
    try {
      this.#inbox.push({
        ...happening,
        venueTime: this.#parts.venueClock.now(),
        monotonic: this.#parts.clock.monotonicMs(),
      });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The venue's answer to a request of the engine. */
  answer(requestId: number, reply: Reply): void {
    this.push({ kind: 'reply', requestId, reply });
    this.#key.answered(reply);
  }

  /** The secret was read again: if the key was refused, the next poll tells whether it is now taken. */
  secretRead(): void {
    this.#key.secretRead();
  }

  fail(error: unknown): void {
    this.#inbox.close();
    this.#over = true;
    this.#noteFailure(error);
  }

  /**
   * The journal cannot be written: nothing is placed any more, and events are not recorded. The bot
   * still steps, so that `stop` can take back what rests at the venue; what it then proves is told to
   * the journal's reserve.
   */
  journalFailed(error: unknown): void {
    this.#journalLost = true;
    this.push({ kind: 'journal-failed', reason: String(error) });
    this.#noteFailure(error);
  }

  /** It has failed for want of a journal, and can still take orders back. */
  get journalLost(): boolean {
    return this.#journalLost && !this.#over;
  }

  #noteFailure(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#onFailure?.(error);
  }

  #record(event: EngineEvent): void {
    if (this.#journalLost) return;
    try {
      this.#parts.recorder.write(event);
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
      this.#parts.outbox.recordFailed(error);
    }
  }

  /**
   * Warms up and reconciles. Resolves when the engine may trade, or has halted.
   * @throws VenueError, ConfigError, StartError, or what made it fail meanwhile
   */
  async start(): Promise<void> {
    const { venue, pollMs } = this.#parts;
    const { currency } = this.engine;
    const listed = await this.#listed();
    this.#parts.checkListed(listed);
    this.push({ kind: 'instruments', instruments: this.#tradedInstruments(listed) });
    const lastOpenTime = await this.#warmUp();
    this.#streams.add(this.#subscribeMarket(lastOpenTime));
    const funded = symbolsOf(this.engine.hosts, 'funding');
    if (funded.length > 0) this.#streams.add(this.#watchFunding(funded));
    // Last: with the first picture of the account the engine may begin, and prices must be known by then.
    this.#streams.add(
      venue.account$(this.#wantedAccount(currency, pollMs)).subscribe({
        next: (message) => {
          this.#meetAccount(message);
        },
        error: (error: unknown) => {
          this.fail(error);
        },
      }),
    );
    await this.#until(() => this.engine.mode === 'TRADING' || this.engine.haltReason !== undefined);
    if (this.failure !== undefined) throw this.failure;
    this.#started = true;
  }

  #wantedAccount(currency: Currency, everyMs: number): WantedAccount {
    return {
      currencies: [currency],
      everyMs,
      // Nothing of ours is in the other currency; what others have there is to be known all the same.
      seldom: {
        currencies: CURRENCIES.filter((each) => each !== currency),
        everyMs: OTHER_CURRENCY_EVERY_MS,
      },
      // After many starts in a minute the share of the budget that polls have is used up.
      isAwaited: () => this.engine.mode === 'STARTING' || this.engine.mode === 'RECONCILING',
    };
  }

  async #listed(): Promise<readonly Instrument[]> {
    try {
      return await this.#parts.venue.instruments();
    } catch (error) {
      const refused = error instanceof VenueError && isKeyRefusal(error.status);
      throw refused ? this.#parts.keyRefused(error.message) : error;
    }
  }

  #meetAccount(message: AccountMessage): void {
    if (message.kind === 'snapshot') this.push({ kind: 'account', snapshot: message.snapshot });
    else this.#parts.logger.warn({ what: message.what }, `poll failed: ${message.cause}`);
    this.#key.polled(message);
  }

  /** Asks the venue for its time, now that it may have changed. */
  readTime(): Promise<void> {
    return this.#parts.readTime();
  }

  /** Venue time that many real ms from now. */
  venueTimeIn(realMs: number): number {
    const { venueClock } = this.#parts;
    return venueClock.now() + realMs * venueClock.rate;
  }

  /** Resolves when the engine has halted: nothing will be placed any more. */
  get halted(): Promise<void> {
    return new Promise((resolve) => {
      this.#onHalt.push(resolve);
      this.#tellHalt();
    });
  }

  /** A lost journal is told as the failure that it is. */
  #tellHalt(): void {
    if (this.engine.haltReason === undefined || this.#journalLost) return;
    for (const resolve of this.#onHalt.splice(0)) resolve();
  }

  tellProgress(): void {
    const { engine } = this;
    const { counts } = engine;
    this.#parts.logger.info(
      {
        intents: counts.intents,
        orders_filled: counts.ordersFilled,
        refused: counts.refused,
        unknown: engine.ledger.unproved,
        positions: [...engine.positions.open()].length,
      },
      `running, venue time ${new Date(this.#parts.venueClock.now()).toISOString()}`,
    );
  }

  /** Closed candles until then are still decided on, later ones are not. */
  decideUntil(venueTime: number): void {
    this.#lastClose = venueTime;
  }

  /** Orders that it causes have their client order ids from `commandId`: two words never share one. */
  command(command: Command, commandId = this.#nextCommandId()): void {
    this.push({ kind: 'command', commandId, command });
  }

  /** Resolves when it holds or the time is up, with whether it holds. */
  until(holds: () => boolean, withinMs: number): Promise<boolean> {
    return this.#until(holds, withinMs);
  }

  /** What was commanded and decided so far is durable. @throws what made the journal fail */
  async journaled(): Promise<void> {
    await this.#parts.outbox.drain();
  }

  /**
   * Stops under a policy: no new entries, orders in flight brought to an end, the account compared
   * once more. What is not proved within the time is left to the next start, and said.
   */
  async stop(policy: 'keep' | 'cancel-entries' | 'flatten'): Promise<void> {
    this.command({ kind: 'stop', policy });
    const done = (): boolean => this.engine.settled && this.engine.reconciled;
    if (!this.#over) await this.#until(done, SETTLE_MS);
    await this.close();
  }

  /** Lets go of everything; what was journaled is durable when it resolves. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#streams.unsubscribe();
    this.#inbox.close();
    this.#parts.outbox.stop();
    this.#key.close();
    for (const cancel of this.#waits) cancel();
    try {
      await this.#parts.outbox.drain();
    } catch (error) {
      this.fail(error);
    }
    for (const log of this.#parts.logs) {
      await log.close().catch((error: unknown) => {
        this.fail(error);
      });
    }
    await this.#parts.release();
  }

  #nextCommandId(): string {
    this.#commands += 1;
    return `${this.#parts.venueClock.now()}-${this.#commands}`;
  }

  async #warmUp(): Promise<ReadonlyMap<string, number>> {
    const { venue, venueClock, symbols } = this.#parts;
    const last = new Map<string, number>();
    for (const symbol of symbols) {
      const needs = this.engine.hosts
        .filter((host) => host.symbols.includes(symbol))
        .flatMap((host) => host.needs);
      const plan = planWarmUp(LIVE_BASE, needs, venueClock.now());
      last.set(symbol, plan.lastOpenTime);
      if (plan.candles === 0) continue;
      const candles = await venue.candles({ symbol, ...plan.range });
      // The newest minute may be served late: the feed goes on after what has really come.
      last.set(symbol, candles.at(-1)?.openTime ?? plan.range.fromMs - MINUTE_MS);
      this.push({ kind: 'candles', symbol, interval: LIVE_BASE, candles, live: false });
    }
    return last;
  }

  #subscribeMarket(lastOpenTime: ReadonlyMap<string, number>): Subscription {
    const { venue, venueClock, symbols, scheduler, logger } = this.#parts;
    return candleFeed$({
      message$: venue.market$({
        candles: symbols,
        tickers: symbols,
        ...wantedStreams(this.engine.hosts),
      }),
      symbols,
      fetch: (range) => venue.candles(range),
      venueNow: () => venueClock.now(),
      lastOpenTime,
      scheduler,
      logger,
    }).subscribe({
      next: (happening) => {
        this.#meetMarket(happening);
      },
      error: (error: unknown) => {
        this.fail(error);
      },
    });
  }

  #watchFunding(symbols: readonly string[]): Cancel {
    return this.#parts.watchFunding(symbols, (symbol, { rate, settlementMs }) => {
      this.push({
        kind: 'funding',
        symbol,
        rate: numberFromFixed(rate),
        nextSettlementMs: settlementMs,
      });
    });
  }

  #meetMarket(happening: Happening): void {
    if (closesAfter(happening, this.#lastClose)) return;
    if (happening.kind !== 'candles') {
      this.push(happening);
      return;
    }
    const candles = happening.candles.filter(
      (candle) => closeTimeOf(happening.interval, candle.openTime) <= this.#lastClose,
    );
    const newest = candles.at(-1);
    if (newest === undefined) return;
    this.#parts.venueClock.atLeast(closeTimeOf(happening.interval, newest.openTime));
    this.push({ ...happening, candles });
  }

  #tradedInstruments<T extends { readonly symbol: string }>(listed: readonly T[]): readonly T[] {
    return listed.filter((instrument) => this.#parts.symbols.includes(instrument.symbol));
  }

  /** Looks every few ms until it holds, or the time is up. @returns whether it holds */
  async #until(holds: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { clock, scheduler } = this.#parts;
    const until = clock.monotonicMs() + withinMs;
    while (!holds() && clock.monotonicMs() < until && !this.#over) {
      await new Promise<void>((resolve) => {
        const cancel = scheduler.after(CHECK_MS, () => {
          this.#waits.delete(cancel);
          resolve();
        });
        this.#waits.add(cancel);
      });
    }
    return holds();
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
