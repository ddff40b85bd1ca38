import type { PositionReport } from '../../core/account.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
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

/** State to compare a read with. */
export interface InitialPositionsContext {
  /** Monotonic ms of the last reported fill. */
  readonly changedAt: number;
  /** Whether every open order was queried since then. */
  readSince(monotonic: number): boolean;
  /** Positions from the journal and the fills since. */
  readonly expected: readonly ExpectedPosition[];
}

interface Candidate {
  readonly text: string;
  readonly since: number;
  readonly answeredAt: number;
  readonly reads: number;
}

/**
 * Decides when the venue's snapshot becomes our first positions. One read may be a transient empty list
 * (hazard G1), or overlap a fill that our order queries report again. So two reads must agree, with a query
 * of every open order between them. A snapshot without a position of our journal must be repeated like any
 * claim without evidence.
 */
export class InitialPositions {
  #candidate: Candidate | undefined;

  accepts(read: PositionRead, facts: InitialPositionsContext): boolean {
    const text = textOf(read.positions);
    const before = this.#candidate;
    const isRepeat = before !== undefined && before.text === text && facts.changedAt < before.since;
    this.#candidate = isRepeat
      ? { ...before, reads: before.reads + 1 }
      : { text, since: read.startedAt, answeredAt: read.answeredAt, reads: 1 };
    if (!isRepeat || !facts.readSince(before.answeredAt)) return false;
    if (!lacksExpected(read.positions, facts.expected)) return true;
    const { reads, since } = this.#candidate;
    return reads >= CONFIRMING_READS && read.startedAt - since >= CONFIRMING_MS;
  }
}

const lacksExpected = (
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
