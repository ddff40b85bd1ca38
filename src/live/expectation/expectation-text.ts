import type { ExpectationStatus } from './expectation-status.js';

/** One sentence for the summary, the status and the report. */
export function expectationText(status: ExpectationStatus): string {
  const { run, currency, trades, profit, low, high, outside, differs } = status;
  if (trades === 0) return `no trade has closed to compare with the backtest ${run}`;
  const money = (text: string): string => Number(text).toFixed(2);
  const band = `${money(low)} to ${money(high)} ${currency} (5–95 %)`;
  const facts = `${trades} closed ${trades === 1 ? 'trade' : 'trades'} made ${money(profit)} ${currency} before fees, and the backtest ${run} expects ${band}`;
  if (differs)
    return `the last ${outside} trades in a row lie outside the backtest: ${facts}. Compare the session: sluice drift`;
  return outside === 0 ? facts : `${facts}: outside since ${outside} of them`;
}
