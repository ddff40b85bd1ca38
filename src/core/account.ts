import type { Currency } from './currency.js';
import type { Amount, Price, Quantity, Ratio } from './fixed/fixed.js';
import type { OrderReport, OrderType, Side } from './order.js';

export interface ProtectiveOrderReport {
  readonly price: Price;
  /** Absent: the venue shows a price without its order. Whether an order exists is then unknown. */
  readonly orderId?: string;
}

/** An open position as the venue reports it. */
export interface PositionReport {
  readonly positionId: string;
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: 'long' | 'short';
  /** Above 0. */
  readonly quantity: Quantity;
  /** Average, with every digit that the venue prints. */
  readonly entryPrice: Price;
  readonly leverage: Ratio;
  /** INR per USDT at `openedAt`. INR positions only. */
  readonly entryHedgeRate?: Ratio;
  readonly liquidationPrice?: Price;
  readonly initialMargin: Amount;
  readonly maintenanceMargin: Amount;
  /** ms UTC, whole seconds. */
  readonly openedAt?: number;
  readonly stopLoss?: ProtectiveOrderReport;
  readonly takeProfit?: ProtectiveOrderReport;
}

/** The cause of a position change that no order of ours made. `external`: another actor, or unknown. */
export type PositionChangeReason = 'stop_loss' | 'take_profit' | 'liquidation' | 'external';

/** One close event of a position: a row of position history. */
export interface CloseReport {
  readonly rowId: string;
  readonly positionId: string;
  /** The order that closed the quantity. */
  readonly orderId?: string;
  /** The role of that order. Absent: the venue does not report it. */
  readonly role?: OrderReport['role'];
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: 'long' | 'short';
  readonly kind: 'partial' | 'closed' | 'liquidated';
  readonly quantity: Quantity;
  readonly entryPrice: Price;
  readonly closePrice: Price;
  /** Gross of fees, in `currency`. */
  readonly pnl: Amount;
  readonly leverage?: Ratio;
  /** INR per USDT, 1 for USDT positions. */
  readonly entryHedgeRate?: Ratio;
  readonly exitHedgeRate?: Ratio;
  /** ms UTC, whole seconds. */
  readonly openedAt: number;
  readonly closedAt: number;
}

/** A row of a list that cannot be parsed. Its contents are unknown. */
export interface UnreadableRow {
  readonly symbol: string;
  /** Of the order, the position or the row itself, if that field can be read. */
  readonly id?: string;
  /** "quantity is out of range" */
  readonly fault: string;
}

/** Money that moved between the spot and the futures wallet of one currency. */
export interface TransferReport {
  readonly id: string;
  readonly currency: Currency;
  /** `deposit`: spot to futures; `withdraw`: futures to spot. */
  readonly direction: 'deposit' | 'withdraw';
  /** Above 0, in `currency`. */
  readonly amount: Amount;
  readonly status: 'processing' | 'completed';
  /** ms UTC, whole seconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The fields that identify a transfer: enough to prove that it took place. */
export type TransferRow = Pick<
  TransferReport,
  'id' | 'currency' | 'direction' | 'amount' | 'createdAt'
>;

/** One charge or credit: a row of fee history. */
export interface FeeReport {
  /** Funding rows have none. */
  readonly id?: string;
  readonly symbol: string;
  readonly currency: Currency;
  readonly kind: 'transaction' | 'funding' | 'rebate';
  /** In `currency`, GST included. Below 0: a funding credit. A rebate is above 0 and is a credit. */
  readonly amount: Amount;
  /** The traded or held value that the fee was computed on, in `currency`. */
  readonly value: Amount;
  /** Percent of `value`, as a decimal text: "0.059". */
  readonly percent: string;
  /** Of the order that traded; not on funding rows. */
  readonly order?: {
    readonly orderId?: string;
    readonly role: OrderReport['role'];
    readonly side?: Side;
    readonly type: OrderType;
  };
  /** GST inside `amount`, in `currency`: INR transaction rows only. */
  readonly gst?: Amount;
  /** ms UTC, whole seconds. */
  readonly createdAt: number;
}

export interface WalletReport {
  readonly currency: Currency;
  /** Free for new orders. */
  readonly balance: Amount;
  /** Held as margin. */
  readonly locked: Amount;
}

/** The spot wallet of one currency. */
export interface SpotWalletReport {
  readonly currency: Currency;
  /** The amount that can move to the futures wallet. */
  readonly withdrawable: Amount;
}

/**
 * One poll. `startedAt` (monotonic ms) is the time at which its request left. An event received later
 * is newer than the snapshot, which must not undo it (hazard G4).
 */
export type AccountSnapshot =
  | {
      readonly kind: 'positions';
      readonly currency: Currency;
      readonly startedAt: number;
      readonly positions: readonly PositionReport[];
      /** Rows that could not be parsed and are not in `positions`. Absent: none. */
      readonly unreadable?: readonly UnreadableRow[];
    }
  | {
      readonly kind: 'open-orders';
      readonly currency: Currency;
      readonly startedAt: number;
      readonly orders: readonly OrderReport[];
      /** Rows that could not be parsed and are not in `orders`. Absent: none. */
      readonly unreadable?: readonly UnreadableRow[];
    }
  | {
      readonly kind: 'wallet';
      readonly currency: Currency;
      readonly startedAt: number;
      readonly wallet: WalletReport;
    };
