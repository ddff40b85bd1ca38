import type { PositionReport } from '../../core/account.js';
import { textFromFixed } from '../../core/fixed.js';
import { CONFIRMING_MS, CONFIRMING_READS } from '../../execution/constants.js';

/** One read of the venue's positions. */
export interface PositionRead {
  readonly positions: readonly PositionReport[];
  /** Monotonic ms at which its request left. */
  readonly startedAt: number;
  /** Monotonic ms now. */
  readonly answeredAt: number;
}

export interface ExpectedPosition {
  readonly symbol: string;
}

/** What a read must be held against. */
export interface BaselineFacts {
  /** Monotonic ms of the last fill that was learnt. */
  readonly changedAt: number;
  /** Whether every order that the venue has was looked at in a look begun since then. */
  lookedSince(monotonic: number): boolean;
  /** Positions that the journal leaves, with the fills that were told since. */
  readonly expected: readonly ExpectedPosition[];
}

interface Candidate {
  readonly text: string;
  readonly since: number;
  readonly answeredAt: number;
  readonly reads: number;
}

/**
 * When the venue's picture may become our first belief. One read alone may be a blip of `null`
 * (hazard G1) or overlap a fill that our lookups will tell once more, so that two must agree, with a
 * look at every open order between them. A picture that lacks what our own journal holds must be
 * repeated like any claim without evidence.
 */
export class Baseline {
  #candidate: Candidate | undefined;

  accepts(read: PositionRead, facts: BaselineFacts): boolean {
    const text = textOf(read.positions);
    const before = this.#candidate;
    const goesOn = before !== undefined && before.text === text && facts.changedAt < before.since;
    this.#candidate = goesOn
      ? { ...before, reads: before.reads + 1 }
      : { text, since: read.startedAt, answeredAt: read.answeredAt, reads: 1 };
    if (!goesOn || !facts.lookedSince(before.answeredAt)) return false;
    if (!lacks(read.positions, facts.expected)) return true;
    const { reads, since } = this.#candidate;
    return reads >= CONFIRMING_READS && read.startedAt - since >= CONFIRMING_MS;
  }
}

const lacks = (
  positions: readonly PositionReport[],
  expected: readonly ExpectedPosition[],
): boolean => expected.some(({ symbol }) => positions.every((row) => row.symbol !== symbol));

const textOf = (positions: readonly PositionReport[]): string =>
  positions
    .map(
      ({ symbol, side, quantity, positionId }) =>
        `${symbol} ${side} ${textFromFixed(quantity)} ${positionId}`,
    )
    .sort()
    .join('\n');
