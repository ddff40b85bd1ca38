/** So many trades in a row outside the band are a message. */
export const OUTSIDE_TRADES = 20;

/** The closed trades of a state folder beside those of a backtest. Money is in the run's currency, exact to 1e-8. */
export interface ExpectationStatus {
  /** Name and hash of the backtest. */
  readonly run: string;
  readonly run_hash: string;
  readonly currency: string;
  readonly trades: number;
  /** Of these trades, before fees and funding. */
  readonly profit: string;
  /** 5 and 95 % of the same trades with the results of the backtest. */
  readonly low: string;
  readonly high: string;
  /** The last trades in a row after which the profit lay outside. */
  readonly outside: number;
  /** Whether these are 20 or more. */
  readonly differs: boolean;
}
