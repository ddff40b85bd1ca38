import uPlot from 'uplot';
import type { ComparedRun } from '../../../../src/report/page/comparison-data.js';

/** Rows of all runs on one axis of time, s UTC. A run has no value (null) before its start and after its end. */
export interface JoinedCurves {
  readonly times: readonly number[];
  /** One column for each run. */
  readonly index: readonly (readonly (number | null)[])[];
  readonly drawdown: readonly (readonly (number | null)[])[];
}

/** A run keeps its last value at times that only other runs have: it has no row between two of its own. */
export function joinedCurves(runs: readonly ComparedRun[]): JoinedCurves {
  const [times = [], ...columns] = uPlot.join(
    runs.map(({ times, index, drawdown }) => [[...times], [...index], [...drawdown]]),
  );
  const axis = [...times];
  const filled = columns.map((column, position) => {
    const end = runs[Math.floor(position / 2)]?.times.at(-1) ?? 0;
    let last: number | null = null;
    return [...column].map((value, row) => {
      last = value ?? last;
      return (axis[row] as number) > end ? null : last;
    });
  });
  return {
    times: axis,
    index: filled.filter((_, position) => position % 2 === 0),
    drawdown: filled.filter((_, position) => position % 2 === 1),
  };
}
