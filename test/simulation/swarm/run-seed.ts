import { BRANCHES } from './branches.js';
import { isCollision } from './checks/collision.js';
import { CHECKS } from './checks/table.js';
import { scheduleDisturbances } from './disturbances.js';
import { MIN_INTENTS, planOf, type SeedReduction } from './plan.js';
import { Supervisor, cancelForgedOrders } from './supervisor.js';
import { SimWorld, type Violation } from './world.js';

const MINUTE_MS = 60_000;
/**
 * A seed that has not come to its intents by then goes on without faults: where nothing gets through,
 * more of the same proves no more. Of the minutes that it planned.
 */
const FAULTS_FOR = 2;
/** Then it has so much longer at most, venue minutes. */
const MAX_MINUTES = 180;
const STEP_MS = 100;
/** Candles on their way when faults end are still acted on. */
const SETTLING_MS = 1_000;
const CHECK_INTERVAL_MS = 500;
/** Quiet: at least, until all is proved, and at most. Virtual ms. */
const QUIET_MS = 5_000;
const MAX_QUIET_MS = 300_000;
/** After that nothing may happen any more. */
const STILL_MS = 4_200;

export interface SeedResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly kinds: readonly string[];
  readonly intents: number;
  /** Of the venue. */
  readonly minutes: number;
  readonly lives: number;
  readonly requests: number;
  readonly hash: string;
  /** Rare branches that it came to. */
  readonly reached: readonly string[];
}

export interface RunOptions {
  readonly reduction?: SeedReduction;
  readonly trace?: (line: string) => void;
}

/** One seed: faults, quiet, the last word. */
export async function runSeed(
  seed: number,
  { reduction, trace }: RunOptions = {},
): Promise<SeedResult> {
  const plan = planOf(seed, reduction);
  const world = new SimWorld(plan, CHECKS, BRANCHES);
  if (trace !== undefined) world.trace(trace);
  const startedAt = world.sandbox.now();
  const supervisor = new Supervisor(world);
  try {
    supervisor.start();
    await faults(world, supervisor, startedAt);
    if (world.violation === undefined) await quiet(world, supervisor);
    world.phase = 'over';
    if (world.violation === undefined) await world.over();
  } catch (error) {
    world.fail(
      'P22',
      `the simulation itself failed: ${String(error)} ${(error as Error).stack ?? ''}`,
    );
  } finally {
    await world.time.resolve(supervisor.end());
    world.sandbox.stop();
  }
  return {
    seed,
    violation: world.violation,
    kinds: [...plan.kinds],
    intents: world.intents.size,
    minutes: (world.sandbox.now() - startedAt) / MINUTE_MS,
    lives: world.runCount,
    requests: world.requests.length,
    hash: world.hash,
    reached: [...world.reached],
  };
}

async function faults(world: SimWorld, supervisor: Supervisor, startedAt: number): Promise<void> {
  const { minutes, reduction } = world.plan;
  scheduleDisturbances(world, minutes * MINUTE_MS);
  const passed = (): number => (world.sandbox.now() - startedAt) / MINUTE_MS;
  const most = reduction.minutes ?? MAX_MINUTES;
  while (
    world.violation === undefined &&
    (passed() < minutes ||
      (world.intents.size < MIN_INTENTS && passed() < most && !isCollision(world)))
  ) {
    await world.time.run(STEP_MS);
    if (world.phase === 'faults' && passed() >= FAULTS_FOR * minutes)
      await stopFaults(world, supervisor);
  }
}

/** Faults end, and what they hold up goes on; strategies act as before. */
async function stopFaults(world: SimWorld, { disk }: Supervisor): Promise<void> {
  world.note('calm', '');
  await world.time.resolve(setFaults(world));
  world.phase = 'calm';
  disk.heal();
  cancelForgedOrders(world);
  world.botRun?.process.thaw();
}

/** Faults end; strategies fall silent; all that was begun must come to its end. */
async function quiet(world: SimWorld, supervisor: Supervisor): Promise<void> {
  const { plan, time } = world;
  if (world.phase === 'faults') await stopFaults(world, supervisor);
  world.note('quiet', '');
  world.phase = 'quiet';
  // Of the bot's own time, as a replay of it meets it.
  world.tradesUntil = world.sandbox.now() + SETTLING_MS * plan.factor;
  if (!plan.keepsProcessAlive) world.botRun?.process.kill('quiet begins with a start');
  const from = time.monotonicMs();
  while (world.violation === undefined) {
    await time.run(CHECK_INTERVAL_MS);
    const passed = time.monotonicMs() - from;
    if (passed > MAX_QUIET_MS || (passed > QUIET_MS && world.isQuiet)) break;
  }
  if (world.violation !== undefined) return;
  world.quiet();
  await time.run(STILL_MS);
  world.checkIdle();
}

const setFaults = (world: SimWorld) =>
  world.sandbox.handle({
    method: 'PUT',
    path: '/sandbox/faults',
    query: '',
    headers: { 'content-type': 'application/json' },
    body: '[]',
  });
