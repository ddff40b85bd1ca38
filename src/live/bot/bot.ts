import type { ChargedFees } from './charged-fees.js';
import { Subscription } from 'rxjs';
import type { OperatorCommand, EngineEventBody } from '../../core/events.js';
import type { Cancel } from '../../core/ports.js';
import type { Reply } from '../../core/request.js';
import type { Engine } from '../../engine/engine.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { AccountFeed } from './account-feed.js';
import type { BotParts } from './bot-parts.js';
import type { EffectReceiver } from './effect-runner.js';
import { EngineLoop } from './engine-loop.js';
import { MarketDataFeed } from './market-data-feed.js';
import type { ReportedPositions } from '../summary/run-summary.js';
import { AvailabilityMonitor } from './availability-monitor.js';
import { ApiKeyMonitor } from './api-key-monitor.js';
import { InstrumentReader } from './instrument-reader.js';
import { unprovedOrders, unprovedText } from '../summary/unproved-orders.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { LoadedStrategy, ThreadedStrategy } from '../strategies/strategy-instances.js';
import type { WouldSend } from '../observe/observe-venue.js';
import { ConditionPoller } from './condition-poller.js';

/** Real ms that a start waits for the instruments and the warm-up before it does without them. */
const START_READ_MS = 10_000;
/** Default real ms that a stop waits for open orders and the last reconciliation. */
const STOP_TIMEOUT_MS = 30_000;
/** A stop waits for a wallet with the last fill in it, and no longer: then the profit of the summary lacks it. */
const WALLET_TIMEOUT_MS = 5_000;

/** A running bot: streams, polls and commands feed the engine loop; the outbox releases the effects. */
export class Bot implements EffectReceiver {
  readonly engine: Engine;
  readonly #parts: BotParts;
  readonly #loop: EngineLoop;
  readonly #streams = new Subscription();
  readonly #poller: ConditionPoller;
  readonly #marketData: MarketDataFeed;
  readonly #accountFeed: AccountFeed;
  readonly #keyMonitor: ApiKeyMonitor;
  readonly #availability: AvailabilityMonitor;
  readonly #instruments: InstrumentReader;
  #commands = 0;
  #closed = false;

  constructor(parts: BotParts) {
    this.#parts = parts;
    this.engine = parts.engine;
    const loop = new EngineLoop(parts);
    this.#loop = loop;
    this.#poller = new ConditionPoller({ ...parts, loop });
    const keyMonitor = new ApiKeyMonitor({ ...parts, loop });
    this.#keyMonitor = keyMonitor;
    this.#marketData = new MarketDataFeed({ ...parts, hosts: parts.engine.hosts, loop });
    const availability = new AvailabilityMonitor({ ...parts, loop });
    this.#availability = availability;
    const endsInTime = (work: Promise<unknown>): Promise<boolean> => this.#endsInTime(work);
    this.#instruments = new InstrumentReader({ ...parts, endsInTime });
    this.#accountFeed = new AccountFeed({ ...parts, loop, keyMonitor, availability });
  }

  /** Journal records of previous runs, header first. */
  get journalAtStart(): readonly JournalRecord[] {
    return this.#parts.records;
  }

  /** Rejects with the failure of the run, never resolves. */
  get failed(): Promise<never> {
    return this.#loop.failed;
  }

  get failure(): Error | undefined {
    return this.#loop.failure;
  }

  /** Resolves when the engine has halted: it places no more orders. */
  get halted(): Promise<void> {
    return this.#loop.halted;
  }

  /** The journal failed; cancels are still allowed. */
  get isCancelOnly(): boolean {
    return this.#loop.isCancelOnly;
  }

  /** The last poll of the positions in our currency, with its age. */
  get reportedPositions(): ReportedPositions | undefined {
    return this.#accountFeed.reportedPositions;
  }

  /** The journal leaves a position, an open order or a flatten of a previous run. */
  get hasPreviousExposure(): boolean {
    return this.#parts.openSymbols.length > 0 || this.engine.isFlattening;
  }

  /** Requests that this run would have sent; undefined: it sends. */
  get wouldSend(): WouldSend | undefined {
    return this.#parts.venue.wouldSend;
  }

  /** A change of this run has left, or may have. */
  get hasSentChange(): boolean {
    return this.#parts.runner.hasSentChange;
  }

  /** Why the venue cannot be read now; undefined: it can, or the first polls have not failed for long. */
  get outage(): string | undefined {
    return this.#availability.outage;
  }

  /** Fees of the account since `fromMs`, ms UTC at the venue; undefined: no exact sum is possible. */
  async feesSince(fromMs: number): Promise<ChargedFees | undefined> {
    return this.#parts.venue.fees?.(this.engine.currency, fromMs);
  }

  /** A trial creation of a strategy, which changes nothing. @throws StrategyLoadError */
  tryStrategy(strategy: LoadedStrategy | ThreadedStrategy): StrategyHost {
    return this.#parts.tryStrategy(strategy);
  }

  /** Candles for the warm-up of a strategy that starts now. @throws VenueError */
  warmUpOf(host: StrategyHost): Promise<readonly EngineEventBody[]> {
    return this.#marketData.warmUpOf(host);
  }

  push(event: EngineEventBody): void {
    this.#loop.push(event);
  }

  /** The venue's answer to a request of the engine. */
  onReply(requestId: number, reply: Reply): void {
    this.push({ kind: 'reply', requestId, reply });
    this.#keyMonitor.onReply(reply);
  }

  /** The secret was read again: the next poll shows whether the venue accepts a refused key now. */
  onSecretReloaded(): void {
    this.#keyMonitor.onSecretReloaded();
  }

