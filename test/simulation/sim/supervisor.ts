import { LogCorruptError, LogWriteError } from '../../../src/execution/log/framed-log.js';
import { createSandboxNet } from '../../../src/sandbox/sandbox-net.js';
import { VenueError } from '../../../src/venue/venue.js';
import { createBot } from '../../../src/app/wire.js';
import type { Bot } from '../../../src/app/bot.js';
import { StartError } from '../../../src/app/failure.js';
import { DiskError } from '../../harness/memory-files.js';
import { seededRandom } from '../../harness/virtual-time.js';
import { deathsOf } from './deaths.js';
import { Disk } from './disk.js';
import { SimProcess } from './process.js';
import { wires } from './wires.js';
import { BASE_URL, configOf, STATE_DIR, WS_URL } from './sim-config.js';
import type { Life, SimWorld } from './world.js';

/** A halted bot waits for a person; this long, virtual ms. */
const PERSON_MS = 8_000;
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
    this.#world.life?.process.kill('the run is over');
    await this.#running;
  }

  async #run(): Promise<void> {
    const world = this.#world;
    while (!this.#ended && world.violation === undefined) {
      const life = this.#born();
      try {
        await this.#live(life);
      } catch (error) {
        this.#judge(error);
      }
      life.process.kill('it ended');
      world.died(life);
      if (this.#ended) return;
      this.disk.afterDeath(life);
      await world.time.sleep(world.plan.draws.between(...RESTART_MS, 'restart', world.lives));
    }
  }

  #born(): Life {
    const world = this.#world;
    world.lives += 1;
    const number = world.lives;
    const diesAt = deathsOf(world, number);
    const process = new SimProcess({
      time: world.time,
      diesAt: (boundary) => diesAt(boundary),
      saw: (boundary) => {
        world.saw(boundary);
      },
    });
    const life: Life = { number, process, bot: undefined, startedAt: world.time.monotonicMs() };
    world.life = life;
    this.disk.beforeStart();
    world.say('born', `process ${number}`);
    return life;
  }

  async #live(life: Life): Promise<void> {
    const world = this.#world;
    const bot = await first(life.process, build(world, life.process, life.number));
    if (bot === undefined) return;
    life.bot = bot;
    for (const what of world.adopted) bot.command({ kind: 'adopt', what });
    this.disk.opened();
    bot.failed.catch(() => undefined);
    try {
      await first(life.process, Promise.race([bot.start(), bot.failed]));
      if (life.process.alive)
        await first(life.process, Promise.race([this.#halted(bot), bot.failed]));
      if (life.process.alive) await first(life.process, bot.close());
    } catch (error) {
      // As the command line does: without a journal nothing is placed, and cancels still leave.
      if (bot.journalLost) await first(life.process, bot.stop('cancel-entries'));
      throw error;
    }
  }

  /** A person looks at it, takes away what is in the way, and starts it again. */
  async #halted(bot: Bot): Promise<void> {
    const world = this.#world;
    await bot.halted;
    world.say('halted', bot.engine.haltReason ?? '');
    await world.time.sleep(PERSON_MS);
    takeAwayForged(world);
    for (const id of world.met) world.adopted.add(id);
  }

  #judge(error: unknown): void {
    const world = this.#world;
    const text = textOf(error);
    world.startFailures.push(text);
    world.say('ended', text);
    if (error instanceof LogCorruptError && this.disk.isDamaged) return;
    if (this.disk.isFaulty && isDiskFailure(error)) return;
    if (error instanceof VenueError || error instanceof StartError) return;
    world.fail('P22', `the bot ended by ${text}`);
  }
}

/** Orders that look like ours and are not: only a hand can cancel them. */
export function takeAwayForged(world: SimWorld): void {
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
  const { seed, compactAfter } = world.plan;
  return createBot({
    config: configOf(world.plan),
    strategies: world.strategies,
    baseUrl: BASE_URL,
    wsUrl: WS_URL,
    secret: world.secret,
    stateDir: STATE_DIR,
    ...(compactAfter !== undefined && { compactAfter }),
    recordPartBytes: RECORD_PART_BYTES,
    logger: world.logger,
    ports: {
      clock: process.clock(),
      scheduler: process.scheduler(),
      random: seededRandom(seed * 1_000 + number),
      files: process.files(world.files),
      net: process.net(wires(world, net, number)),
      facts: {
        pid,
        // Each in a container of its own: no number tells of another process.
        startTimeOf: (asked) => Promise.resolve(asked === pid ? `${asked}` : undefined),
        bootId: () => Promise.resolve('boot'),
        locks: world.locks.of(() => process.alive),
        sinceBootMs: () => world.time.monotonicMs(),
      },
    },
  });
}

/** What comes first, or undefined when the process dies before. */
function first<T>(process: SimProcess, promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, process.died.then(() => undefined)]);
}

const isDiskFailure = (error: unknown): boolean =>
  error instanceof LogWriteError || error instanceof DiskError;

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
