import type { BotVenue } from './bot-venue.js';
import type { ChargedFees } from './charged-fees.js';
import { Subscription } from 'rxjs';
import type { AccountSnapshot } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Command, EngineEvent, Happening } from '../core/events.js';
import type { Instrument } from '../core/instrument.js';
import type { Clock, Log, Logger, Scheduler } from '../core/ports.js';
import type { Reply } from '../core/request.js';
import type { Engine } from '../engine/engine.js';
import { Inbox } from '../engine/inbox.js';
import type { Outbox } from '../engine/outbox.js';
import type { Recorder } from '../engine/recorder.js';
import type { JournalRecord } from '../execution/journal/journal-record.js';
import { LogWriteError } from '../execution/log/framed-log.js';
import { VenueError } from '../venue/venue.js';
import { BotAccount } from './bot-account.js';
import { BotFailure } from './bot-failure.js';
import { BotMarket, type FundingWatch } from './bot-market.js';
import type { ToldPositions } from './run-summary.js';
import { KeyAccess } from './key-access.js';
import { isKeyRefusal } from './key-watch.js';
import { unprovedOrders, unprovedText } from './unproved-orders.js';
import type { VenueClock } from './venue-clock.js';
import { Waits } from './waits.js';

/** Real ms that a stop waits for its proofs, where nobody says otherwise. */
const STOP_TIMEOUT_MS = 30_000;

type PositionSnapshot = Extract<AccountSnapshot, { readonly kind: 'positions' }>;

/** Carries out what the venue is asked, with or without patience. */
export type Reach = <T>(attempt: () => Promise<T>) => Promise<T>;
export const AT_ONCE: Reach = (attempt) => attempt();

export interface BotParts {
  readonly engine: Engine;
  readonly outbox: Outbox;
  readonly recorder: Recorder;
  readonly logs: readonly Log[];
  /** The journal as it stood before this session. */
  readonly records: readonly JournalRecord[];
  readonly venue: BotVenue;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly symbols: readonly string[];
  /** Where the journal leaves a position or an open order, configured or not. */
  readonly held: readonly string[];
  readonly pollMs: number;
  readonly watchFunding: FundingWatch;
  /** Compares the configuration with what the venue lists. @throws ConfigError */
  readonly checkListed: (listed: readonly Instrument[]) => void;
  /** Looks at the account before the engine does. @throws ConfigError when nothing could be traded on it */
  readonly checkAccount: (snapshot: AccountSnapshot) => void;
  /** What to say when the venue refuses the key, in its own words `cause`. */
  readonly keyRefused: (cause: string) => Error;
  /** What a person must do when it is refused in mid-run; absent: that ends the run. */
  readonly keyAdvice: string | undefined;
  /** Asks the venue for its time. @throws VenueError */
  readonly readTime: () => Promise<void>;
  /** At the start. */
  readonly reach: Reach;
  /** Lets go of what was opened for this bot: clock follower, lock, sockets. */
  readonly release: () => Promise<void>;
}

/**
 * A running bot: streams and polls flow into the inbox, the engine takes one step each, the outbox
 * carries out what it wants.
 */
