import { assert } from '../../core/assert.js';
import type { Command } from '../../core/events.js';
import type { Operation } from '../../execution/operation/operation.js';
import { StateHeldError } from '../../execution/log/state-lock.js';
import type { OperatorDesk } from '../../engine/operator/operator-seat.js';
import type { Bot } from '../bot.js';
import type { Io } from '../command-options.js';
import type { SluiceConfig } from '../config.js';
import { SafetyRefusal, StartError } from '../failure.js';
import { nodeProcessFacts } from '../ports/process-facts.js';
import type { VenueAccess } from './venue-access.js';
import { createBot } from '../wire.js';

/** A price of the venue comes with the first ticker. */
const PRICE_WITHIN_MS = 10_000;

/**
 * A person's turn with the state folder: the bot of the configuration, without its strategies. What is
 * done goes through the same gate, journal and protocol, and is recorded for `sluice replay`.
 */
export class OperatorSession {
  readonly bot: Bot;
  readonly #io: Io;
  #words = 0;

  private constructor(bot: Bot, io: Io) {
    this.bot = bot;
    this.#io = io;
  }

  /**
   * Locks the state folder and reads its journal; asks the venue nothing of the account yet.
   * @throws StateHeldError while a daemon runs on it, SafetyRefusal, VenueError
   */
  static async open(
    config: SluiceConfig,
    access: VenueAccess,
    io: Io,
    desk?: OperatorDesk,
  ): Promise<OperatorSession> {
    refuseMode(config);
    const { baseUrl, wsUrl, secret, secretFrom, logger, net } = access;
    const bot = await createBot({
      config,
      strategies: [],
      operator: desk === undefined ? {} : { desk },
      baseUrl,
      wsUrl,
      secret,
      secretFrom,
      stateDir: config.stateDir,
      ports: { ...io, net, facts: nodeProcessFacts },
      logger,
    }).catch(explainHeld);
    return new OperatorSession(bot, io);
  }

  /** Reconciles with the venue. @throws StartError when nothing may be placed, VenueError */
  async start(desk?: OperatorDesk): Promise<void> {
    const { bot } = this;
    await Promise.race([bot.start(), bot.failed]);
    const { haltReason } = bot.engine;
    if (haltReason !== undefined) throw new StartError(`nothing was sent: ${haltReason}`);
    if (desk === undefined) return;
    const priced = await bot.until(
      () => bot.engine.facts.lastPrice(desk.symbol) !== undefined,
      PRICE_WITHIN_MS,
    );
    this.throwFailure();
    if (!priced)
      throw new StartError(`nothing was sent: the venue tells no price of ${desk.symbol}`);
  }

  /** Gives a word to the engine. @returns its id, which the client order ids of its orders come from */
  say(command: Command, commandId = this.#newCommandId()): string {
    this.bot.command(command, commandId);
    return commandId;
  }

  /** Two processes never hold the folder at one moment, so that no two words share it. */
  #newCommandId(): string {
    this.#words += 1;
    return `${this.bot.venueTimeIn(0)}-${this.#io.clock.utcMs()}-${this.#words}`;
  }

  /** Waits until it holds; a signal or the time ends the wait. @returns whether it holds */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    let left = false;
    const forget = this.#io.onSignal(() => (left = true));
    await this.bot.until(() => holds() || left, withinMs);
    forget();
    this.throwFailure();
    return holds();
  }

  /** What a word has caused that is no order: ended, or as far as it came within the time. */
  async operation(commandId: string, withinMs: number): Promise<Operation> {
    const find = () => this.bot.engine.operations.all.byCommand(commandId);
    await this.until(() => find()?.ended === true, withinMs);
    const operation = find();
    assert(operation !== undefined, 'A word that the engine has heard has its operation');
    return operation;
  }

  /** @throws what has ended the bot from within */
  throwFailure(): void {
    if (this.bot.failure !== undefined) throw this.bot.failure;
  }

  close(): Promise<void> {
    return this.bot.close();
  }
}

/** A person must not be sent to another state folder: the same account would have two journals. */
function explainHeld(error: unknown): never {
  if (!(error instanceof StateHeldError) || error.pid === undefined) throw error;
  throw new StateHeldError(
    `process ${error.pid} works with this state_dir, and a journal has one writer. ` +
      `Nothing was sent: stop it (kill ${error.pid}), then repeat`,
    error.pid,
  );
}

function refuseMode(config: SluiceConfig): void {
  if (config.mode === 'sandbox') return;
  const why =
    config.mode === 'live'
      ? 'the interlocks of the risk gate that live trading needs do not exist yet'
      : 'a paper account is filled by its own daemon alone';
  throw new SafetyRefusal(
    `${config.where(['mode'])} mode: ${config.mode} changes nothing by hand: ${why}`,
  );
}
