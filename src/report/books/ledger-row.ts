import type { Currency } from '../../core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import type { Owner } from './owner.js';

/** `gap`: a change of the wallet that no row explains. */
export const LEDGER_KINDS = [
  'fill',
  'liquidation',
  'fee',
  'rebate',
  'funding',
  'transfer',
  'gap',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** One line of an account's ledger. Facts that the venue does not give are absent. */
export interface LedgerRow {
  /** ms UTC, whole seconds. */
  readonly at: number;
  readonly kind: LedgerKind;
  readonly currency: Currency;
  readonly owner: Owner;
  /**
   * Change of balance and locked margin, in `currency`. A fill has the profit that it realises, before fees;
   * a fill that opens has 0.
   */
  readonly amount: Amount;
  readonly symbol?: string;
  readonly side?: Side;
  readonly quantity?: Quantity;
  /** USDT */
  readonly price?: Price;
  /** Traded or held value that a charge was computed on, in `currency`. */
  readonly value?: Amount;
  /** GST inside a fee, in `currency`, as the venue gives it. */
  readonly gst?: Amount;
  /** INR per USDT; 1 for USDT. */
  readonly hedgeRate?: Ratio;
  readonly orderId?: string;
  readonly clientOrderId?: string;
  readonly positionId?: string;
  /** The venue's id of its own row. */
  readonly rowId?: string;
}
