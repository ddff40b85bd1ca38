// A daemon that has met another writer's orders: when, which ids it names, and the way on.
import { RATE, SYMBOL } from './setup.mjs';
import { must } from './must.mjs';
import { startDaemon, tail } from './daemon.mjs';

/** Order history is read each 30 s of real time, which is ten venue minutes here; reads take theirs. */
export const HALT_WITHIN_MINUTES = 15;
const HALT_WITHIN_MS = (HALT_WITHIN_MINUTES * 60_000) / RATE;
/** The line with the reason follows the one with the mode. */
export const HALTED = 'halted: ';
const ID = /[a-z2-7]{6}-[a-z2-7]{26}-a\d+/g;

/** Whichever of them halts first. @returns it and the other one */
export async function firstToHalt(daemons) {
  const halted = daemons.map(async (daemon) => {
    await daemon.says(HALTED, HALT_WITHIN_MS);
    return daemon;
  });
  const one = await Promise.any(halted).catch(({ errors }) => {
    throw new Error(`none has halted: ${errors.map(({ message }) => message).join('; ')}`);
  });
  return { one, other: daemons.find((daemon) => daemon !== one) };
}

/** Ids in its halt. */
export function namedBy(daemon) {
  const line = daemon.stderr.split('\n').find((text) => text.includes(HALTED)) ?? '';
  return [...new Set(line.match(ID))];
}

/** Both readings, the ids and the way out. */
export function mustExplain(daemon, others) {
  const named = namedBy(daemon);
  must(named.length > 0, `the halt names no order: ${tail(daemon)}`);
  const unexpectedIds = named.filter((id) => !others.has(id));
  must(unexpectedIds.length === 0, `the halt names ${unexpectedIds.join(', ')}, which are its own`);
  for (const expectedWords of ['another bot runs', 'older copy or a backup', '--adopt'])
    must(
      daemon.stderr.includes(expectedWords),
      `the halt does not say "${expectedWords}": ${tail(daemon)}`,
    );
}

/**
 * Nobody else runs any more: `--adopt history` takes up trading, and `--adopt SYMBOL` a position that the
 * other one left (R22); the next start needs no word.
 */
export async function keepsRunning(stage, config, halted) {
  const isHeld = halted.stderr.includes(`--adopt ${SYMBOL}`) || (await stage.position()) !== 0;
  const expectedWords = ['--adopt', 'history', ...(isHeld ? [SYMBOL] : [])];
  for (const args of [expectedWords, []]) {
    const daemon = startDaemon({ config, args });
    await daemon.trades();
    const { length } = await stage.orders();
    await stage.untilOrders(length + 2);
    const code = await daemon.stop();
    const start = args.join(' ') || 'a plain start';
    must(code === 0, `after ${start} it ended with code ${code}: ${tail(daemon)}`);
    await mustAgree(stage, daemon);
  }
}

/** The position that it believes is the venue's. */
export async function mustAgree(stage, daemon) {
  const { positions, reconciled, unknown } = daemon.summary();
  const believed = Number(positions[0]?.quantity ?? 0);
  const held = await stage.position();
  must(believed === held, `${believed} is believed, ${held} is at the venue`);
  must(reconciled && unknown === 0, `reconciled ${reconciled}, unknown ${unknown}`);
}
