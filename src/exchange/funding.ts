import type { FeeReport } from '../core/account.js';
import { assert } from '../core/assert.js';
import {
  withSign,
  isAtMost,
  add,
  decimalFromFixed,
  fixed,
  larger,
  multiplyExact,
  negate,
  smaller,
  subtract,
  type Amount,
  type Ratio,
} from '../core/fixed.js';
import type { ExchangeState } from './exchange-state.js';
import { percentOf, type FeeLedger } from './fee-ledger.js';
import { amountFromBig, collateralOfMargin, feeOf, moneyOf } from './margin.js';
import type { BookPosition, SymbolBook } from './symbol-book.js';
import { wholeSecond } from './whole-second.js';

/** What a position pays, and how much of that the free balance cannot. */
interface Payment {
  readonly amount: Amount;
  readonly fromMargin: Amount;
}

/**
 * Funding: at every settlement each open position exchanges quantity × price × rate × hedge rate;
 * longs pay when the rate is above 0 (interface, Asset; supplement part 12).
 */
export class Funding {
  readonly #state: ExchangeState;
  readonly #fees: FeeLedger;
  /** Sets off what the present price of a book meets: a liquidation price has moved. */
  readonly #stand: (book: SymbolBook) => void;
  readonly #intervalMs: number;
  /** How long after a settlement it is booked: 1 ms lets what trades at its instant count. */
  readonly #lagMs: 0 | 1;
  #nextMs: number;

  constructor(state: ExchangeState, fees: FeeLedger, stand: (book: SymbolBook) => void) {
    this.#state = state;
    this.#fees = fees;
    this.#stand = stand;
    this.#intervalMs = state.options.funding?.intervalMs ?? Infinity;
    assert(this.#intervalMs > 0, 'Funding has an interval');
    this.#lagMs = state.assumptions.fundingInstant === 'before-trades' ? 0 : 1;
    this.#nextMs = this.#firstAfter(state.nowMs);
  }

  /** Venue ms at which the next settlement is booked; Infinity without funding. */
  get dueMs(): number {
    return this.#nextMs + this.#lagMs;
  }

  /** Books every settlement that is due at `nowMs`, in order, and tells what each caused. */
  settleUntil(nowMs: number): void {
    const state = this.#state;
    while (this.dueMs <= nowMs) {
      const held = [...state.books.values()].filter((book) => book.positions.size > 0);
      if (held.length === 0) {
        this.#nextMs = this.#firstAfter(nowMs);
        return;
      }
      state.nowMs = this.#nextMs;
      this.#nextMs += this.#intervalMs;
      for (const book of held) this.#settle(book);
      state.announcer.tell();
    }
  }

  /** The first settlement that is not due yet. */
  #firstAfter(nowMs: number): number {
    const intervalMs = this.#intervalMs;
    if (intervalMs === Infinity) return Infinity;
    return (Math.floor((nowMs - this.#lagMs) / intervalMs) + 1) * intervalMs;
  }

  #settle(book: SymbolBook): void {
    const { options, nowMs } = this.#state;
    if (options.funding === undefined) return;
    const rate = options.funding.rate(book.symbol, nowMs);
    for (const position of book.positions.values()) this.#exchange(position, rate);
    this.#stand(book);
  }

  #exchange(position: BookPosition, rate: Ratio): void {
    const { book, currency, longSign } = position;
    const { announcer, assumptions, nowMs, wallets } = this.#state;
    const hedgeRate = this.#state.hedgeRate(currency);
    const held = multiplyExact(book[assumptions.fundingPrice], position.quantity);
    const signedRate = withSign(longSign, rate);
    const owed = amountFromBig(feeOf(held, signedRate, hedgeRate));
    const { amount, fromMargin } = this.#payment(position, owed);
    if (amount === 0) return;
    wallets[currency].payFunding(amount, fromMargin);
    if (fromMargin > 0) this.#takeMargin(position, fromMargin);
    const value = amountFromBig(moneyOf(held, hedgeRate));
    const fee: FeeReport = {
      symbol: book.symbol,
      currency,
      kind: 'funding',
      amount,
      value,
      percent: amount === owed ? percentTextOf(signedRate) : percentOf(amount, value),
      createdAt: wholeSecond(nowMs),
    };
    this.#fees.chargeFunding(fee);
    if (announcer.heard) announcer.add({ kind: 'funding', fee });
  }

  /** The loss of an isolated position ends with its margin: what is owed beyond it is not paid. */
  #payment(position: BookPosition, owed: Amount): Payment {
    const { assumptions, wallets } = this.#state;
    const free = larger(wallets[position.currency].balance, NOTHING);
    if (isAtMost(owed, free) || assumptions.fundingShortfall === 'balance') {
      return { amount: owed, fromMargin: NOTHING };
    }
    const fromMargin = smaller(subtract(owed, free), position.margin);
    return { amount: add(free, fromMargin), fromMargin };
  }

  #takeMargin(position: BookPosition, margin: Amount): void {
    const { book, currency, entryHedgeRate } = position;
    const { addedMarginRate } = this.#state.assumptions;
    const rate = addedMarginRate === 'entry' ? entryHedgeRate : this.#state.hedgeRate(currency);
    const collateral = collateralOfMargin(margin, rate);
    position.changeMargin(negate(margin), -collateral, this.#state.nowMs);
    book.quiet = undefined;
    this.#state.tellPosition(position);
  }
}

const NOTHING = fixed<'USDT'>(0) as Amount;

const percentTextOf = (rate: Ratio): string => decimalFromFixed(rate).times(100).toFixed();
