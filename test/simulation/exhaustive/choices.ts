import type { Random } from '../../../src/core/ports.js';

/** Branches of a history: `choose` returns one of `options`, from 0. */
export interface Choices {
  choose(options: number, label: string): number;
  /** True once in `oneIn` on a random walk; an enumeration tries both. */
  rarely(oneIn: number, label: string): boolean;
}

interface Branch {
  taken: number;
  readonly options: number;
  readonly label: string;
}

/** The choices of a history, for people to read. */
export type Path = readonly string[];

const pathOf = (branches: readonly Branch[]): Path =>
  branches.map(({ label, taken, options }) => `${label} ${taken}/${options}`);

/**
 * Runs every history of a tree, depth first. Each run replays the choices of the one before up to
 * its last branch with an option left, and takes that option. Only the path to the current leaf is
 * stored.
 *
 * @param onFailure called with the error of a run and the path of its history
 * @returns the number of leaves
 */
export function enumerate(
  run: (choices: Choices, leaf: number) => void,
  onFailure: (error: HistoryError) => void,
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
      onFailure(new HistoryError(error, pathOf(branches.slice(0, depth))));
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
 * One random history. Each has its own biases: it makes some choices often and some never, and
 * prefers one option of others, so that rare combinations occur (swarm testing).
 *
 * @throws HistoryError with the error of `run` and the path of its history
 */
export function sample(random: Random, run: (choices: Choices) => void): void {
  const branches: Branch[] = [];
  const biases = new Map<string, ChoiceBias>();
  const biasOf = (label: string): ChoiceBias => {
    let bias = biases.get(label);
    if (bias === undefined) {
      biases.set(label, (bias = { frequency: random.next(), preferredShare: random.next() }));
    }
    return bias;
  };
  const take = (taken: number, options: number, label: string): number => {
    branches.push({ taken, options, label });
    return taken;
  };
  try {
    run({
      choose(options, label) {
        const { frequency, preferredShare } = biasOf(label);
        const usesPreferred = frequency < OFTEN && random.next() < PREFERRED_SHARE;
        return take(
          Math.floor((usesPreferred ? preferredShare : random.next()) * options),
          options,
          label,
        );
      },
      rarely(oneIn, label) {
        const { frequency } = biasOf(label);
        const chance = frequency < OFTEN ? 1 / 2 : frequency > NEVER ? 0 : 1 / oneIn;
        return take(random.next() < chance ? 1 : 0, 2, label) === 1;
      },
    });
  } catch (error) {
    throw new HistoryError(error, pathOf(branches));
  }
}

interface ChoiceBias {
  readonly frequency: number;
  /** Position among the options as a share, since their number may differ another time. */
  readonly preferredShare: number;
}

/** Frequencies of a choice: below OFTEN it is taken often, above NEVER it never is. */
const OFTEN = 0.3;
const NEVER = 0.6;
/** Least share of the preferred option. */
const PREFERRED_SHARE = 0.8;

/** A broken property, with the path to it. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly path: Path;
  constructor(cause: unknown, path: Path) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.path = path;
  }
}
