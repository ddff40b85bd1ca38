import { numberFromFixed, type Amount } from '../../core/fixed/fixed.js';
import { formatMoney } from '../../report/figure-format.js';
import type { HonestyChecks } from '../../report/run/checks-schema.js';
import type { RunInputs } from '../../report/run/inputs-schema.js';
import type { MarketFacts } from '../market-facts.js';
import type { BacktestResult } from '../result.js';

/** A reason to doubt a result, found by a rule of `RULES`. */
export interface ResultFinding {
  readonly id: string;
  readonly text: string;
}

export interface FindingFacts {
  readonly result: Omit<BacktestResult, 'run' | 'report'>;
  readonly inputs: Pick<RunInputs, 'taker_fee' | 'slippage' | 'funding' | 'strategies'>;
  readonly trades: readonly { readonly netPnl: Amount }[];
  readonly market: MarketFacts;
  /** Of `--check`; null: it was not asked for. */
  readonly checks: HonestyChecks | null;
}

export interface FindingRule {
  readonly id: string;
  /** The condition, for docs/backtests.md. */
  readonly when: string;
  /** @returns the finding in a sentence; undefined: the rule holds */
  readonly find: (facts: FindingFacts) => string | undefined;
}

/** The usual least number of a sample: below it a mean has no known spread. */
export const MIN_TRADES = 30;

export const netOf = ({ result }: FindingFacts): number => Number(result.net_profit);
export const amountOfRun = ({ result }: FindingFacts, amount: number): string =>
  formatMoney(amount, result.currency);

/** The net profit without the best trades. */
export function netWithout(facts: FindingFacts, count: number): number {
  const best = facts.trades
    .map(({ netPnl }) => numberFromFixed(netPnl))
    .sort((one, other) => other - one)
    .slice(0, count);
  return netOf(facts) - best.reduce((sum, each) => sum + Math.max(each, 0), 0);
}

/** Fees, slippage and funding, in the run's currency. */
export const costsOf = ({ result }: FindingFacts): number =>
  Number(result.price_pnl) - Number(result.net_profit);

export const found = (isFound: boolean, text: () => string): string | undefined =>
  isFound ? text() : undefined;
