import type { Currency } from '../../core/currency.js';
import type { Side } from '../../core/order.js';

/** Parts of the gap, in the currency of the account: above 0 the session earned more than the backtest. */
export interface DriftParts {
  /** The price moved between the fill of the backtest and that of the session. */
  readonly latency: string;
  /** Distance of a fill from the market: spread and slippage. */
  readonly spread: string;
  readonly fee: string;
  readonly funding: string;
  /** Ordered by the session and not filled. */
  readonly partial_fill: string;
  /** Decisions that the session did not make because their candles did not arrive in time. */
  readonly missing_data: string;
  /** Other decisions that one side alone made, or with another quantity. */
  readonly decision: string;
}

export type DriftCause = keyof DriftParts;

/** One side of a decision; money in the currency of the account, prices in USDT. */
export interface DriftSideRow {
  readonly ordered: string;
  readonly filled: string;
  /** Average; null: nothing filled. */
  readonly price: string | null;
  readonly fee: string;
}

/** A decision whose sides differ. */
export interface DriftRow {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly strategy: string;
  readonly symbol: string;
  readonly side: Side;
  /** null: that side traded nothing on it. */
  readonly session: DriftSideRow | null;
  readonly backtest: DriftSideRow | null;
  /** Session − backtest. */
  readonly gap: string;
  /** Causes of the gap that are not 0. */
  readonly parts: Partial<DriftParts>;
  /** The cause with the largest part. */
  readonly cause: DriftCause;
  /** Reason as the session states it; null: none is known. */
  readonly note: string | null;
}

/** The output of `sluice drift --json`. */
export interface DriftReport {
  readonly state_dir: string;
  readonly sessions: readonly string[];
  readonly mode: string;
  readonly currency: Currency;
  /** First candle with a decision, and the last certain reading of the wallet: ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  /** The replay of the record made the journal again. */
  readonly identical: boolean;
  /** Decisions of either side, and those among them that agree in quantity. */
  readonly decisions: number;
  readonly decisions_alike: number;
  /** Fills of each side. */
  readonly session_fills: number;
  readonly backtest_fills: number;
  /** Wallet and open positions at the price of the end. */
  readonly session_net: string;
  readonly backtest_net: string;
  /** session_net − backtest_net. */
  readonly gap: string;
  readonly parts: DriftParts;
  /** gap − the sum of the parts. */
  readonly remainder: string;
  /** |remainder| ≤ 0.01. */
  readonly explained: boolean;
  /** Decisions that differ, in order of time. */
  readonly differing: readonly DriftRow[];
  readonly warnings: readonly string[];
}
