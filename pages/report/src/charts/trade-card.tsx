import { formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData, PageDecision } from '../../../../src/report/page/page-data.js';
import { Signed } from '../sign.js';
import {
  minuteText,
  plainText,
  reasonText,
  signedMoney,
  signedPercent,
  spanText,
} from '../text.js';
import type { Trade } from '../trades.js';

interface TradeCardProps {
  readonly data: PageData;
  readonly trades: readonly Trade[];
  readonly selected: Trade | undefined;
  readonly onSelect: (trade: Trade) => void;
}

/** The selected trade in words, and buttons to its neighbours. */
export function TradeCard({ data, trades, selected, onSelect }: TradeCardProps) {
  if (trades.length === 0) return null;
  const index = selected === undefined ? -1 : trades.indexOf(selected);
  const [before, after] = [trades[index - 1], trades[index + 1]];
  return (
    <div class="card">
      <div class="card-head">
        <h3>
          {selected === undefined ? 'No trade selected' : `Trade ${formatNumber(selected.row, 0)}`}
        </h3>
        <div class="zoom" role="group" aria-label="Trade">
          <button
            type="button"
            class="quiet"
            disabled={before === undefined}
            onClick={() => {
              if (before !== undefined) onSelect(before);
            }}
          >
            Previous trade
          </button>
          <button
            type="button"
            class="quiet"
            disabled={after === undefined}
            onClick={() => {
              if (after !== undefined) onSelect(after);
            }}
          >
            {selected === undefined ? 'First trade' : 'Next trade'}
          </button>
        </div>
      </div>
      <div aria-live="polite">
        {selected !== undefined && (
          <TradeFacts
            trade={selected}
            currency={data.currency}
            hasDecisions={data.trades.decisions !== null}
          />
        )}
      </div>
    </div>
  );
}

interface DecisionProps {
  readonly decision: PageDecision | null | undefined;
  /** Of an end that the strategy did not decide. */
  readonly other: string;
}

/** A decision in words. */
function Decision({ decision, other }: DecisionProps) {
  if (decision === undefined)
    return <>not on this page, which holds the decisions of a part of the trades</>;
  if (decision === null) return <>{other}</>;
  const { time, after, price, text, size } = decision;
  return (
    <>
      {text !== undefined && (
        <>
          <q>{text}</q>,{' '}
        </>
      )}
      {minuteText(time * 1_000)} after {after}, at the price {plainText(price)}
      {size !== undefined && <>; {size}</>}
    </>
  );
}

interface TradeFactsProps {
  readonly trade: Trade;
  readonly currency: string;
  readonly hasDecisions: boolean;
}

function TradeFacts({ trade, currency, hasDecisions }: TradeFactsProps) {
  const facts = [
    [
      'Side',
      `${trade.side === 'long' ? 'Long' : 'Short'} ${plainText(trade.quantity)} ${trade.symbol}`,
    ],
    ['Entry', `${minuteText(trade.entryTime)} at ${plainText(trade.entryPrice)}`],
    [
      'Exit',
      `${minuteText(trade.exitTime)} at ${plainText(trade.exitPrice)}, ${reasonText(trade.reason).toLowerCase()}`,
    ],
    ['Held', spanText(trade.heldMs)],
    [
      'Costs',
      `fees ${signedMoney(-trade.fees)}, funding ${signedMoney(-trade.funding)} ${currency}`,
    ],
    [
      'While open',
      trade.mae === null
        ? 'not recorded'
        : `lowest ${signedPercent(trade.mae)}, highest ${signedPercent(trade.mfe)}`,
    ],
  ] as const;
  return (
    <dl class="facts">
      <div>
        <dt>Net</dt>
        <dd>
          <Signed value={trade.net}>
            {signedMoney(trade.net)} {currency}, {signedPercent(trade.pct)}
          </Signed>
        </dd>
      </div>
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {hasDecisions && (
        <>
          <div class="decision">
            <dt>The entry saw</dt>
            <dd>
              <Decision
                decision={trade.decisions?.entry}
                other="it was no decision of the strategy"
              />
            </dd>
          </div>
          <div class="decision">
            <dt>The exit saw</dt>
            <dd>
              <Decision
                decision={trade.decisions?.exit}
                other={`${reasonText(trade.reason).toLowerCase()} at ${plainText(trade.exitPrice)}, no decision of the strategy at that time`}
              />
            </dd>
          </div>
        </>
      )}
    </dl>
  );
}
