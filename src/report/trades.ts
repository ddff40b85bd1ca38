import type { PositionMove } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import {
  add,
  averagePrice,
  fixed,
  fixedFromProduct,
  multiplyExact,
  proportion,
  proportionOfProduct,
  smaller,
  subtract,
  type Amount,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import { signOf, type Side } from '../core/order.js';

/** The reason of an exit. `flatten`: a person's word, or `on_error`; `signal`: the strategy's decision. */
export type ExitReason = PositionMove | 'signal' | 'trailing_stop' | 'flatten';

/** One execution, in order of time. */
export interface TradeFill {
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
   * What the ledger booked for the quantity that this fill closed, gross of fees. Where it is left
   * out, it is computed the way the simulated exchange does it; only USDT can be (INR needs a rate).
   */
  readonly realisedPnl?: Amount;
  /** Where it takes something off. Default: signal. */
  readonly reason?: ExitReason;
}

/** A closed round trip: from flat to flat, or one leg of a reversal. */
export interface Trade {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: 'long' | 'short';
  /** All that was entered, increases included. */
  readonly quantity: Quantity;
  /** ms UTC of the first entry and of the last exit. */
  readonly entryTime: number;
  readonly exitTime: number;
  /** Averages over all entries and all exits, half-even at 8 places: for reading, not for books. */
  readonly entryPrice: Price;
  readonly exitPrice: Price;
  readonly grossPnl: Amount;
  readonly fees: Amount;
  /** Paid, above 0; received, below. */
  readonly funding: Amount;
  /** grossPnl − fees − funding. */
  readonly netPnl: Amount;
  /** Of the last exit. */
  readonly exitReason: ExitReason;
}

export interface TradeTotals {
  readonly grossPnl: Amount;
  readonly fees: Amount;
  readonly funding: Amount;
}

interface OpenTrade {
  readonly symbol: string;
  readonly currency: Currency;
  readonly sign: 1 | -1;
  readonly entryTime: number;
  /** Still open. */
  remaining: Quantity;
  /** Σ price × quantity of what is still open, exact: 1e-36 USDT. */
  remainingCost: bigint;
  entered: Quantity;
  enteredValue: bigint;
  exitedValue: bigint;
  grossPnl: Amount;
  fees: Amount;
  funding: Amount;
}

const NONE = fixed<'USDT'>(0) as Amount;

/**
 * Round trips out of fills. Every amount of every fill lands in exactly one trade: over the closed
 * trades and the open one, gross PnL, fees and funding sum to the ledger's totals to the last digit.
 */
export class TradeBook {
  readonly #closed: Trade[] = [];
  readonly #open = new Map<string, OpenTrade>();

  /** Closed round trips, oldest exit first. */
  get trades(): readonly Trade[] {
    return this.#closed;
  }

  /** @returns the round trip that this fill closed, if it closed one */
  fill(fill: TradeFill): Trade | undefined {
    assert(fill.quantity > 0, 'A fill has a quantity');
    const open = this.#open.get(bookOf(fill.symbol, fill.currency));
    const sign = signOf(fill.side);
    if (open === undefined || open.sign === sign) {
      this.#enter(open, fill, fill.quantity, fill.fee);
      return undefined;
    }
    return this.#exit(open, fill);
  }

  /** @param amount paid, above 0, or received, below, for the position now open */
  funding(symbol: string, currency: Currency, amount: Amount): void {
    const open = this.#open.get(bookOf(symbol, currency));
    assert(open !== undefined, 'Funding is settled on an open position');
    open.funding = add(open.funding, amount);
  }

  /** Sums over closed trades and what is open: the ledger's totals of this currency. */
  totals(currency: Currency): TradeTotals {
    const sum = { grossPnl: NONE, fees: NONE, funding: NONE };
    for (const trade of [...this.#closed, ...this.#open.values()]) {
      if (trade.currency !== currency) continue;
      sum.grossPnl = add(sum.grossPnl, trade.grossPnl);
      sum.fees = add(sum.fees, trade.fees);
      sum.funding = add(sum.funding, trade.funding);
    }
    return sum;
  }

  #enter(open: OpenTrade | undefined, fill: TradeFill, quantity: Quantity, fee: Amount): void {
    const value = multiplyExact(fill.price, quantity);
    const trade = open ?? this.#begin(fill);
    trade.remaining = add(trade.remaining, quantity);
    trade.remainingCost += value;
    trade.entered = add(trade.entered, quantity);
    trade.enteredValue += value;
    trade.fees = add(trade.fees, fee);
  }

  #begin(fill: TradeFill): OpenTrade {
    const { symbol, currency, time } = fill;
    const trade: OpenTrade = {
      symbol,
      currency,
      sign: signOf(fill.side),
      entryTime: time,
      remaining: fixed(0),
      remainingCost: 0n,
      entered: fixed(0),
      enteredValue: 0n,
      exitedValue: 0n,
      grossPnl: NONE,
      fees: NONE,
      funding: NONE,
    };
    this.#open.set(bookOf(symbol, currency), trade);
    return trade;
  }

  #exit(open: OpenTrade, fill: TradeFill): Trade | undefined {
    const quantity = smaller(fill.quantity, open.remaining);
    // The fee of a fill that turns the position belongs to both legs; the second takes the rest.
    const fee = share(fill.fee, quantity, fill.quantity);
    const cost = shareOfCost(open.remainingCost, quantity, open.remaining);
    const value = multiplyExact(fill.price, quantity);
    open.grossPnl = add(open.grossPnl, fill.realisedPnl ?? pnlOf(open, value - cost));
    open.fees = add(open.fees, fee);
    open.remaining = subtract(open.remaining, quantity);
    open.remainingCost -= cost;
    open.exitedValue += value;
    if (open.remaining > 0) return undefined;
    const trade = closedTrade(open, fill);
    this.#closed.push(trade);
    this.#open.delete(bookOf(open.symbol, open.currency));
    const rest = subtract(fill.quantity, quantity);
    if (rest > 0) this.#enter(undefined, fill, rest, subtract(fill.fee, fee));
    return trade;
  }
}

function pnlOf(open: OpenTrade, gain: bigint): Amount {
  assert(open.currency === 'USDT', 'The ledger tells the PnL of an INR position');
  return fixedFromProduct<'USDT'>(BigInt(open.sign) * gain);
}

function closedTrade(
  open: OpenTrade,
  { time: exitTime, reason = 'signal' }: Pick<TradeFill, 'time' | 'reason'>,
): Trade {
  const { symbol, currency, entryTime, grossPnl, fees, funding, entered } = open;
  return {
    symbol,
    currency,
    side: open.sign === 1 ? 'long' : 'short',
    quantity: entered,
    entryTime,
    exitTime,
    entryPrice: averagePrice(open.enteredValue, entered),
    exitPrice: averagePrice(open.exitedValue, entered),
    grossPnl,
    fees,
    funding,
    netPnl: subtract(subtract(grossPnl, fees), funding),
    exitReason: reason,
  };
}

const bookOf = (symbol: string, currency: Currency): string => `${symbol} ${currency}`;

const shareOfCost = (whole: bigint, part: Quantity, of: Quantity): bigint =>
  part === of ? whole : proportionOfProduct(whole, part, of);

const share = (whole: Amount, part: Quantity, of: Quantity): Amount =>
  part === of ? whole : proportion(whole, part, of);
