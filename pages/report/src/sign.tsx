import type { ComponentChildren } from 'preact';

/** A figure in the colour of its sign; the text has the sign too. */
export function Signed({ value, children }: { value: number; children: ComponentChildren }) {
  const kind = value > 0 ? 'gain' : value < 0 ? 'loss' : '';
  return <span class={`figure ${kind}`}>{children}</span>;
}
