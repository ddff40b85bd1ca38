import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { SeedReduction } from './plan.js';

/** A seed that failed once: it runs before any other. */
export interface CorpusEntry {
  readonly seed: number;
  readonly reduction: SeedReduction;
  /** What it failed by. */
  readonly was: string;
}

export const readCorpus = (file: string): readonly CorpusEntry[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly CorpusEntry[]) : [];

export function addToCorpus(file: string, entry: CorpusEntry): void {
  const known = readCorpus(file);
  const isKnown = known.some(
    ({ seed, reduction }) =>
      seed === entry.seed && JSON.stringify(reduction) === JSON.stringify(entry.reduction),
  );
  if (isKnown) return;
  writeFileSync(file, `${JSON.stringify([...known, entry], undefined, 2)}\n`);
}
