import type { ComparedRun } from '../../../../src/report/page/comparison-data.js';
import type { Palette } from '../theme.js';

/** Dashes of the lines A to F: they tell the lines apart without colour. */
const DASHES: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [3, 3],
  [12, 3, 3, 3],
  [18, 5],
  [1.5, 4],
];

export const dashOf = (position: number): number[] => [...(DASHES[position] ?? [])];

type RunColour = Extract<keyof Palette, `run-${string}`>;

export const colourOf = (letter: string): RunColour => `run-${letter.toLowerCase()}` as RunColour;

/** The line of a run and its letter. */
export function RunKey({ run: { letter } }: { run: ComparedRun }) {
  const position = letter.charCodeAt(0) - 'A'.charCodeAt(0);
  return (
    <span class="run-key">
      <svg viewBox="0 0 34 6" aria-hidden="true">
        <line
          x1="0"
          y1="3"
          x2="34"
          y2="3"
          stroke={`var(--${colourOf(letter)})`}
          stroke-width="2.5"
          stroke-dasharray={dashOf(position).join(' ')}
        />
      </svg>
      <b>{letter}</b>
    </span>
  );
}
