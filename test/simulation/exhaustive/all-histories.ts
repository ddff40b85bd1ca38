import { seededRandom } from '../../support/fakes/virtual-time.js';
import { enumerate, HistoryError, sample, type Path } from './choices.js';
import { PlaceHistory } from './place-history.js';
import { FULL_SCOPE, WALK_SCOPE, type Scope } from './scope.js';

/**
 * Number of histories in the full scope. Another number means that the protocol sends other
 * requests now.
 */
export const FULL_COUNT = 717_180;

/** Result of an enumeration. */
export interface Census {
  readonly histories: number;
  readonly violations: number;
  /** Number of histories per final state. */
  readonly endings: Readonly<Record<string, number>>;
  /** Most requests of one intent. */
  readonly mostRequests: number;
  readonly first?: { readonly text: string; readonly path: Path };
}

/** Runs every history of a scope. */
export function allHistories(
  scope: Scope = FULL_SCOPE,
  progress: (histories: number) => void = () => undefined,
): Census {
  const endings: Record<string, number> = {};
  let violations = 0;
  let mostRequests = 0;
  let first: Census['first'];
  const histories = enumerate(
    (choices, leaf) => {
      if (leaf > 0 && leaf % 50_000 === 0) progress(leaf);
      const ending = new PlaceHistory(choices, scope).run();
      endings[ending.state] = (endings[ending.state] ?? 0) + 1;
      mostRequests = Math.max(mostRequests, ending.requests);
    },
    ({ message, path }) => {
      violations += 1;
      first ??= { text: message, path };
    },
  );
  return { histories, violations, endings, mostRequests, ...(first !== undefined && { first }) };
}

/** Runs one random history per seed. @returns the first seed that breaks a property */
export function firstHistoryFailure(
  most: number,
  from = 1,
  scope: Scope = WALK_SCOPE,
): { readonly seed: number; readonly text: string; readonly path: Path } | undefined {
  for (let seed = from; seed < from + most; seed += 1) {
    try {
      sample(seededRandom(seed), (choices) => {
        new PlaceHistory(choices, scope).run();
      });
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      return { seed, text: error.message, path: error.path };
    }
  }
  return undefined;
}
