import { startFailureOf } from '../../../engine/start-failure.js';
import { assert } from '../../../core/assert.js';
import type { OperatorCommand } from '../../../core/events.js';
import type { Operation } from '../../../execution/operation/operation.js';
import { StateHeldError } from '../../../io/log/state-held-error.js';
import type { ManualSymbol } from '../../../engine/operator/manual-trading.js';
import type { Bot } from '../../../live/bot/bot.js';
import type { Io } from '../../command-io.js';
import type { SluiceConfig } from '../../../config/config.js';
import { SafetyRefusal, StartError } from '../../../core/command-errors.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import type { AccountConnection } from './account-connection.js';
import { createBot } from '../../../live/bot/create-bot.js';
import { VenueError } from '../../../venue/venue.js';
import { NOTHING_SENT, readBeforeSending, withConsequence } from './confirmation.js';

/** The venue sends a price with its first ticker. */
const PRICE_TIMEOUT_MS = 10_000;
/** Two reads of the transfers, 5 s apart, settle a change of the wallet. */
const WALLET_TIMEOUT_MS = 15_000;

/** The start sets the leverage, and resolves what earlier runs left. Both may be begun again. */
const START_SENT =
  'The command itself was not sent. Requests of its start were, and the journal holds them: the same command may be repeated';

/**
 * Manual work on a state folder: runs the bot of the configuration without its strategies. Commands
 * pass the same risk gate, journal and order protocol, and are recorded for `sluice replay`.
 */
export class OperatorSession {
  readonly bot: Bot;
  readonly #io: Io;
  readonly #interrupted: Promise<void>;
  #isInterrupted = false;
  /** Gives signals their usual effect back. */
  #unlisten: () => void = () => undefined;
  #commandCount = 0;

