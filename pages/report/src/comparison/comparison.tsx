import type { ComparisonPage } from '../../../../src/report/page/comparison-data.js';
import { Command } from '../sections/command.js';
import { useTheme } from '../theme.js';
import { Credits, TopBar } from '../top-bar.js';
import { ComparedResults, DifferentInputs } from './compared-tables.js';
import { ComparisonChart } from './comparison-chart.js';
import { RunTable } from './run-table.js';

const SECTIONS = [
  ['equity', 'Equity'],
  ['results', 'Results'],
  ['differences', 'Inputs'],
  ['repeat', 'Repeat'],
] as const;

/** The page of 2 to 6 runs. */
export function Comparison({ data }: { data: ComparisonPage }) {
  const [theme, toggleTheme] = useTheme();
  const { runs, notes, thinned } = data;
  return (
    <>
      <TopBar sections={SECTIONS} theme={theme} onTheme={toggleTheme} />
      <main>
        <section class="headline" aria-labelledby="title">
          <p class="kicker">Comparison</p>
          <h1 id="title">
            {runs.length} runs <small>{strategiesOf(data)}</small>
          </h1>
          {notes.length > 0 && (
            <ul class="notices" aria-label="Notices">
              {notes.map((text) => (
                <li key={text} class="warn">
                  {text}
                </li>
              ))}
            </ul>
          )}
        </section>
        <section id="runs" aria-labelledby="runs-title">
          <h2 id="runs-title">Runs</h2>
          <RunTable runs={runs} />
        </section>
        <section id="equity" aria-labelledby="equity-title">
          <h2 id="equity-title">Equity and drawdown</h2>
          <ComparisonChart runs={runs} theme={theme} />
        </section>
        <section id="results" aria-labelledby="results-title">
          <h2 id="results-title">Results</h2>
          <ComparedResults data={data} />
        </section>
        <section id="differences" aria-labelledby="differences-title">
          <h2 id="differences-title">Inputs that differ</h2>
          <DifferentInputs data={data} />
        </section>
        <section id="repeat" class="repeats" aria-labelledby="repeat-title">
          <h2 id="repeat-title">How to repeat the runs</h2>
          {runs.map(({ letter, name, hash, repeat }) => (
            <div key={letter}>
              <h3>
                {letter}, {name}
              </h3>
              <Command text={repeat} name={`Command that repeats ${letter}`} />
              <p class="note">
                Hash of the run: <code>{hash}</code>
              </p>
            </div>
          ))}
        </section>
      </main>
      <footer>
        {thinned.length > 0 && <p>This page is thinned to stay small. {thinned.join(' ')}</p>}
        <p>
          All times are UTC. A backtest shows the past under stated assumptions; it promises
          nothing.
        </p>
        <Credits />
      </footer>
    </>
  );
}

/** The strategies once each. */
export const strategiesOf = ({ runs }: ComparisonPage): string =>
  [...new Set(runs.map(({ title }) => title))].join(', ');
