import { useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData, PageHistogram } from '../../../../src/report/page/page-data.js';
import { ExcursionScatter } from '../charts/excursion-scatter.js';
import type { Theme } from '../theme.js';
import { signedPercent } from '../text.js';
import type { Trade } from '../trades.js';

interface DistributionProps {
  readonly data: PageData;
  readonly trades: readonly Trade[];
  readonly theme: Theme;
  readonly onSelect: (trade: Trade) => void;
}

/** The results of trades as a histogram, and against their extremes. */
export function Distribution({ data, trades, theme, onSelect }: DistributionProps) {
  const [extreme, setExtreme] = useState<'mae' | 'mfe'>('mae');
  const hasExtremes = trades.some(({ mae }) => mae !== null);
  return (
    <div class="pair">
      <figure>
        <figcaption>Result of each trade, per cent of its entry value</figcaption>
        {data.distribution !== null && <Histogram histogram={data.distribution} />}
      </figure>
      <figure>
        <figcaption class="with-choice">
          <span>
            Result against the {extreme === 'mae' ? 'deepest loss' : 'highest gain'} while open
          </span>
          <select
            aria-label="Extreme of the trade"
            value={extreme}
            onChange={(event) => {
              setExtreme(event.currentTarget.value === 'mfe' ? 'mfe' : 'mae');
            }}
          >
            <option value="mae">MAE</option>
            <option value="mfe">MFE</option>
          </select>
        </figcaption>
        {hasExtremes ? (
          <ExcursionScatter trades={trades} extreme={extreme} theme={theme} onSelect={onSelect} />
        ) : (
          <p class="absent">This run keeps no extremes of its trades.</p>
        )}
        <p class="note">
          {extreme === 'mae'
            ? 'Winners far to the left went deep under water first. A stop at a given depth closes all trades beyond it.'
            : 'Losers far to the right gave back a gain. A target at a given height closes all trades beyond it.'}{' '}
          The trades table has each value.
        </p>
      </figure>
    </div>
  );
}

const [WIDTH, HEIGHT, BASE] = [560, 220, 190];

function Histogram({ histogram }: { histogram: PageHistogram }) {
  const { from, width, counts, lowest, highest } = histogram;
  const most = Math.max(...counts);
  const step = WIDTH / counts.length;
  const edge = (index: number): number => from + index * width;
  const label = (value: number): string =>
    signedPercent(Number(value.toPrecision(6))).replace(/\.?0+ %/, ' %');
  const zero = (-from / width) * step;
  return (
    <>
      <svg
        class="histogram"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Histogram of ${formatCount(
          counts.reduce((a, b) => a + b, 0),
          'trade',
        )}, from ${signedPercent(lowest)} to ${signedPercent(highest)}`}
      >
        {counts.map((count, index) => {
          const height = count === 0 ? 0 : Math.max(1.5, (count / most) * (BASE - 16));
          return (
            <rect
              key={index}
              class={edge(index) < -width / 2 ? 'loss' : 'gain'}
              x={index * step + 0.75}
              y={BASE - height}
              width={Math.max(1, step - 1.5)}
              height={height}
            >
              <title>{`${label(edge(index))} to ${label(edge(index + 1))}: ${formatCount(count, 'trade')}`}</title>
            </rect>
          );
        })}
        <line class="axis" x1="0" x2={WIDTH} y1={BASE} y2={BASE} />
        <line class="zero" x1={zero} x2={zero} y1="6" y2={BASE + 6} />
        <text x="0" y={HEIGHT - 8}>
          {label(edge(0))}
        </text>
        <text x={WIDTH} y={HEIGHT - 8} text-anchor="end">
          {label(edge(counts.length))}
        </text>
        {zero > 60 && zero < WIDTH - 60 && (
          <text x={zero} y={HEIGHT - 8} text-anchor="middle">
            0
          </text>
        )}
      </svg>
      <details>
        <summary>Table of the histogram</summary>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Result</th>
              <th scope="col">Trades</th>
            </tr>
          </thead>
          <tbody>
            {counts.map((count, index) => (
              <tr key={index}>
                <th scope="row">
                  {label(edge(index))} to {label(edge(index + 1))}
                </th>
                <td>{formatNumber(count, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
