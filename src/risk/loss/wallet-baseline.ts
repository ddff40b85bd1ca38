import type { TransferRow } from '../../core/account.js';
import {
  absolute,
  add,
  fixedFromText,
  isGreater,
  isLess,
  larger,
  multiply,
  negate,
  subtract,
  ZERO,
  type Amount,
  type Ratio,
} from '../../core/fixed/fixed.js';

const NONE = ZERO as Amount;

/** The venue's taker fee, GST included (supplement, part 5): the estimate until the wallet shows the fee. */
export const TAKER_FEE: Ratio = fixedFromText('0.00059');
/** Bounds of a change that trades explain, as shares of a notional. */
const FEE_BOUND: Ratio = fixedFromText('0.002');
const FUNDING_BOUND: Ratio = fixedFromText('0.01');
/** An estimated close may have had another price. */
const ESTIMATE_BOUND: Ratio = fixedFromText('0.05');
/** Fees and funding between the last record of a run and its end, as a share of the wallet. */
const RESTART_BOUND: Ratio = fixedFromText('0.01');
/**
 * A change within this share of the wallet needs no explanation: the fee of a fill may show in the wallet before
 * the fill does. It counts as PnL.
 */
const SMALL_CHANGE: Ratio = fixedFromText('0.001');
/** INR balances are cut to four places, and each fee is rounded. */
const ROUNDING_BOUND: Amount = fixedFromText('0.01');

/** A read of balance and locked margin that trades of ours do not explain. */
export interface UnexplainedChange {
  /** Above 0: the wallet has more. */
  readonly amount: Amount;
  /** Balance and locked margin as read. */
  readonly wallet: Amount;
}

/** The baseline as the journal keeps it. */
export interface BaselineState {
  /** Balance and locked margin. */
  readonly wallet: Amount;
  /** Venue ms of that read. */
  readonly walletAt: number;
}

/** The baseline and its transfers as the journal keeps them. */
export interface WalletTransferState extends BaselineState {
  /** Ids of transfers that the baseline includes, as far as they are recent. */
  readonly transferIds: readonly string[];
}

/**
 * Balance plus locked margin as last explained, and the trades since. A change of the wallet that they do
 * not explain is a transfer or another actor: it is kept apart until the venue's list of transfers has
 * been read, so that a withdrawal is not taken for a loss.
 *
 * All amounts are in the wallet's currency.
 */
export class WalletBaseline {
  #wallet: Amount;
  #at: number;
  /** Realised since the baseline, fees subtracted. */
  #realised = NONE;
  /** Largest difference that trades since the baseline explain. */
  #bound = NONE;
  /** Largest notional held since the baseline: funding may have been booked on it. */
  #held = NONE;
  #unexplained: UnexplainedChange | undefined;
  /** The state of a previous run: fees, funding and closes since its record are not known. */
  #isRecovered: boolean;

  constructor({ wallet, walletAt }: BaselineState, isRecovered = false) {
    this.#wallet = wallet;
    this.#at = walletAt;
    this.#isRecovered = isRecovered;
    if (isRecovered) this.#widen(wallet, RESTART_BOUND);
  }

  get state(): BaselineState {
    return { wallet: this.#wallet, walletAt: this.#at };
  }

  /** Balance plus locked margin without an unexplained change. */
  get cash(): Amount {
    return add(this.#wallet, this.#realised);
  }

  get unexplained(): UnexplainedChange | undefined {
    return this.#unexplained;
  }

  /** No read of the wallet has been explained since the state of a previous run. */
  get isRecovered(): boolean {
    return this.#isRecovered;
  }

  /** A fill of ours. @param realised PnL that it realises, before its fee */
  onFill(realised: Amount, notional: Amount): void {
    this.#realised = subtract(
      add(this.#realised, realised),
      multiply<'USDT' | 'INR'>(notional, TAKER_FEE),
    );
    this.#widen(notional, FEE_BOUND);
    this.#reconsider();
  }

  /** A stop, a liquidation or a person closed a quantity. @param realised an estimate, before the fee */
  onEstimatedClose(realised: Amount, notional: Amount): void {
    this.onFill(realised, notional);
    this.#widen(notional, ESTIMATE_BOUND);
    this.#reconsider();
  }

  /**
   * A read of the wallet after which positions were read and agree.
   * @param held notional of the open positions, on which funding may have been booked
   */
  onWallet(wallet: Amount, at: number, held: Amount): void {
    this.#held = larger(this.#held, held);
    const amount = subtract(wallet, this.cash);
    if (this.#explains(amount)) this.accept(wallet, at);
    else this.#unexplained = { amount, wallet };
  }

  /** The venue behind the engine is the account itself: every change is a trade, a fee or funding. */
  accept(wallet: Amount, at: number): void {
    this.#wallet = wallet;
    this.#at = at;
    this.#realised = NONE;
    this.#bound = NONE;
    this.#held = NONE;
    this.#unexplained = undefined;
    this.#isRecovered = false;
  }

  /** Whether this rest of an unexplained change may be fees, funding and rounding. */
  explains(rest: Amount): boolean {
    const bound = add(this.#bound, multiply<'USDT' | 'INR'>(this.#held, FUNDING_BOUND));
    const small = multiply<'USDT' | 'INR'>(absolute(this.#wallet), SMALL_CHANGE);
    return !isGreater(absolute(rest), add(bound, larger(small, ROUNDING_BOUND)));
  }

  #explains(amount: Amount): boolean {
    // A restart hides trades: the list of transfers decides, however small the change.
    return this.#isRecovered ? amount === 0 : this.explains(amount);
  }

  /** A late report of a fill may explain the change. */
  #reconsider(): void {
    const change = this.#unexplained;
    if (change === undefined) return;
    const amount = subtract(change.wallet, this.cash);
    this.#unexplained = this.#explains(amount) ? undefined : { ...change, amount };
  }

  #widen(notional: Amount, share: Ratio): void {
    this.#bound = add(this.#bound, multiply<'USDT' | 'INR'>(absolute(notional), share));
  }
}

/**
 * The newest transfers whose sum is nearest to an unexplained change; none where no sum is nearer than 0.
 * @param rows transfers that no baseline includes, in any order
 */
export function transfersExplaining(
  change: Amount,
  rows: readonly TransferRow[],
): readonly TransferRow[] {
  const newestFirst = [...rows].sort((a, b) => b.createdAt - a.createdAt);
  let sum = NONE;
  let best = absolute(change);
  let count = 0;
  for (const [index, row] of newestFirst.entries()) {
    sum = add(sum, signedAmount(row));
    const distance = absolute(subtract(change, sum));
    if (!isLess(distance, best)) continue;
    best = distance;
    count = index + 1;
  }
  return newestFirst.slice(0, count);
}

/** Above 0 for a deposit. */
export const signedAmount = ({ direction, amount }: TransferRow): Amount =>
  direction === 'deposit' ? amount : negate(amount);
