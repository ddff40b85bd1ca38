import { useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { formatNumber } from '../../../../src/report/figure-format.js';
import type { ComparedRun } from '../../../../src/report/page/comparison-data.js';
import { heightOf, type Panel } from '../charts/panels.js';
import { usePanels } from '../charts/use-panels.js';
import { ZoomBar } from '../charts/zoom-bar.js';
import { tableRows } from '../table-rows.js';
import { minus, minuteText, signedPercent } from '../text.js';
import { readPalette, type Theme } from '../theme.js';
import { joinedCurves, type JoinedCurves } from './joined-curves.js';
import { colourOf, dashOf, RunKey } from './run-key.js';

interface ChartProps {
  readonly runs: readonly ComparedRun[];
  readonly theme: Theme;
}

/** Equity of each run, 100 at its start, and its drawdown, on one axis of time. */
export function ComparisonChart({ runs, theme }: ChartProps) {
  const curves = useMemo(() => joinedCurves(runs), [runs]);
  const [isLog, setLog] = useState(false);
  const { times } = curves;
  const panelsOf = () => comparisonPanels(runs, curves);
  const { frame, row, zoom } = usePanels({ times, panelsOf, isLog, theme });
  const canBeLog = runs.every(({ index }) => index.every((value) => value > 0));
  return (
    <>
      <div class="chart-head">
        <Legend runs={runs} curves={curves} row={row} />
        <div class="choices">
          {canBeLog && (
            <button
              type="button"
              class="quiet"
              aria-pressed={isLog}
              onClick={() => {
                setLog(!isLog);
              }}
            >
              Log scale
            </button>
          )}
          <ZoomBar name="equity chart" onZoom={zoom} />
        </div>
      </div>
      <div class="panels" ref={frame} role="img" aria-label={labelOf(runs)} />
      <p class="note">Drag over a part to zoom into it; a double click shows everything.</p>
      <CurveTable
        name="Table of the equity, 100 at the start of each run"
        runs={runs}
        times={times}
        columns={curves.index}
        textOf={indexText}
      />
      <CurveTable
        name="Table of the drawdown"
        runs={runs}
        times={times}
        columns={curves.drawdown}
        textOf={signedPercent}
      />
    </>
  );
}

const indexText = (value: number | null): string =>
  value === null ? '–' : minus(formatNumber(value, 2));

function comparisonPanels(
  runs: readonly ComparedRun[],
  { index, drawdown }: JoinedCurves,
): readonly Panel[] {
  const palette = readPalette();
  const series = (width: number): readonly uPlot.Series[] =>
    runs.map(({ letter }, position) => ({
      stroke: palette[colourOf(letter)],
      width,
      dash: dashOf(position),
      points: { show: false },
    }));
  return [
    {
      title: 'Equity, 100 at the start of each run',
      height: heightOf(320, 240),
      columns: index,
      series: series(1.75),
      unit: '',
      hasTimes: false,
    },
    {
      title: 'Drawdown',
      height: heightOf(190, 150),
      columns: drawdown,
      series: series(1.25),
      unit: ' %',
      hasTimes: true,
    },
  ];
}

interface LegendProps {
  readonly runs: readonly ComparedRun[];
  readonly curves: JoinedCurves;
  readonly row: number | undefined;
}

/** The values under the pointer, else those at the end of each run. */
function Legend({ runs, curves: { times, index, drawdown }, row }: LegendProps) {
  const valueOf = (column: readonly (number | null)[] | undefined, own: readonly number[]) =>
    row === undefined ? (own.at(-1) ?? null) : (column?.[row] ?? null);
  return (
    <ul class="legend">
      <li class="time">
        {row === undefined ? 'At the end' : minuteText((times[row] as number) * 1_000)}
      </li>
      {runs.map((run, position) => (
        <li key={run.letter}>
          <RunKey run={run} /> <b>{indexText(valueOf(index[position], run.index))}</b>, drawdown{' '}
          <b>{signedPercent(valueOf(drawdown[position], run.drawdown))}</b>
        </li>
      ))}
    </ul>
  );
}

const labelOf = (runs: readonly ComparedRun[]): string =>
  'Line chart of the equity of each run, 100 at its start, and of its drawdown. ' +
  runs
    .map(({ letter, index, drawdown }) => {
      const deepest = drawdown.reduce((a, b) => Math.min(a, b), 0);
      return `${letter} ends at ${indexText(index.at(-1) ?? null)}, deepest drawdown ${signedPercent(deepest)}. `;
    })
    .join('') +
  'Tables follow.';

interface CurveTableProps {
  readonly name: string;
  readonly runs: readonly ComparedRun[];
  readonly times: readonly number[];
  readonly columns: readonly (readonly (number | null)[])[];
  readonly textOf: (value: number | null) => string;
}

/** A chart as rows for readers without it. */
function CurveTable({ name, runs, times, columns, textOf }: CurveTableProps) {
  const { rows, nameOf } = tableRows(times);
  return (
    <details>
      <summary>{name}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={name}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {runs.map(({ letter }) => (
                <th key={letter} scope="col">
                  {letter}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">{nameOf(row)}</th>
                {columns.map((column, position) => (
                  <td key={position}>{textOf(column[row] ?? null)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
