import { LogWriteError } from '../../../src/io/log/log-write-error.js';
import { LogCorruptError } from '../../../src/io/log/framed-log.js';
import { createSandboxNet } from '../../../src/sandbox/sandbox-net.js';
import { VenueError } from '../../../src/venue/venue.js';
import { createBot } from '../../../src/live/bot/create-bot.js';
import type { Bot } from '../../../src/live/bot/bot.js';
import { StartError } from '../../../src/core/command-errors.js';
import { DiskError } from '../../support/fakes/memory-files.js';
import { seededRandom } from '../../support/fakes/virtual-time.js';
import { crashPointOf } from './crash-points.js';
import { Disk } from './disk.js';
import { SimProcess } from './process.js';
import { simNet } from './sim-net.js';
import { BASE_URL, configOf, STATE_DIR, WS_URL } from './sim-config.js';
import type { BotRun, SimWorld } from './world.js';

/** A halted bot waits for a person; this long, virtual ms. */
const OPERATOR_DELAY_MS = 8_000;
/** A life fills several files of its record. */
const RECORD_PART_BYTES = 20_000;
/** From an end to the next start. */
const RESTART_MS: readonly [number, number] = [200, 4_000];

/**
 * Starts the bot, and starts it again whenever it has ended, as systemd and a person would: after a
 * kill, a failure, or a halt that somebody has looked at.
 */
export class Supervisor {
  readonly #world: SimWorld;
  readonly disk: Disk;
  #ended = false;
  #running: Promise<void> | undefined;

  constructor(world: SimWorld) {
    this.#world = world;
    this.disk = new Disk(world);
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      this.#world.fail('P22', `the simulation itself failed: ${textOf(error)}`);
    });
  }

  /** No more starts. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#world.botRun?.process.kill('the run is over');
    await this.#running;
  }

  async #run(): Promise<void> {
    const world = this.#world;
    while (!this.#ended && world.violation === undefined) {
      const botRun = this.#spawn();
      try {
        await this.#runBot(botRun);
      } catch (error) {
        this.#checkFailure(error);
      }
      botRun.process.kill('it ended');
      world.onProcessEnd(botRun);
      if (this.#ended) return;
      this.disk.afterCrash(botRun);
      await world.time.sleep(world.plan.draws.between(...RESTART_MS, 'restart', world.runCount));
    }
  }

  #spawn(): BotRun {
    const world = this.#world;
    world.runCount += 1;
    const number = world.runCount;
    const crashesAt = crashPointOf(world, number);
    const process = new SimProcess({
      time: world.time,
      crashesAt: (boundary) => crashesAt(boundary),
      onBoundary: (boundary) => {
        world.onBoundary(boundary);
      },
    });
    const botRun: BotRun = { number, process, bot: undefined, startedAt: world.time.monotonicMs() };
    world.botRun = botRun;
    this.disk.beforeStart();
    world.note('born', `process ${number}`);
    return botRun;
  }

  async #runBot(botRun: BotRun): Promise<void> {
    const world = this.#world;
    const bot = await first(botRun.process, build(world, botRun.process, botRun.number));
    if (bot === undefined) return;
    botRun.bot = bot;
    for (const what of world.adoptedIds) bot.command({ kind: 'adopt', what });
    this.disk.onOpened();
    bot.failed.catch(() => undefined);
    void this.#resumeLatched(bot, botRun);
    try {
      await first(botRun.process, Promise.race([bot.start(), bot.failed]));
      if (botRun.process.alive)
        await first(botRun.process, Promise.race([this.#waitForHalt(bot), bot.failed]));
      if (botRun.process.alive) await first(botRun.process, bot.close());
    } catch (error) {
      // As the command line does: without a journal nothing is placed, and cancels still leave.
      if (bot.isCancelOnly) await first(botRun.process, bot.stop('cancel-entries'));
      throw error;
    }
  }

  /** A person looks at it, takes away what is in the way, and starts it again. */
  async #waitForHalt(bot: Bot): Promise<void> {
    const world = this.#world;
    await bot.halted;
    world.note('halted', bot.engine.haltReason ?? '');
    await world.time.sleep(OPERATOR_DELAY_MS);
    cancelForgedOrders(world);
    for (const id of world.seenExternalIds) world.adoptedIds.add(id);
  }

  /**
   * A person looks at each latched restriction too, and resumes it. An external hand's hold stays; in an
   * unattended seed each restriction stays from the end of the faults on, since no exit may need a resume.
   */
  async #resumeLatched(bot: Bot, { process }: BotRun): Promise<void> {
    const world = this.#world;
    for (;;) {
      await world.time.sleep(OPERATOR_DELAY_MS);
      if (!process.alive || this.#ended) return;
      if (!world.plan.isAttended && world.phase !== 'faults') continue;
      for (const { control, symbol, class: kind } of bot.engine.restrictions) {
        if (kind !== 'latching' || (control === 'R22' && symbol !== undefined)) continue;
        world.note('resumed', `${control} ${symbol ?? ''}`);
        cancelForgedOrders(world);
        bot.command({ kind: 'resume', ...(symbol !== undefined && { symbol }) });
      }
    }
  }

  #checkFailure(error: unknown): void {
    const world = this.#world;
    const text = textOf(error);
    world.startFailures.push(text);
    world.note('ended', text);
    if (error instanceof LogCorruptError && this.disk.isDamaged) return;
    if (this.disk.isFaulty && isDiskFailure(error)) return;
    if (error instanceof VenueError || error instanceof StartError) return;
    world.fail('P22', `the bot ended by ${text}`);
  }
}

/** Orders that look like ours and are not: only a hand can cancel them. */
export function cancelForgedOrders(world: SimWorld): void {
  for (const clientOrderId of world.forged) world.sandbox.exchange.cancel({ clientOrderId });
}

/** The bot of a process, as the command line builds it. */
export function build(world: SimWorld, process: SimProcess, number: number): Promise<Bot> {
  const net = createSandboxNet(world.venue, {
    baseUrl: BASE_URL,
    wsUrl: WS_URL,
    scheduler: world.time,
  });
  const pid = 1_000 + number;
  const { seed, compactAfter, keptEndedOrders } = world.plan;
  return createBot({
    config: configOf(world.plan),
    strategies: world.strategies,
    baseUrl: BASE_URL,
    wsUrl: WS_URL,
    secret: world.secret,
    stateDir: STATE_DIR,
    ...(compactAfter !== undefined && { compactAfter }),
    ...(keptEndedOrders !== undefined && { keptEndedOrders }),
    recordPartBytes: RECORD_PART_BYTES,
    logger: world.logger,
    ports: {
      clock: process.clock(),
      scheduler: process.scheduler(),
      random: seededRandom(seed * 1_000 + number),
      files: process.files(world.files),
      net: process.net(simNet(world, net, number)),
      facts: {
        pid,
        // Each in a container of its own: no number tells of another process.
        startTimeOf: (requestedPid) =>
          Promise.resolve(requestedPid === pid ? `${requestedPid}` : undefined),
        bootId: () => Promise.resolve('boot'),
        locks: world.locks.of(() => process.alive),
        sinceBootMs: () => world.time.monotonicMs(),
      },
    },
  });
}

/** What comes first, or undefined when the process dies before. */
function first<T>(process: SimProcess, promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, process.ended.then(() => undefined)]);
}

const isDiskFailure = (error: unknown): boolean =>
  error instanceof LogWriteError || error instanceof DiskError;

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
