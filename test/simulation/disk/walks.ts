import { seededRandom } from '../../harness/virtual-time.js';
import { DiskWalk } from './disk-walk.js';
import { OutboxWalk } from './outbox-walk.js';

/** Walks one seed after the other. @returns the first that breaks something, and what */
export async function firstLost(
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
