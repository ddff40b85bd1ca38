import { formatMoney } from '../../../../src/report/figure-format.js';
import type { ComparedRun } from '../../../../src/report/page/comparison-data.js';
import { dayText, minuteText, spanText } from '../text.js';
import { RunKey } from './run-key.js';

const DAY_MS = 86_400_000;
const SHORT_HASH = 8;

/** The runs by their letters, each with its own report where it has one. */
export function RunTable({ runs }: { runs: readonly ComparedRun[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="The runs">
      <table class="compared">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Strategy</th>
            <th scope="col">Market</th>
            <th scope="col">Period, UTC</th>
            <th scope="col">Cash</th>
            <th scope="col">Name</th>
            <th scope="col">Hash</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.letter}>
              <th scope="row">
                <RunKey run={run} />
              </th>
              <td class="text">{run.title}</td>
              <td class="text">
                {run.symbols.join(', ')}, {run.interval}
              </td>
              <td>{periodText(run)}</td>
              <td>{formatMoney(run.cash, run.currency)}</td>
              <td class="text">
                {run.report === null ? run.name : <a href={run.report}>{run.name}</a>}
              </td>
              <td>
                <code title={run.hash}>{run.hash.slice(0, SHORT_HASH)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function periodText({ from, to, days }: ComparedRun): string {
  const textOf = days < 2 ? minuteText : dayText;
  const period = `${textOf(Date.parse(from))} to ${textOf(Date.parse(to))}`;
  return `${period}, ${spanText(days * DAY_MS)}`;
}