  fail(error: unknown): void {
    this.#loop.fail(error);
  }

  onJournalFailed(error: unknown): void {
    this.#loop.onJournalFailed(error);
  }

  /**
   * Warms up and reconciles. Resolves when the engine may trade, or reduce, or has halted.
   * @throws VenueError, ConfigError, StartError, or the failure of the run
   */
  async start(): Promise<void> {
    const symbols = this.#allSymbols();
    const listed = await this.#instruments.read(symbols, this.hasPreviousExposure);
    this.#parts.checkListed(listed);
    const instruments = listed.filter(({ symbol }) => symbols.includes(symbol));
    this.push({ kind: 'instruments', instruments });
    const warmUp = this.#marketData.warmUp();
    const isLate = !(await this.#endsInTime(warmUp));
    if (isLate) {
      // A flatten, the stops of positions and the loss limits need the account alone.
      this.push({ kind: 'warm-up', isPending: true });
      this.#streams.add(this.#accountFeed.subscribe());
    }
    this.#streams.add(this.#marketData.subscribe(await warmUp));
    if (isLate) this.push({ kind: 'warm-up', isPending: false });
    // Last: with the first snapshot of the account the engine may start to trade, and needs prices by then.
    else this.#streams.add(this.#accountFeed.subscribe());
    await this.#poller.pollUntil(() => this.engine.isStartupComplete);
    if (this.failure !== undefined) throw this.failure;
    this.#keyMonitor.onStarted();
  }

  #allSymbols(): readonly string[] {
    const { symbols, openSymbols } = this.#parts;
    return [...new Set([...symbols, ...openSymbols])];
  }

  /** Whether the work ends within `START_READ_MS`. @throws its error */
  async #endsInTime(work: Promise<unknown>): Promise<boolean> {
    let cancel: Cancel = () => undefined;
    const isLate = new Promise<false>((resolve) => {
      cancel = this.#parts.scheduler.after(START_READ_MS, () => {
        resolve(false);
      });
    });
    try {
      return await Promise.race([work.then(() => true as const), isLate]);
    } finally {
      cancel();
    }
  }

  /** Reads the venue's time again, because it may have changed. */
  readTime(): Promise<void> {
    return this.#parts.withRetry(() => this.#parts.time.refresh());
  }

  /** Venue time in `realMs` real ms. */
  venueTimeIn(realMs: number): number {
    const { venueClock } = this.#parts;
    return venueClock.now() + realMs * venueClock.rate;
  }

  /** Venue ms now, and venue ms per real ms; 0: the clock of the venue is stopped. */
  get venueTime(): { readonly venueTime: number; readonly rate: number } {
    const { venueClock } = this.#parts;
    return { venueTime: venueClock.now(), rate: venueClock.rate };
  }

  logProgress(): void {
    const { engine } = this;
    const { counts } = engine;
    const unproved = unprovedOrders(engine);
    const time = new Date(this.#parts.venueClock.now()).toISOString();
    this.#parts.logger.info(
      {
        intents: counts.intents,
        orders_filled: counts.ordersFilled,
        refused: counts.refused,
        unknown: engine.ledger.unprovedCount,
        positions: engine.openExposure.positions.length,
        ...(unproved.length > 0 && { unproved }),
      },
      [`running, venue time ${time}`, ...unproved.map(unprovedText)].join('; '),
    );
  }

  /** Strategies decide on candles that close until then, and ignore later ones. */
  decideUntil(venueTime: number): void {
    this.#marketData.decideUntil(venueTime);
  }

  /** `commandId` seeds the client order ids of the command's orders, so it must be unique per command. */
  command(command: OperatorCommand, commandId = this.#nextCommandId()): void {
    this.push({ kind: 'command', commandId, command });
  }

  /** Resolves with the condition when it holds or the time is up. */
  waitUntil(condition: () => boolean, withinMs: number): Promise<boolean> {
    return this.#poller.pollUntil(condition, withinMs);
  }

  /** Makes all commands and decisions so far durable. @throws the failure of the journal */
  async flushJournal(): Promise<void> {
    await this.#parts.outbox.drain();
  }

  /**
   * Stops under a policy. New entries are refused, orders in flight are resolved, the account is reconciled
   * once more, and a flatten is carried out. Orders that stay unproved are left to the next start, and
   * reported.
   * @param deadline monotonic ms, read repeatedly; absent: 30 s from now
   * @param beforeClose runs its last requests before the venue is closed
   */
  async stop(
    policy: 'keep' | 'cancel-entries' | 'flatten',
    deadline: () => number = this.#deadlineIn(STOP_TIMEOUT_MS),
    beforeClose: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    this.command({ kind: 'stop', policy });
    const { engine } = this;
    const done = (): boolean => engine.isSettled && engine.isReconciled && !engine.isFlattening;
    const isLate = (): boolean => this.#parts.clock.monotonicMs() >= deadline();
    if (!this.#loop.isStopped) await this.#poller.pollUntil(() => done() || isLate());
    const isWalletRead = (): boolean => engine.isWalletCurrent || isLate();
    if (!this.#loop.isStopped) await this.#poller.pollUntil(isWalletRead, WALLET_TIMEOUT_MS);
    if (!this.#loop.isStopped) await beforeClose();
    await this.close();
  }

  #deadlineIn(ms: number): () => number {
    const until = this.#parts.clock.monotonicMs() + ms;
    return () => until;
  }

  /** Releases everything. When it resolves, all journal records are durable. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#streams.unsubscribe();
    this.#loop.close();
    this.#parts.outbox.stop();
    this.#keyMonitor.close();
    this.#poller.close();
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
