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
import { nodeProcessFacts } from '../../../io/node/node-process-facts.js';
import type { AccountConnection } from './account-connection.js';
import { createBot } from '../../../live/bot/create-bot.js';

/** The venue sends a price with its first ticker. */
const PRICE_TIMEOUT_MS = 10_000;
/** Two reads of the transfers, 5 s apart, settle a change of the wallet. */
const WALLET_TIMEOUT_MS = 15_000;

/**
 * Manual work on a state folder: runs the bot of the configuration without its strategies. Commands
 * pass the same risk gate, journal and order protocol, and are recorded for `sluice replay`.
 */
export class OperatorSession {
  readonly bot: Bot;
  readonly #io: Io;
  #commandCount = 0;

  private constructor(bot: Bot, io: Io) {
    this.bot = bot;
    this.#io = io;
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
    const bot = await createBot({
      config,
      strategies: [],
      operator: manualSymbol === undefined ? {} : { desk: manualSymbol },
      baseUrl,
      wsUrl,
      secret,
      secretFrom,
      stateDir: config.stateDir,
      ports: { ...io, net, facts: nodeProcessFacts },
      logger,
    }).catch(explainLockError);
    return new OperatorSession(bot, io);
  }

  /** Reconciles with the venue. @throws StartError when no order may be placed, VenueError */
  async start(manualSymbol?: ManualSymbol): Promise<void> {
    const { bot } = this;
    await Promise.race([bot.start(), bot.failed]);
    const startFailure = startFailureOf(bot.engine);
    if (startFailure !== undefined) throw new StartError(`nothing was sent: ${startFailure}`);
    if (manualSymbol === undefined) return;
    const priced = await bot.waitUntil(
      () => bot.engine.facts.lastPrice(manualSymbol.symbol) !== undefined,
      PRICE_TIMEOUT_MS,
    );
    this.throwFailure();
    if (!priced)
      throw new StartError(`nothing was sent: the venue sent no price of ${manualSymbol.symbol}`);
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
    let interrupted = false;
    const unsubscribe = this.#io.onSignal(() => (interrupted = true));
    await this.bot.waitUntil(() => condition() || interrupted, timeoutMs);
    unsubscribe();
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

  close(): Promise<void> {
    return this.bot.close();
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
