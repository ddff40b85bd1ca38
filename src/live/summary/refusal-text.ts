import type { RunCounts } from '../../engine/account/run-counts.js';

/** Advice for each refusal, by control (docs/risk.md) or by the venue's reason. */
const ADVICE: Readonly<Record<string, string>> = {
  R01: 'give a smaller size, or raise risk.max_order_notional_usdt and risk.max_order_notional_pct_equity',
  R02: 'give a smaller size, or raise risk.max_order_qty',
  R03: 'quote nearer to the market, or raise risk.price_collar_bps',
  R05: 'the price was unknown or older than risk.max_ref_price_age_ms: check the market data',
  R06: 'the account was read longer ago than risk.max_state_age_ms: check the connection',
  R07: "give a size that fits the instrument's steps, bounds and minimum value",
  R08: 'the same order was submitted twice within risk.duplicate_window_ms',
  R10: 'ask for fewer orders, or raise risk.max_open_orders',
  R12: 'give a smaller size, or raise risk.max_position_notional',
  R15: 'give less leverage, or raise risk.max_leverage',
  R22: 'review the external position, then sluice resume SYMBOL, or adopt it: sluice resume SYMBOL --adopt',
  R28: 'name the symbol in risk.symbols_allow and the currency in risk.currencies_allow',
  'insufficient-balance': 'give a smaller size (--size), more --leverage or more --cash',
  'notional-below-minimum': 'give a larger size: it is below the minimum value of an order',
  'quantity-range': "give a size within the instrument's minimum and maximum",
  'quantity-step': "give a size on the instrument's quantity step",
  'leverage-range': "give a leverage within the instrument's range",
};

/** Orders that did not become trades, by reason, with advice; the first lines of a report. */
export function refusalLines({ rejectedBy, refusedBy }: RunCounts): readonly string[] {
  const rejected = [...rejectedBy].map(
    ([reason, count]) =>
      `${ordersText(count)} rejected by the exchange: ${reason}${adviceFor(reason)}`,
  );
  const refused = [...refusedBy].map(
    ([control, { count, lastText }]) =>
      `${ordersText(count)} refused by ${control}, the last: ${lastText}${adviceFor(control)}`,
  );
  return [...rejected, ...refused].map((line) => `warning: ${line}`);
}

const ordersText = (count: number): string =>
  count === 1 ? '1 order was' : `${count.toLocaleString('en-US')} orders were`;

const adviceFor = (reason: string): string => {
  const [code = ''] = reason.split(/[ :]/);
  const text = ADVICE[reason] ?? ADVICE[code];
  return text === undefined ? '' : `. ${text}`;
};
