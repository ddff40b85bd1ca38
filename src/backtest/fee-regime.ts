import {
  add,
  numberFromFixed,
  textFromFixed,
  ZERO,
  type Amount,
  type Ratio,
} from '../core/fixed/fixed.js';
import { gstOf } from '../exchange/account/fee-ledger.js';
import type { RunFill } from './effects/run-fills.js';
import type { BacktestPlan } from './plan.js';

/** The fees that a run paid, by name. Amounts are in its currency. */
export interface FeeRegime {
  /** `taker 0.059 %, maker 0.023 %, GST included, rebates off`. */
  readonly name: string;
  /** GST inside the fees before rebates: rows of INR have it. null: a run in USDT. */
  readonly gst: string | null;
  readonly rebates: 'on' | 'off';
  /** Credited back. `fees` is less it. */
  readonly rebate: string;
}

export function feeRegimeOf(plan: BacktestPlan, fills: readonly RunFill[]): FeeRegime {
  const { takerFeeRate, makerFeeRate, currency, rebates = false } = plan;
  let [gst, rebate] = [ZERO as Amount, ZERO as Amount];
  const isCounted = currency === 'INR' || rebates;
  for (const { execution } of isCounted ? fills : []) {
    const credited = execution.rebate ?? (ZERO as Amount);
    rebate = add(rebate, credited);
    gst = add(gst, gstOf(add(execution.fee, credited)));
  }
  const state = rebates ? 'on' : 'off';
  return {
    name: `taker ${percent(takerFeeRate)}, maker ${percent(makerFeeRate)}, GST included, rebates ${state}`,
    gst: currency === 'INR' ? textFromFixed(gst) : null,
    rebates: state,
    rebate: textFromFixed(rebate),
  };
}

const percent = (rate: Ratio): string => `${Number((numberFromFixed(rate) * 100).toFixed(8))} %`;
