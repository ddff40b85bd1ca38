// Disasters of the machine that the daemon runs on.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RESTING, restingOrder } from './account.mjs';

const DAY_MS = 86_400_000;

const clockJump = (name, what, ms) => ({
  name,
  what,
  does: 'Nothing is traded because of it: decisions use the time of the venue and the monotonic clock.',
  options: { strategies: [{ symbol: 'BTCUSDT' }], machine: true },
  async play(world, { check }) {
    const { entries, positions } = await world.holding();
    world.machine({ clock_ms: ms });
    world.begin();
    await world.run(75);
    const state = await world.venue.state();
    check(state.entries === entries, 'an entry left');
    check(state.quantity('BTCUSDT') === positions[0].quantity, 'the position has changed');
    check(state.hasStop('BTCUSDT'), 'the stop is gone');
    await world.flatten(['BTCUSDT'], 30);
    world.over();
    await world.resume();
    await world.back(90);
    world.machine({});
    await world.run(5);
  },
});

export const clockForward = clockJump('clock-forward', 'the clock jumps a day forward', DAY_MS);
export const clockBack = clockJump('clock-back', 'the clock jumps a day back', -DAY_MS);

export const asleep = {
  name: 'asleep',
  what: 'the daemon is stopped for an hour of the venue, and its stop fires',
  does: 'The stop fires at the venue. After the wake-up everything is read again, and no candle of the past is traded.',
  options: { clock: 'fast:60', strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }] },
  async play(world, { check }) {
    const { entries, prices } = await world.holding();
    world.daemon.signal('SIGSTOP');
    await world.run(30);
    await world.venue.setPrice('BTCUSDT', Number(prices.BTCUSDT.last) * 0.9);
    await world.run(30);
    check((await world.venue.state()).quantity('BTCUSDT') === 0, 'the stop did not fire');
    world.daemon.signal('SIGCONT');
    world.begin();
    await world.note(
      'detected_s',
      'the close in the books of the bot',
      async () => (await world.status())?.positions.every(({ symbol }) => symbol !== 'BTCUSDT'),
      60,
    );
    await world.back(150);
    await world.run(5);
    const state = await world.venue.state();
    check(state.entries === entries, 'a candle of the past was traded');
    check(state.hasStop('ETHUSDT'), 'the other position or its stop is gone');
  },
};

/** Writes to the file system of the state folder until it takes no byte more. @returns the file */
function fillDisk(folder) {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4_096);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  return path;
}

export const diskFull = {
  name: 'disk-full',
  what: 'the disk is full, with an order resting beside a position',
  does: 'Resting entries are canceled, and the run ends with exit code 1 and the reason. With space on the disk the next start goes on.',
  options: {
    clock: 'fast:10',
    strategies: [RESTING],
    diskBytes: 8_000_000,
    onStop: 'cancel-entries',
  },
  async play(world, { check }) {
    await restingOrder(world);
    const { daemon } = world;
    const ballast = fillDisk(world.disk);
    world.mayEnd = true;
    world.begin();
    await world.note('detected_s', 'the end of the daemon', () => daemon.code !== undefined, 120);
    check(daemon.code === 1, `exit code ${daemon.code}, expected 1`);
    const said = daemon.said(
      /the disk is full: free some space.*start again with the same state_dir/,
    );
    check(said.length === 1, 'the error does not name its cause and its mend');
    world.facts.restriction = 'the run ends with exit code 1';
    const state = await world.venue.state();
    check(state.hasStop('BTCUSDT'), 'the position has no stop');
    check(state.open.length === 0, 'an order rests at the venue');
    rmSync(ballast);
    world.mayEnd = false;
    world.start();
    world.over();
    await world.back(60);
  },
};
