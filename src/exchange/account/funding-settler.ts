import type { FeeReport } from '../../core/account.js';
import { assert } from '../../core/assert.js';
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
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { ExchangeState } from '../exchange-state.js';
import { percentOf, type FeeLedger } from './fee-ledger.js';
import { amountFromBig, collateralOfMargin, feeOf, moneyOf } from './margin.js';
import type { ExchangePositionState, SymbolState } from '../price/symbol-state.js';
import { wholeSecond } from './whole-second.js';

/** A position's payment, and the part of it that the free balance cannot cover. */
interface FundingPayment {
  readonly amount: Amount;
  readonly fromMargin: Amount;
}

/**
 * Funding: at every settlement each open position exchanges quantity × price × rate × hedge rate.
 * Longs pay when the rate is above 0 (interface: Asset; supplement: part 12).
 */
export class FundingSettler {
  readonly #state: ExchangeState;
  readonly #fees: FeeLedger;
  /** Funding paid from margin moves the liquidation price, so the current price may trigger it. */
  readonly #triggerAtPrice: (symbolState: SymbolState) => void;
  readonly #intervalMs: number;
  /** Delay of the booking; 1 ms books after the trades of the settlement's own instant. */
  readonly #lagMs: 0 | 1;
  #nextMs: number;

  constructor(
    state: ExchangeState,
    fees: FeeLedger,
    triggerAtPrice: (symbolState: SymbolState) => void,
  ) {
    this.#state = state;
    this.#fees = fees;
    this.#triggerAtPrice = triggerAtPrice;
    this.#intervalMs = state.options.funding?.intervalMs ?? Infinity;
    assert(this.#intervalMs > 0, 'Funding has an interval');
    this.#lagMs = state.assumptions.fundingInstant === 'before-trades' ? 0 : 1;
    this.#nextMs = this.#firstAfter(state.nowMs);
  }

  /** Venue ms at which the next settlement is booked; Infinity without funding. */
  get dueMs(): number {
    return this.#nextMs + this.#lagMs;
  }

  /** Books every settlement due at `nowMs`, in order, and flushes the events of each. */
  settleUntil(nowMs: number): void {
    const state = this.#state;
    while (this.dueMs <= nowMs) {
      const withPositions = [...state.symbolStates.values()].filter(
        (symbolState) => symbolState.positions.size > 0,
      );
      if (withPositions.length === 0) {
        this.#nextMs = this.#firstAfter(nowMs);
        return;
      }
      state.nowMs = this.#nextMs;
      this.#nextMs += this.#intervalMs;
      for (const symbolState of withPositions) this.#settle(symbolState);
      state.eventQueue.flush();
    }
  }

  /** The first settlement that is not yet due. */
  #firstAfter(nowMs: number): number {
    const intervalMs = this.#intervalMs;
    if (intervalMs === Infinity) return Infinity;
    return (Math.floor((nowMs - this.#lagMs) / intervalMs) + 1) * intervalMs;
  }

  #settle(symbolState: SymbolState): void {
    const { options, nowMs } = this.#state;
    if (options.funding === undefined) return;
    const rate = options.funding.rate(symbolState.symbol, nowMs);
    const mark = options.funding.mark?.(symbolState.symbol, nowMs);
    for (const position of symbolState.positions.values()) this.#applyFunding(position, rate, mark);
    this.#triggerAtPrice(symbolState);
  }

  #applyFunding(position: ExchangePositionState, rate: Ratio, mark: Price | undefined): void {
    const { symbolState, currency, longSign } = position;
    const { eventQueue, assumptions, nowMs, wallets } = this.#state;
    const hedgeRate = this.#state.hedgeRate(currency);
    const price = mark ?? symbolState[assumptions.fundingPrice];
    const notional = multiplyExact(price, position.quantity);
    const signedRate = withSign(longSign, rate);
    const owed = amountFromBig(feeOf(notional, signedRate, hedgeRate));
    const { amount, fromMargin } = this.#payment(position, owed);
    if (amount === 0) return;
    wallets[currency].payFunding(amount, fromMargin);
    if (fromMargin > 0) this.#reduceMargin(position, fromMargin);
    const value = amountFromBig(moneyOf(notional, hedgeRate));
    const fee: FeeReport = {
      symbol: symbolState.symbol,
      currency,
      kind: 'funding',
      amount,
      value,
      percent: amount === owed ? percentTextOf(signedRate) : percentOf(amount, value),
      createdAt: wholeSecond(nowMs),
    };
    this.#fees.chargeFunding(fee);
    if (eventQueue.hasListeners) eventQueue.add({ kind: 'funding', fee });
  }

  /**
   * An isolated position loses at most its margin: a debt beyond it stays unpaid. With
   * `margin-then-balance` it leaves the balance below 0, so that equity counts all that is owed.
   */
  #payment(position: ExchangePositionState, owed: Amount): FundingPayment {
    const { assumptions, wallets } = this.#state;
    const { fundingShortfall } = assumptions;
    const free = larger(wallets[position.currency].balance, ZERO_AMOUNT);
    if (isAtMost(owed, free) || fundingShortfall === 'balance') {
      return { amount: owed, fromMargin: ZERO_AMOUNT };
    }
    const fromMargin = smaller(subtract(owed, free), position.margin);
    const isUnpaid = fundingShortfall === 'margin';
    return { amount: isUnpaid ? add(free, fromMargin) : owed, fromMargin };
  }

  #reduceMargin(position: ExchangePositionState, margin: Amount): void {
    const { symbolState, currency, entryHedgeRate } = position;
    const { addedMarginRate } = this.#state.assumptions;
    const rate = addedMarginRate === 'entry' ? entryHedgeRate : this.#state.hedgeRate(currency);
    const change = negate(margin);
    position.changeMargin(change, collateralOfMargin(change, rate), this.#state.nowMs);
    symbolState.idleBand = undefined;
    this.#state.queuePositionEvent(position);
  }
}

const ZERO_AMOUNT = fixed<'USDT'>(0) as Amount;

const percentTextOf = (rate: Ratio): string => decimalFromFixed(rate).times(100).toFixed();
