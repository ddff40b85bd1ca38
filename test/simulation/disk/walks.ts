import { seededRandom } from '../../harness/virtual-time.js';
import { DiskWalk } from './disk-walk.js';

/** Walks one seed after the other, from 1. @returns the first that breaks something, and what */
export async function firstLost(
  most: number,
): Promise<{ readonly seed: number; readonly text: string } | undefined> {
  for (let seed = 1; seed <= most; seed += 1) {
    try {
      await new DiskWalk(seededRandom(seed)).run();
    } catch (error) {
      return { seed, text: error instanceof Error ? error.message : String(error) };
    }
  }
  return undefined;
}
