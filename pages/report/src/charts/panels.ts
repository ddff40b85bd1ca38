import uPlot from 'uplot';
import { readPalette, type Palette } from '../theme.js';
import { axisText } from '../text.js';

export interface Panels {
  readonly charts: readonly uPlot[];
  readonly resize: (width: number) => void;
  readonly destroy: () => void;
}

export interface PanelOptions {
  /** The equity has a logarithmic axis. */
  readonly isLog: boolean;
  readonly onRow: (row: number | undefined) => void;
}

type Columns = readonly (readonly (number | null | undefined)[])[];

export interface Panel {
  readonly title: string;
  /** Share of the width, and limits, in px. */
  readonly height: (width: number) => number;
  readonly columns: Columns;
  readonly series: readonly uPlot.Series[];
  /** Areas between two series, by their numbers from 1. */
  readonly bands?: uPlot.Band[];
  readonly unit: string;
  readonly hasTimes: boolean;
}

const AXIS_WIDTH = 62;
const NARROW_PX = 480;

/** A height that is smaller on a narrow page, px. */
export const heightOf = (wide: number, small: number) => (width: number) =>
  width < NARROW_PX ? small : wide;

/** Charts under each other, in the order of `panels`, with one cursor and one range of time. */
export function createPanels(
  frame: HTMLElement,
  times: readonly number[],
  panels: readonly Panel[],
  { isLog, onRow }: PanelOptions,
): Panels {
  const palette = readPalette();
  const charts: uPlot[] = [];
  let isSyncing = false;
  const follow = (moved: uPlot, key: string): void => {
    const { min, max } = moved.scales['x'] ?? {};
    if (key !== 'x' || isSyncing || min === undefined || max === undefined) return;
    isSyncing = true;
    for (const chart of charts) if (chart !== moved) chart.setScale('x', { min, max });
    isSyncing = false;
  };
  const width = frame.clientWidth;
  for (const panel of panels) {
    const options: uPlot.Options = {
      width,
      height: panel.height(width),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: 'equity' },
        drag: { x: true, y: false },
        points: { size: 6 },
        y: false,
      },
      scales: { x: { time: true }, y: { distr: isLog && panel.unit === '' ? 3 : 1 } },
      axes: axesOf(panel, palette),
      series: [{}, ...panel.series],
      ...(panel.bands !== undefined && { bands: panel.bands }),
      hooks: {
        setScale: [follow],
        setCursor: [
          ({ cursor }) => {
            onRow(cursor.idx ?? undefined);
          },
        ],
      },
    };
    const place = document.createElement('div');
    place.className = 'panel';
    place.dataset['title'] = panel.title;
    frame.append(place);
    charts.push(new uPlot(options, [times, ...panel.columns] as uPlot.AlignedData, place));
  }
  return {
    charts,
    resize: (next) => {
      charts.forEach((chart, index) => {
        const height = panels[index]?.height(next) ?? chart.height;
        if (chart.width !== next) chart.setSize({ width: next, height });
      });
    },
    destroy: () => {
      for (const chart of charts) chart.destroy();
      frame.replaceChildren();
    },
  };
}

const axesOf = ({ unit, hasTimes }: Panel, palette: Palette): uPlot.Axis[] => [
  {
    show: true,
    size: hasTimes ? 34 : 4,
    stroke: palette.muted,
    font: '11px system-ui, sans-serif',
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    values: (_chart, splits, _axis, _space, step) =>
      hasTimes ? splits.map((time) => timeText(time, step)) : splits.map(() => ''),
  },
  {
    size: AXIS_WIDTH,
    stroke: palette.muted,
    font: '11px system-ui, sans-serif',
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    space: 24,
    values: (_chart, splits) => {
      const step = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0));
      const largest = splits.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
      return splits.map((value) =>
        // A logarithmic axis has more ticks than room.
        value === null ? '' : `${axisText(value, step, largest).replace('-', '−')}${unit}`,
      );
    },
  },
];

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const [DAY_S, MONTH_S] = [86_400, 28 * 86_400];

/** A tick in UTC: a time of day, a day or a month, by the distance of the ticks in s. */
function timeText(seconds: number, step: number): string {
  const date = new Date(seconds * 1_000);
  const month = MONTHS[date.getUTCMonth()] ?? '';
  if (step < DAY_S && seconds % DAY_S !== 0) return date.toISOString().slice(11, 16);
  if (step < MONTH_S) return `${date.getUTCDate()} ${month}`;
  return step >= 365 * DAY_S || date.getUTCMonth() === 0
    ? String(date.getUTCFullYear())
    : `${month} ${String(date.getUTCFullYear()).slice(2)}`;
}
