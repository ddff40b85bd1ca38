import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Theme } from '../theme.js';
import { createPanels, type Panel } from './panels.js';
import { zoomed, type Zoom } from './zoom-bar.js';

export interface DrawnPanels {
  /** Of the element that holds the charts. */
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Under the pointer. */
  readonly row: number | undefined;
  readonly zoom: (kind: Zoom) => void;
}

interface PanelsInput {
  /** s UTC, the same array while the data is the same. */
  readonly times: readonly number[];
  /** Called when the theme is applied. */
  readonly panelsOf: () => readonly Panel[];
  readonly isLog: boolean;
  readonly theme: Theme;
}

/** Draws panels into a frame, and again when times, theme or scale change. */
export function usePanels({ times, panelsOf, isLog, theme }: PanelsInput): DrawnPanels {
  const frame = useRef<HTMLDivElement>(null);
  const charts = useRef<readonly uPlot[]>([]);
  const [row, setRow] = useState<number>();
  useEffect(() => {
    const element = frame.current;
    if (element === null || times.length < 2) return undefined;
    const made = createPanels(element, times, panelsOf(), { isLog, onRow: setRow });
    charts.current = made.charts;
    const observer = new ResizeObserver(() => {
      made.resize(element.clientWidth);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [times, theme, isLog]);
  const zoom = (kind: Zoom): void => {
    const [first] = charts.current;
    const whole = { from: times[0] as number, to: times.at(-1) as number };
    const { min = whole.from, max = whole.to } = first?.scales['x'] ?? {};
    const next = zoomed({ from: min, to: max }, whole, kind);
    first?.setScale('x', { min: next.from, max: next.to });
  };
  return { frame, row, zoom };
}
