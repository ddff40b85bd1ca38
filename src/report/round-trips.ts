import type { PositionChangeReason } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import {
  add,
  fixed,
  fixedFromProduct,
  ProductSum,
  proportion,
  smaller,
  subtract,
  type Amount,
  type Price,
  type Quantity,
} from '../core/fixed/fixed.js';
import { sideSign, type Side } from '../core/order.js';

/** The reason of an exit. `flatten`: an operator's command or `on_error`. `signal`: the strategy. */
export type ExitReason = PositionChangeReason | 'signal' | 'trailing_stop' | 'flatten';

/** One execution, in order of time. */
export interface RoundTripFill {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  /** Above 0. */
  readonly quantity: Quantity;
  readonly price: Price;
  /** In `currency`. */
  readonly fee: Amount;
  /** ms UTC */
  readonly time: number;
  /**
   * PnL that the ledger booked for the closed quantity, before fees. Default: computed as by the
   * simulated exchange, which is possible for USDT only, because INR needs a rate.
   */
  readonly realisedPnl?: Amount;
  /** For a fill that reduces the position. Default: signal. */
  readonly reason?: ExitReason;
}

/** A closed round trip: from flat to flat, or one leg of a reversal. */
export interface RoundTrip {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: 'long' | 'short';
  /** Total entered quantity, increases included. */
  readonly quantity: Quantity;
  /** ms UTC of the first entry and of the last exit. */
  readonly entryTime: number;
  readonly exitTime: number;
  /** Averages over all entries and all exits, half-even at 8 places: for display only. */
  readonly entryPrice: Price;
  readonly exitPrice: Price;
  readonly grossPnl: Amount;
  readonly fees: Amount;
  /** Paid, above 0; received, below. */
  readonly funding: Amount;
  /** grossPnl − fees − funding. */
  readonly netPnl: Amount;
  /** The reason of the last exit. */
  readonly exitReason: ExitReason;
}

/** A position that is open at the end. */
export interface OpenTrade {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: 'long' | 'short';
  /** Quantity still open. */
  readonly quantity: Quantity;
  /** ms UTC of the first entry. */
  readonly entryTime: number;
  /** Average of the open quantity, half-even at 8 places. */
  readonly entryPrice: Price;
}

export interface RoundTripTotals {
  readonly grossPnl: Amount;
  readonly fees: Amount;
  readonly funding: Amount;
}

interface OpenRoundTrip {
  readonly symbol: string;
  readonly currency: Currency;
  readonly sign: 1 | -1;
  readonly entryTime: number;
  /** Quantity still open. */
  remaining: Quantity;
  /** Σ price × quantity of the open quantity. */
  remainingCost: ProductSum;
  entered: Quantity;
  enteredValue: ProductSum;
  exitedValue: ProductSum;
  grossPnl: Amount;
  fees: Amount;
  funding: Amount;
}

const NONE = fixed<'USDT'>(0) as Amount;

/**
 * Builds round trips from fills. Every amount of every fill belongs to exactly one round trip. Over the
 * closed ones and the open one, gross PnL, fees and funding sum exactly to the ledger's totals.
 */
export class RoundTripTracker {
  readonly #closed: RoundTrip[] = [];
  readonly #open = new Map<string, OpenRoundTrip>();

  /** Closed round trips, oldest exit first. */
  get trades(): readonly RoundTrip[] {
    return this.#closed;
  }

  /** Drops the closed round trips. */
  forgetClosed(): void {
    this.#closed.length = 0;
  }

