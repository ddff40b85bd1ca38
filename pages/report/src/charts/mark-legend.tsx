import { reasonText } from '../text.js';
import type { Trade } from '../trades.js';

/** Shapes of the price chart, those of exits that the run has. */
export function MarkLegend({ trades }: { trades: readonly Trade[] }) {
  const reasons = [...new Set(trades.map(({ reason }) => reason))];
  return (
    <ul class="marks" aria-label="Marks of the price chart">
      <li>
        <Shape kind="long" /> Long entry
      </li>
      <li>
        <Shape kind="short" /> Short entry
      </li>
      {reasons.map((reason) => (
        <li key={reason}>
          <Shape kind={reason} /> Exit: {reasonText(reason).toLowerCase()}
        </li>
      ))}
      <li>
        <span class="gain">Green</span> won, <span class="loss">red</span> lost
      </li>
    </ul>
  );
}

function Shape({ kind }: { kind: string }) {
  return (
    <svg class={`shape ${kind}`} viewBox="-7 -7 14 14" aria-hidden="true">
      {kind === 'long' ? (
        <path d="M0-5.5 5 4-5 4z" />
      ) : kind === 'short' ? (
        <path d="M0 5.5 5-4-5-4z" />
      ) : kind === 'stop_loss' || kind === 'trailing_stop' ? (
        <rect x="-4" y="-4" width="8" height="8" />
      ) : kind === 'take_profit' ? (
        <path d="M0-5.5 5.5 0 0 5.5-5.5 0z" />
      ) : kind === 'liquidation' ? (
        <path class="line" d="M-5-5 5 5M5-5-5 5" />
      ) : (
        <circle r="4.5" />
      )}
    </svg>
  );
}