  private constructor(bot: Bot, io: Io) {
    this.bot = bot;
    this.#io = io;
    this.#interrupted = new Promise((resolve) => {
      this.#unlisten = io.onSignal((signal) => {
        // A second signal ends the process at once.
        this.#unlisten();
        io.stderr(`\nsluice: ${signal}: stopping (once more leaves at once)\n`);
        this.#isInterrupted = true;
        resolve();
      });
    });
  }

  /**
   * Locks the state folder and reads its journal. Sends no account request yet.
   * @throws StateHeldError while a daemon holds it, SafetyRefusal, VenueError
   */
  static async open(
    config: SluiceConfig,
    connection: AccountConnection,
    io: Io,
    manualSymbol?: ManualSymbol,
  ): Promise<OperatorSession> {
    refuseManualChanges(config);
    const { baseUrl, wsUrl, secret, secretFrom, logger, net } = connection;
    const bot = createBot({
      config,
      strategies: [],
      operator: manualSymbol === undefined ? {} : { desk: manualSymbol },
      baseUrl,
      wsUrl,
      secret,
      secretFrom,
      stateDir: config.stateDir,
      earlierUsage: connection.api.usage(),
      ports: { ...io, net, facts: nodeProcessFacts },
      logger,
    });
    return new OperatorSession(await readBeforeSending(bot).catch(explainLockError), io);
  }

  /**
   * Reconciles with the venue, before the command is submitted.
   * @throws StartError when no order may be placed, VenueError when the venue cannot be read: both say
   * whether anything was sent
   */
  async start(manualSymbol?: ManualSymbol): Promise<void> {
    try {
      await Promise.race([this.bot.start(), this.bot.failed, this.#outage(), this.#interrupted]);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      throw withConsequence(error, (await this.#endsUnsent()) ? NOTHING_SENT : START_SENT);
    }
    await this.#refuseInterrupted();
    const startFailure = startFailureOf(this.bot.engine);
    if (startFailure !== undefined)
      throw new StartError(`${await this.#unsentText()}: ${startFailure}`);
    if (manualSymbol !== undefined) await this.#waitForMarket(manualSymbol);
    await this.#refuseInterrupted();
  }

  /** The command is not submitted after a signal. */
  async #refuseInterrupted(): Promise<void> {
    if (this.#isInterrupted) throw new StartError(`${await this.#unsentText()}: interrupted`);
  }

  /** A daemon waits for the end of an outage; a person repeats the command. @throws VenueError */
  async #outage(): Promise<never> {
    const { bot } = this;
    await bot.waitUntil(() => bot.outage !== undefined, Number.POSITIVE_INFINITY);
    this.throwFailure();
    throw new VenueError(`the account cannot be read: ${bot.outage}`, { isTransient: true });
  }

  /** Closes first: a request may still wait for its journal record. @returns whether no change has left */
  async #endsUnsent(): Promise<boolean> {
    await this.close();
    return !this.bot.hasSentChange;
  }

  async #unsentText(): Promise<string> {
    return (await this.#endsUnsent()) ? 'nothing was sent' : 'the command was not sent';
  }

  async #waitForMarket({ symbol, leverage }: ManualSymbol): Promise<void> {
    const { bot } = this;
    if (leverage === undefined) return;
    const hasPrice = () => bot.engine.facts.lastPrice(symbol) !== undefined;
    const priced = await bot.waitUntil(() => hasPrice() || this.#isInterrupted, PRICE_TIMEOUT_MS);
    this.throwFailure();
    await this.#refuseInterrupted();
    if (!priced)
      throw new StartError(`${await this.#unsentText()}: the venue sent no price of ${symbol}`);
    await this.#waitForWallet();
  }

  /** Trades show later than their wallet at some venues. The gate refuses what stays unexplained (R19). */
  async #waitForWallet(): Promise<void> {
    const { facts } = this.bot.engine;
    if (!facts.isWalletUnexplained) return;
    this.#io.stderr('waiting until trades or transfers explain the change of the wallet\n');
    await this.waitUntil(() => !facts.isWalletUnexplained, WALLET_TIMEOUT_MS);
  }

  /** Submits a command to the engine. @returns its id, from which the client order ids are derived */
  submitCommand(command: OperatorCommand, commandId = this.#newCommandId()): string {
    this.bot.command(command, commandId);
    return commandId;
  }

  /** Unique, because two processes never hold the state folder at the same time. */
  #newCommandId(): string {
    this.#commandCount += 1;
    return `${this.bot.venueTimeIn(0)}-${this.#io.clock.utcMs()}-${this.#commandCount}`;
  }

  /** Waits for the condition, a signal or the timeout. @returns whether the condition holds */
  async waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    const isOver = (): boolean => condition() || this.#isInterrupted;
    await Promise.race([this.bot.waitUntil(isOver, timeoutMs), this.#interrupted]);
    this.throwFailure();
    return condition();
  }

  /** The operation of a command, ended or as it is after the timeout. */
  async waitForOperation(commandId: string, timeoutMs: number): Promise<Operation> {
    const findOperation = () => this.bot.engine.operations.all.byCommand(commandId);
    await this.waitUntil(() => findOperation()?.ended === true, timeoutMs);
    const operation = findOperation();
    assert(operation !== undefined, 'A submitted command has its operation');
    return operation;
  }

  /** @throws the error that stopped the bot, if any */
  throwFailure(): void {
    if (this.bot.failure !== undefined) throw this.bot.failure;
  }

  async close(): Promise<void> {
    await this.bot.close();
    this.#unlisten();
  }
}

/** Does not suggest another state folder: the same account would then have two journals. */
function explainLockError(error: unknown): never {
  if (!(error instanceof StateHeldError) || error.pid === undefined) throw error;
  throw new StateHeldError(
    `process ${error.pid} works with this state_dir, and a journal has one writer. ` +
      `Nothing was sent: stop it (kill ${error.pid}), then repeat`,
    error.pid,
  );
}

/** @throws SafetyRefusal unless a person may change the account of this mode by hand */
export function refuseManualChanges(config: SluiceConfig): void {
  if (config.mode === 'sandbox') return;
  const why =
    config.mode === 'paper'
      ? 'only its own daemon fills a paper account'
      : "orders of a person on a real account belong on the venue's own page";
  throw new SafetyRefusal(
    `${config.locate(['mode'])} mode: ${config.mode} allows no manual changes: ${why}`,
  );
}