  /** Another tracker with the same open round trips, and no closed one. */
  continued(): RoundTripTracker {
    const tracker = new RoundTripTracker();
    for (const [key, open] of this.#open) tracker.#open.set(key, { ...open });
    return tracker;
  }

  /** Round trips that have not closed, oldest first. */
  get openTrades(): readonly OpenTrade[] {
    return [...this.#open.values()].map(
      ({ symbol, currency, sign, remaining, entryTime, remainingCost }) => ({
        symbol,
        currency,
        side: sign === 1 ? 'long' : 'short',
        quantity: remaining,
        entryTime,
        entryPrice: remainingCost.average(remaining),
      }),
    );
  }

  /** @returns the round trip that this fill closed, if any */
  fill(fill: RoundTripFill): RoundTrip | undefined {
    assert(fill.quantity > 0, 'A fill has a quantity');
    const open = this.#open.get(keyOf(fill.symbol, fill.currency));
    const sign = sideSign(fill.side);
    if (open === undefined || open.sign === sign) {
      this.#enter(open, fill, fill.quantity, fill.fee);
      return undefined;
    }
    return this.#exit(open, fill);
  }

  /** @param amount for the open position: above 0 paid, below 0 received */
  funding(symbol: string, currency: Currency, amount: Amount): void {
    const open = this.#open.get(keyOf(symbol, currency));
    assert(open !== undefined, 'Funding is settled on an open position');
    open.funding = add(open.funding, amount);
  }

  /** Sums over the closed round trips and the open one: the ledger's totals of this currency. */
  totals(currency: Currency): RoundTripTotals {
    const sum = { grossPnl: NONE, fees: NONE, funding: NONE };
    for (const trade of [...this.#closed, ...this.#open.values()]) {
      if (trade.currency !== currency) continue;
      sum.grossPnl = add(sum.grossPnl, trade.grossPnl);
      sum.fees = add(sum.fees, trade.fees);
      sum.funding = add(sum.funding, trade.funding);
    }
    return sum;
  }

  #enter(
    open: OpenRoundTrip | undefined,
    fill: RoundTripFill,
    quantity: Quantity,
    fee: Amount,
  ): void {
    const value = ProductSum.of(fill.price, quantity);
    const trade = open ?? this.#openRoundTrip(fill);
    trade.remaining = add(trade.remaining, quantity);
    trade.remainingCost = trade.remainingCost.plus(value);
    trade.entered = add(trade.entered, quantity);
    trade.enteredValue = trade.enteredValue.plus(value);
    trade.fees = add(trade.fees, fee);
  }

  #openRoundTrip(fill: RoundTripFill): OpenRoundTrip {
    const { symbol, currency, time } = fill;
    const trade: OpenRoundTrip = {
      symbol,
      currency,
      sign: sideSign(fill.side),
      entryTime: time,
      remaining: fixed(0),
      remainingCost: ProductSum.NONE,
      entered: fixed(0),
      enteredValue: ProductSum.NONE,
      exitedValue: ProductSum.NONE,
      grossPnl: NONE,
      fees: NONE,
      funding: NONE,
    };
    this.#open.set(keyOf(symbol, currency), trade);
    return trade;
  }

  #exit(open: OpenRoundTrip, fill: RoundTripFill): RoundTrip | undefined {
    const quantity = smaller(fill.quantity, open.remaining);
    // The fee of a reversing fill belongs to both legs; the second leg takes the remainder.
    const fee = proportionOfFee(fill.fee, quantity, fill.quantity);
    const cost = proportionOfCost(open.remainingCost, quantity, open.remaining);
    const value = ProductSum.of(fill.price, quantity);
    open.grossPnl = add(open.grossPnl, fill.realisedPnl ?? pnlOf(open, value.minus(cost)));
    open.fees = add(open.fees, fee);
    open.remaining = subtract(open.remaining, quantity);
    open.remainingCost = open.remainingCost.minus(cost);
    open.exitedValue = open.exitedValue.plus(value);
    if (open.remaining > 0) return undefined;
    const trade = closedRoundTrip(open, fill);
    this.#closed.push(trade);
    this.#open.delete(keyOf(open.symbol, open.currency));
    const rest = subtract(fill.quantity, quantity);
    if (rest > 0) this.#enter(undefined, fill, rest, subtract(fill.fee, fee));
    return trade;
  }
}

function pnlOf(open: OpenRoundTrip, rise: ProductSum): Amount {
  assert(open.currency === 'USDT', 'The ledger books the PnL of an INR position');
  return fixedFromProduct<'USDT'>(BigInt(open.sign) * rise.exact);
}

function closedRoundTrip(
  open: OpenRoundTrip,
  { time: exitTime, reason = 'signal' }: Pick<RoundTripFill, 'time' | 'reason'>,
): RoundTrip {
  const { symbol, currency, entryTime, grossPnl, fees, funding, entered } = open;
  return {
    symbol,
    currency,
    side: open.sign === 1 ? 'long' : 'short',
    quantity: entered,
    entryTime,
    exitTime,
    entryPrice: open.enteredValue.average(entered),
    exitPrice: open.exitedValue.average(entered),
    grossPnl,
    fees,
    funding,
    netPnl: subtract(subtract(grossPnl, fees), funding),
    exitReason: reason,
  };
}

const keyOf = (symbol: string, currency: Currency): string => `${symbol} ${currency}`;

const proportionOfCost = (whole: ProductSum, part: Quantity, of: Quantity): ProductSum =>
  part === of ? whole : whole.proportion(part, of);

const proportionOfFee = (whole: Amount, part: Quantity, of: Quantity): Amount =>
  part === of ? whole : proportion(whole, part, of);