export class Bot {
  readonly engine: Engine;
  readonly #parts: BotParts;
  readonly #inbox: Inbox;
  readonly #streams = new Subscription();
  readonly #waits: Waits;
  readonly #market: BotMarket;
  readonly #account: BotAccount;
  readonly #key: KeyAccess;
  readonly #failure = new BotFailure();
  readonly #onHalt: (() => void)[] = [];
  #started = false;
  #commands = 0;
  #closed = false;
  #journalLost = false;
  readonly #told = new Map<Currency, PositionSnapshot>();
  /** Nothing is stepped any more. */
  #over = false;

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
    const push = (happening: Happening): void => {
      this.push(happening);
    };
    const fail = (error: unknown): void => {
      this.fail(error);
    };
    this.#waits = new Waits({ ...parts, over: () => this.#over });
    this.#key = new KeyAccess({
      ...parts,
      push,
      advice: parts.keyAdvice ?? '',
      phase: () => (this.#started ? 'running' : 'starting'),
      waits: parts.keyAdvice !== undefined,
      end: (cause) => {
        fail(parts.keyRefused(cause));
      },
    });
    this.#market = new BotMarket({ ...parts, hosts: parts.engine.hosts, push, fail });
    this.#account = new BotAccount({
      ...parts,
      push: (happening) => {
        if (this.#mayTradeOn(happening)) push(happening);
      },
      polled: (message) => {
        this.#key.polled(message);
      },
      fail,
    });
  }

  /** What the lives before this one journaled, header first. */
  get journalAtStart(): readonly JournalRecord[] {
    return this.#parts.records;
  }

  /** What ends a run from within: rejects once, never resolves. */
  get failed(): Promise<never> {
    return this.#failure.rejection;
  }

  /** What has ended it from within, if anything has. */
  get failure(): Error | undefined {
    return this.#failure.error;
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

  /** The last poll of the positions in our currency, with its age. */
  get toldPositions(): ToldPositions | undefined {
    const told = this.#told.get(this.engine.currency);
    if (told === undefined) return undefined;
    const ageMs = this.#parts.clock.monotonicMs() - told.startedAt;
    return { positions: told.positions, ageMs: Math.round(ageMs) };
  }

  /** Fees of the account since `fromMs`, ms UTC at the venue; undefined: they cannot be told exactly. */
  async feesSince(fromMs: number): Promise<ChargedFees | undefined> {
    return this.#parts.venue.fees?.(this.engine.currency, fromMs);
  }

  /** A configuration that the account contradicts ends the run before the engine can begin. */
  #mayTradeOn(happening: Happening): boolean {
    try {
      if (happening.kind !== 'account') return true;
      const { snapshot } = happening;
      if (snapshot.kind === 'positions') this.#told.set(snapshot.currency, snapshot);
      this.#parts.checkAccount(snapshot);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
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
    this.#failure.note(error);
  }

  /**
   * The journal cannot be written: nothing is placed any more, and events are not recorded. The bot
   * still steps, so that `stop` can take back what rests at the venue; what it then proves is told to
   * the journal's reserve.
   */
  journalFailed(error: unknown): void {
    this.#journalLost = true;
    this.push({ kind: 'journal-failed', reason: String(error) });
    this.#failure.note(error);
  }

  /** It has failed for want of a journal, and can still take orders back. */
  get journalLost(): boolean {
    return this.#journalLost && !this.#over;
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
   * Warms up and reconciles. Resolves when the engine may trade, or reduce, or has halted.
   * @throws VenueError, ConfigError, StartError, or what made it fail meanwhile
   */
  async start(): Promise<void> {
    const listed = await this.#listed();
    this.#parts.checkListed(listed);
    const known = this.#known();
    const instruments = listed.filter(({ symbol }) => known.includes(symbol));
    this.push({ kind: 'instruments', instruments });
    const lastOpenTime = await this.#market.warmUp();
    this.#streams.add(this.#market.subscribe(lastOpenTime));
    // Last: with the first picture of the account the engine may begin, and prices must be known by then.
    this.#streams.add(this.#account.subscribe());
    await this.#waits.until(() => this.engine.begun);
    if (this.failure !== undefined) throw this.failure;
    this.#started = true;
  }

  #known(): readonly string[] {
    const { symbols, held } = this.#parts;
    return [...new Set([...symbols, ...held])];
  }

  async #listed(): Promise<readonly Instrument[]> {
    try {
      const { venue, reach } = this.#parts;
      return await reach(() => venue.instruments(this.#known()));
    } catch (error) {
      const refused = error instanceof VenueError && isKeyRefusal(error.status);
      throw refused ? this.#parts.keyRefused(error.message) : error;
    }
  }

  /** Asks the venue for its time, now that it may have changed. */
  readTime(): Promise<void> {
    return this.#parts.reach(this.#parts.readTime);
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
    const unproved = unprovedOrders(engine);
    const time = new Date(this.#parts.venueClock.now()).toISOString();
    this.#parts.logger.info(
      {
        intents: counts.intents,
        orders_filled: counts.ordersFilled,
        refused: counts.refused,
        unknown: engine.ledger.unproved,
        positions: [...engine.positions.open()].length,
        ...(unproved.length > 0 && { unproved }),
      },
      [`running, venue time ${time}`, ...unproved.map(unprovedText)].join('; '),
    );
  }

  /** Closed candles until then are still decided on, later ones are not. */
  decideUntil(venueTime: number): void {
    this.#market.decideUntil(venueTime);
  }

  /** Orders that it causes have their client order ids from `commandId`: two words never share one. */
  command(command: Command, commandId = this.#nextCommandId()): void {
    this.push({ kind: 'command', commandId, command });
  }

  /** Resolves when it holds or the time is up, with whether it holds. */
  until(holds: () => boolean, withinMs: number): Promise<boolean> {
    return this.#waits.until(holds, withinMs);
  }

  /** What was commanded and decided so far is durable. @throws what made the journal fail */
  async journaled(): Promise<void> {
    await this.#parts.outbox.drain();
  }

  /** An earlier life has left something: a position, an open order, a flatten. */
  get hasPast(): boolean {
    return this.#parts.held.length > 0 || this.engine.flattening;
  }

  /**
   * Stops under a policy: no new entries, orders in flight brought to an end, the account compared
   * once more, a flatten carried out. Orders not proved in time are left to the next start, and named.
   * @param deadline monotonic ms, asked again and again; absent: 30 s from now
   * @param last asks the venue once more before it is let go
   */
  async stop(
    policy: 'keep' | 'cancel-entries' | 'flatten',
    deadline: () => number = this.#within(STOP_TIMEOUT_MS),
    last: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    this.command({ kind: 'stop', policy });
    const { engine } = this;
    const done = (): boolean => engine.settled && engine.reconciled && !engine.flattening;
    const isLate = (): boolean => this.#parts.clock.monotonicMs() >= deadline();
    if (!this.#over) await this.#waits.until(() => done() || isLate());
    if (!this.#over) await last();
    await this.close();
  }

  #within(ms: number): () => number {
    const until = this.#parts.clock.monotonicMs() + ms;
    return () => until;
  }

  /** Lets go of everything; what was journaled is durable when it resolves. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#streams.unsubscribe();
    this.#inbox.close();
    this.#parts.outbox.stop();
    this.#key.close();
    this.#waits.close();
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
}
