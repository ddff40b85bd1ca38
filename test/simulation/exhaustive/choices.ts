import type { Random } from '../../../src/core/ports.js';

/** Where a history may go on in more than one way: one of `options`, from 0. */
export interface Choices {
  choose(options: number, label: string): number;
  /** A yes that a random walk draws once in `oneIn`; an enumeration tries both all the same. */
  rarely(oneIn: number, label: string): boolean;
}

interface Branch {
  taken: number;
  readonly options: number;
  readonly label: string;
}

/** What a history was made of, for a person to read. */
export type Path = readonly string[];

const pathOf = (branches: readonly Branch[]): Path =>
  branches.map(({ label, taken, options }) => `${label} ${taken}/${options}`);

/**
 * Runs every history of a tree, depth first: each run replays the choices of the one before up to its
 * last branch that has an option left, and takes that. Nothing is kept but the way to the current leaf.
 *
 * @param broken told what a run threw, with the path of its history
 * @returns how many leaves the tree has
 */
export function enumerate(
  run: (choices: Choices, leaf: number) => void,
  broken: (error: HistoryError) => void,
): number {
  const branches: Branch[] = [];
  let leaves = 0;
  for (;;) {
    let depth = 0;
    const choose = (options: number, label: string): number => {
      let branch = branches[depth];
      if (branch === undefined) branches.push((branch = { taken: 0, options, label }));
      else if (branch.options !== options || branch.label !== label)
        throw new Error(`a replayed history asked for ${label}, before for ${branch.label}`);
      depth += 1;
      return branch.taken;
    };
    try {
      run({ choose, rarely: (_oneIn, label) => choose(2, label) === 1 }, leaves);
    } catch (error) {
      broken(new HistoryError(error, pathOf(branches.slice(0, depth))));
    }
    leaves += 1;
    while (branches.length > 0 && isSpent(branches.at(-1))) branches.pop();
    const last = branches.at(-1);
    if (last === undefined) return leaves;
    last.taken += 1;
  }
}

const isSpent = (branch: Branch | undefined): boolean =>
  branch !== undefined && branch.taken + 1 >= branch.options;

/**
 * One history by chance. Each has its own temper: it draws some of its choices often, some never, and
 * leans to one answer of others, so that what must come together does (swarm testing).
 *
 * @throws HistoryError with what `run` threw, and the path of its history
 */
export function sample(random: Random, run: (choices: Choices) => void): void {
  const branches: Branch[] = [];
  const tempers = new Map<string, Temper>();
  const temperOf = (label: string): Temper => {
    let temper = tempers.get(label);
    if (temper === undefined) {
      tempers.set(label, (temper = { mood: random.next(), leaning: random.next() }));
    }
    return temper;
  };
  const take = (taken: number, options: number, label: string): number => {
    branches.push({ taken, options, label });
    return taken;
  };
  try {
    run({
      choose(options, label) {
        const { mood, leaning } = temperOf(label);
        const leans = mood < OFTEN && random.next() < LEANS;
        return take(Math.floor((leans ? leaning : random.next()) * options), options, label);
      },
      rarely(oneIn, label) {
        const { mood } = temperOf(label);
        const chance = mood < OFTEN ? 1 / 2 : mood > NEVER ? 0 : 1 / oneIn;
        return take(random.next() < chance ? 1 : 0, 2, label) === 1;
      },
    });
  } catch (error) {
    throw new HistoryError(error, pathOf(branches));
  }
}

interface Temper {
  readonly mood: number;
  /** Where among the options: there may be more of them another time. */
  readonly leaning: number;
}

/** Of the tempers of a choice: below it often, above it never. */
const OFTEN = 0.3;
const NEVER = 0.6;
/** How often a choice that leans goes that way at least. */
const LEANS = 0.8;

/** What broke, and on which way. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly path: Path;
  constructor(cause: unknown, path: Path) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.path = path;
  }
}
