import { formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { Signed } from '../sign.js';
import { signedMoney } from '../text.js';
import type { Trade } from '../trades.js';
import { costsOf } from './headline.js';

/** From the profit of the price moves to the net profit, one bar a part. */
export function Costs({ data, trades }: { data: PageData; trades: readonly Trade[] }) {
  const { figures, currency, rate } = data;
  const { price_pnl, fees, funding, slippage } = figures;
  if (price_pnl === undefined || fees === undefined || funding === undefined)
    return <p class="absent">This run keeps no split of its costs.</p>;
  const parts = [
    ['Price moves', Number(price_pnl)],
    ['Fees', -Number(fees)],
    ['Funding', -Number(funding)],
    ['Slippage', -Number(slippage ?? 0) * rate],
    ['Net profit', Number(figures.net_profit)],
  ] as const;
  const most = Math.max(1e-9, ...parts.map(([, value]) => Math.abs(value)));
  return (
    <>
      <table class="bars">
        <caption>Parts of the net profit, {currency}</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Amount</th>
            <th scope="col">Bar</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(([name, value]) => (
            <tr key={name} class={name === 'Net profit' ? 'sum' : ''}>
              <th scope="row">{name}</th>
              <td>
                <Signed value={value}>{signedMoney(value)}</Signed>
              </td>
              <td class="bar" aria-hidden="true">
                <Bar share={value / most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">{breakEvenText(data, trades)}</p>
    </>
  );
}

/** A bar from the middle: to the right a gain, to the left a loss. */
export function Bar({ share }: { share: number }) {
  const width = `${Math.min(1, Math.abs(share)) * 50}%`;
  return (
    <span class="track">
      <span
        class={share < 0 ? 'fill loss' : 'fill gain'}
        style={share < 0 ? { right: '50%', width } : { left: '50%', width }}
      />
    </span>
  );
}

function breakEvenText(
  { figures, trades: page, rate, evidence }: PageData,
  trades: readonly Trade[],
): string {
  const { paid_bps = null, break_even_bps = null } = evidence?.costs ?? {};
  if (paid_bps !== null && break_even_bps !== null) {
    const own = `The run paid ${formatNumber(paid_bps, 2)} bps of each traded value in fees and slippage`;
    return break_even_bps > 0
      ? `${own}; it breaks even at ${formatNumber(break_even_bps, 2)} bps.`
      : `${own}. Without them it lost money too, so no cost is low enough.`;
  }
  const costs = costsOf(figures);
  if (costs === undefined || page.rows !== null || trades.length === 0) return '';
  const traded = trades.reduce(
    (sum, { quantity, entryPrice, exitPrice }) => sum + quantity * (entryPrice + exitPrice) * rate,
    0,
  );
  const bps = (amount: number): string => `${formatNumber((amount / traded) * 10_000, 2)} bps`;
  const price = Number(figures.price_pnl);
  const paid = `The run paid ${bps(costs)} of each traded value`;
  if (price <= 0) return `${paid}. The price moves alone lost money, so no cost is low enough.`;
  return `${paid}; it breaks even at ${bps(price)}.`;
}
