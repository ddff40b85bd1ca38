import type { Amount, Usdt } from '../../core/fixed/fixed.js';
import type { LossMeasure } from './loss-ledger.js';

/** Losses and counters of an account as the gate reads them. Amounts are in the wallet's currency. */
export interface LossFacts extends LossMeasure {
  /** Change of the wallet that no trade of ours explains; undefined: none. Above 0: it has more. */
  readonly unexplained: Amount | undefined;
  /** Orders of the venue day. */
  readonly orders: number;
  /** Notional of our fills of the venue day, USDT. */
  readonly turnover: Usdt;
  /** Equity at the start of the day, USDT. */
  readonly dayStartUsdt: Usdt;
  /** Losing closes in a row. */
  readonly losingCloses: number;
  /** Venue ms until which a losing streak pauses entries. */
  readonly pausedUntil: number | undefined;
}
