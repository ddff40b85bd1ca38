/** Dots of one character: two columns and four rows, from the top. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const EMPTY = 0x2800;
const COLUMNS = DOTS.length;
const ROWS = DOTS[0].length;

export interface ChartSize {
  /** Characters. */
  readonly width: number;
  readonly height: number;
  /** Values that count. Default: all. */
  readonly length?: number;
}

/**
 * A curve as lines of braille characters, scaled from its lowest to its highest value. Each dot column shows
 * the last value of its section, and is joined to the column before it. A flat curve is a line at half height.
 *
 * @param values finite numbers
 */
export function brailleChart(values: ArrayLike<number>, size: ChartSize): readonly string[] {
  const { width, height, length = values.length } = size;
  const cells = Array.from({ length: height }, () => new Uint16Array(width).fill(EMPTY));
  const levels = length === 0 ? [] : levelsOf(values, length, { width, height });
  for (const [column, level] of levels.entries()) {
    const before = levels[column - 1] ?? level;
    for (let dot = Math.min(level, before); dot <= Math.max(level, before); dot += 1) {
      const row = height * ROWS - 1 - dot;
      const cell = cells[Math.floor(row / ROWS)];
      const at = Math.floor(column / COLUMNS);
      if (cell !== undefined) cell[at] = (cell[at] as number) | dotOf(column, row);
    }
  }
  return cells.map((line) => String.fromCharCode(...line));
}

const dotOf = (column: number, row: number): number =>
  (DOTS[column % COLUMNS] as (typeof DOTS)[0])[row % ROWS] as number;

/** The dot row of each dot column, from the bottom. */
function levelsOf(
  values: ArrayLike<number>,
  length: number,
  { width, height }: ChartSize,
): readonly number[] {
  const columns = width * COLUMNS;
  const samples = Array.from(
    { length: columns },
    (_, column) => values[Math.ceil(((column + 1) * length) / columns) - 1] as number,
  );
  const lowest = Math.min(...samples);
  const range = Math.max(...samples) - lowest;
  const top = height * ROWS - 1;
  return samples.map((value) =>
    range === 0 ? Math.floor(top / 2) : Math.round(((value - lowest) / range) * top),
  );
}
