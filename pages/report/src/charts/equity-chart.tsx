import { useState } from 'preact/hooks';
import { formatMoney, formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { readPalette, type Theme } from '../theme.js';
import { tableRows } from '../table-rows.js';
import { minuteText, signedPercent } from '../text.js';
import { equityPanels } from './equity-panels.js';
import { usePanels } from './use-panels.js';
import { ZoomBar } from './zoom-bar.js';

/** Equity with buy and hold, drawdown and exposure, on one time axis. */
export function EquityChart({ data, theme }: { data: PageData; theme: Theme }) {
  const [isLog, setLog] = useState(false);
  const { times } = data.equity;
  const panelsOf = () => equityPanels(data, readPalette());
  const { frame, row, zoom } = usePanels({ times, panelsOf, isLog, theme });
  if (times.length < 2) return <p class="absent">This run has too few rows of equity to draw.</p>;
  return (
    <>
      <div class="chart-head">
        <EquityLegend data={data} row={row} />
        <div class="choices">
          {canBeLog(data) && (
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
      <div class="panels" ref={frame} role="img" aria-label={equityLabel(data)} />
      <p class="note">Drag over a part to zoom into it; a double click shows everything.</p>
      {data.equity.bounds !== null && (
        <p class="note">
          {data.kind === 'session'
            ? 'The band is the equity if the closed trades had the results of the backtest expected_run: 5 to 95 % of 1,000 paths, with the fees and the open positions of this session.'
            : 'The band holds the equity of the run where the prices inside each candle come in the worst and in the best order for it. Candles leave that open.'}
        </p>
      )}
      <EquityTable data={data} />
    </>
  );
}

/** A logarithm needs values above 0. */
const canBeLog = ({ equity: { equity, benchmark, bounds } }: PageData): boolean =>
  [...equity, ...(benchmark ?? []), ...(bounds?.low ?? [])].every((value) => value > 0);

function EquityLegend({ data, row }: { data: PageData; row: number | undefined }) {
  const { times, equity, benchmark, bounds, drawdown, long, short } = data.equity;
  const index = row ?? times.length - 1;
  const value = (column: readonly number[]): number => column[index] ?? NaN;
  return (
    <ul class="legend">
      <li class="time">{minuteText((times[index] as number) * 1_000)}</li>
      <li class="key-accent">
        Equity <b>{formatMoney(value(equity), data.currency)}</b>
      </li>
      {bounds !== null && (
        <li class="key-bounds">
          {data.kind === 'session' ? 'Backtest, 5–95 %' : 'Bounds'}{' '}
          <b>
            {formatNumber(value(bounds.low), 2)} to {formatNumber(value(bounds.high), 2)}
          </b>
        </li>
      )}
      {benchmark !== null && (
        <li class="key-benchmark">
          Buy and hold <b>{formatMoney(value(benchmark), data.currency)}</b>
        </li>
      )}
      <li class="key-loss">
        Drawdown <b>{signedPercent(value(drawdown))}</b>
      </li>
      <li class="key-gain">
        Long <b>{formatNumber(value(long), 0)} %</b>
      </li>
      <li class="key-short">
        Short <b>{formatNumber(-value(short), 0)} %</b>
      </li>
    </ul>
  );
}

function equityLabel({ equity: { equity, drawdown }, currency, figures }: PageData): string {
  const deepest = drawdown.reduce((a, b) => Math.min(a, b), 0);
  return (
    `Line chart of the equity from ${figures.from.slice(0, 10)} to ${figures.to.slice(0, 10)}: ` +
    `it ends at ${formatMoney(equity.at(-1) ?? NaN, currency)}, deepest drawdown ${signedPercent(deepest)}. ` +
    'A table follows.'
  );
}

/** The chart as rows for readers without it. */
function EquityTable({ data: { equity: page, currency } }: { data: PageData }) {
  const { times, equity, benchmark, bounds, drawdown } = page;
  const { rows, nameOf } = tableRows(times);
  return (
    <details>
      <summary>Table of the equity</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of the equity">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Equity, {currency}</th>
              {bounds !== null && <th scope="col">Lower bound</th>}
              {bounds !== null && <th scope="col">Upper bound</th>}
              {benchmark !== null && <th scope="col">Buy and hold</th>}
              <th scope="col">Drawdown</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">{nameOf(row)}</th>
                <td>{formatNumber(equity[row] as number, 2)}</td>
                {bounds !== null && <td>{formatNumber(bounds.low[row] as number, 2)}</td>}
                {bounds !== null && <td>{formatNumber(bounds.high[row] as number, 2)}</td>}
                {benchmark !== null && <td>{formatNumber(benchmark[row] as number, 2)}</td>}
                <td>{signedPercent(drawdown[row])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
