import { seededRandom } from '../../support/fakes/virtual-time.js';
import { DiskWalk } from './disk-walk.js';
import { OutboxWalk } from './outbox-walk.js';

/** Runs walks, one seed after the other. @returns the first broken property with its seed */
export async function firstDiskFailure(
  most: number,
  from = 1,
): Promise<{ readonly seed: number; readonly text: string } | undefined> {
  for (let seed = from; seed < from + most; seed += 1) {
    try {
      await new DiskWalk(seededRandom(seed)).run();
      await new OutboxWalk(seededRandom(seed)).run();
    } catch (error) {
      return { seed, text: error instanceof Error ? error.message : String(error) };
    }
  }
  return undefined;
}
