import type {
  ComparedFigure,
  ComparedRun,
  ComparisonPage,
} from '../../../../src/report/page/comparison-data.js';
import { figureName, valueText } from '../sections/figure-names.js';
import { minus, minuteText } from '../text.js';
import { RunKey } from './run-key.js';

function Heads({ runs, first }: { runs: readonly ComparedRun[]; first: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {runs.map((run) => (
          <th key={run.letter} scope="col">
            <RunKey run={run} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The inputs that are not the same in all runs. */
export function DifferentInputs({ data: { runs, inputs } }: { data: ComparisonPage }) {
  if (inputs.length === 0) return <p class="absent">All inputs are the same.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of the inputs that differ">
      <table class="compared">
        <Heads runs={runs} first="Input" />
        <tbody>
          {inputs.map(({ key, values }) => (
            <tr key={key}>
              <th scope="row">
                <code>
                  {key.split('.').map((part, depth) => (
                    <span key={part}>
                      {depth > 0 && '.'}
                      <wbr />
                      {part}
                    </span>
                  ))}
                </code>
              </th>
              {values.map((value, position) => (
                <td key={position} class="text">
                  {value === '' ? '–' : value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The figures side by side; the best of a row has the word. */
export function ComparedResults({ data: { runs, results } }: { data: ComparisonPage }) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of the results">
        <table class="compared">
          <Heads runs={runs} first="Figure" />
          <tbody>
            {results.map((row) => (
              <tr key={row.key}>
                <th scope="row">{figureName(row.key)}</th>
                {runs.map((run, position) => (
                  <FigureCell key={run.letter} row={row} run={run} position={position} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">
        The word best marks the better side of a figure that has one, where the runs differ in it
        and can be compared. It is a fact of these periods, and no forecast.
      </p>
    </>
  );
}

interface FigureCellProps {
  readonly row: ComparedFigure;
  readonly run: ComparedRun;
  readonly position: number;
}

function FigureCell({ row: { key, values, best }, run, position }: FigureCellProps) {
  const value = values[position] ?? null;
  const text =
    key === 'from' || key === 'to'
      ? minuteText(Date.parse(String(value)))
      : minus(valueText(key, value, run.currency));
  return best.includes(position) ? (
    <td class="best">
      {text} <small>best</small>
    </td>
  ) : (
    <td>{text}</td>
  );
}
