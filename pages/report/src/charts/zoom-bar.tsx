/** A change of the visible range: in, out, to the left, to the right, or everything. */
export type Zoom = 'in' | 'out' | 'left' | 'right' | 'all';

const BUTTONS: readonly (readonly [Zoom, string, string])[] = [
  ['all', 'All', 'Show all'],
  ['in', '+', 'Zoom in'],
  ['out', '−', 'Zoom out'],
  ['left', '←', 'Move to earlier'],
  ['right', '→', 'Move to later'],
];

/** The same moves as by mouse, for the keyboard and for small screens. */
export function ZoomBar({ name, onZoom }: { name: string; onZoom: (zoom: Zoom) => void }) {
  return (
    <div class="zoom" role="group" aria-label={`Visible range of the ${name}`}>
      {BUTTONS.map(([zoom, text, label]) => (
        <button
          key={zoom}
          type="button"
          class="quiet"
          aria-label={label}
          onClick={() => {
            onZoom(zoom);
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The range after a zoom, inside `whole`. */
export function zoomed({ from, to }: Range, whole: Range, zoom: Zoom): Range {
  if (zoom === 'all') return whole;
  const length = to - from;
  const middle = (from + to) / 2;
  const next = zoom === 'in' || zoom === 'out' ? length * (zoom === 'in' ? 0.5 : 2) : length;
  const shift = zoom === 'left' ? -length / 2 : zoom === 'right' ? length / 2 : 0;
  const size = Math.min(next, whole.to - whole.from);
  const start = Math.min(Math.max(whole.from, middle + shift - size / 2), whole.to - size);
  return { from: start, to: start + size };
}
