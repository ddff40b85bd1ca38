import { EngineWalk } from './engine-walk.js';

/** Walks one seed after the other. @returns the first that breaks something, and what */
export function firstEngineFailure(
  most: number,
  from = 1,
): { readonly seed: number; readonly text: string } | undefined {
  for (let seed = from; seed < from + most; seed += 1) {
    try {
      new EngineWalk(seed).run();
    } catch (error) {
      return { seed, text: error instanceof Error ? error.message : String(error) };
    }
  }
  return undefined;
}
