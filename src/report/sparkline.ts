const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const MIDDLE = '▄';

/**
 * A curve as one line of `width` block characters, lowest to highest. A longer series shows the last
 * value of each stretch, a shorter one is stretched, a flat one is a line at half height, an empty
 * one is blank. Values that are not finite are blank.
 */
export function sparkline(
  values: ArrayLike<number>,
  options: { readonly width: number; readonly length?: number },
): string {
  const { width, length = values.length } = options;
  if (length === 0) return ' '.repeat(width);
  const samples = Array.from({ length: width }, (_, column) => {
    const end = Math.ceil(((column + 1) * length) / width);
    return values[end - 1] as number;
  });
  const shown = samples.filter(Number.isFinite);
  const lowest = Math.min(...shown);
  const range = Math.max(...shown) - lowest;
  return samples.map((value) => blockOf(value, lowest, range)).join('');
}

function blockOf(value: number, lowest: number, range: number): string {
  if (!Number.isFinite(value)) return ' ';
  if (range === 0) return MIDDLE;
  const height = Math.floor(((value - lowest) / range) * BLOCKS.length);
  return BLOCKS[Math.min(height, BLOCKS.length - 1)] ?? MIDDLE;
}
