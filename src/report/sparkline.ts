const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const MIDDLE = '▄';

/**
 * A curve as one line of `width` block characters, scaled from its lowest to its highest value. A longer
 * series shows the last value of each section, and a shorter one is stretched. A flat series is a line at
 * half height. An empty series and values that are not finite are blank.
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
