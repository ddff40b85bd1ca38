import type { PositionChangeReason } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  multiply,
  sign,
  subtract,
  withSign,
  ZERO,
  type Price,
  type Quantity,
  type Usdt,
} from '../../core/fixed/fixed.js';
import { sideSign, type Side } from '../../core/order.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import { TAKER_FEE } from '../../risk/loss/wallet-baseline.js';
import type { AccountEquity } from './account-equity.js';

/** A fill of ours, before it moves the position. */
export interface TradeFill {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  /** Above 0. */
  readonly quantity: Quantity;
  readonly price: Price;
}

/** A part of a position that no order of ours closes, before the position moves. */
export interface ExternalClose {
  readonly symbol: string;
  readonly currency: Currency;
  /** Closed part, signed as the position. */
  readonly quantity: Quantity;
  /** Absent: not known. */
  readonly price?: Price;
  readonly reason: PositionChangeReason;
}

/** A fill of ours or an external close, with its profit before fees, before the position moves. */
export interface BookedTrade extends TradeFill {
  readonly realised: Usdt;
  /** Absent: an order of ours. */
  readonly reason?: PositionChangeReason;
}

/** A trade's result in USDT. */
export interface RealisedTrade {
  /** Before its fee. */
  readonly realised: Usdt;
  readonly notional: Usdt;
}

export interface TradeResultsParts {
  readonly currency: Currency;
  readonly positions: PositionLedger;
  readonly equity: AccountEquity;
  readonly onFill: (result: RealisedTrade) => void;
  readonly onExternalClose: (result: RealisedTrade, reason: PositionChangeReason) => void;
  /** A position is flat. `profit`: realised since it was opened, with estimated fees. */
  readonly onFlat: (profit: Usdt) => void;
}

/** Computes the realised profit of fills, and of positions from open to flat. */
export class TradeResults {
  readonly #parts: TradeResultsParts;
  /** Realised so far by open positions, with estimated fees. */
  readonly #profits = new Map<string, Usdt>();
  #listener: ((trade: BookedTrade) => void) | undefined;

  constructor(parts: TradeResultsParts) {
    this.#parts = parts;
  }

  /** Calls the listener with each trade from now on. It replaces an earlier one. */
  watch(listener: (trade: BookedTrade) => void): void {
    this.#listener = listener;
  }

  onFill(fill: TradeFill): void {
    const { currency, positions, onFill } = this.#parts;
    if (fill.currency !== currency) return;
    const result = this.#resultOf(fill);
    onFill(result);
    this.#listener?.(bookedTrade(fill, result.realised));
    this.#book(fill.symbol, result);
    const held = positions.quantity(fill.symbol, currency);
    const after = add(held, withSign(sideSign(fill.side), fill.quantity));
    if (held !== 0 && sign(after) !== sign(held)) this.#close(fill.symbol);
  }

  onExternalClose({ symbol, currency, quantity, price, reason }: ExternalClose): void {
    const { positions, equity, onExternalClose } = this.#parts;
    const at = price ?? equity.price(symbol) ?? positions.entryPrice(symbol, currency);
    if (at === undefined || currency !== this.#parts.currency) return;
    const side = quantity > 0 ? 'sell' : 'buy';
    const closed = absolute(quantity);
    const fill: TradeFill = { symbol, currency, side, quantity: closed, price: at };
    const result = this.#resultOf(fill);
    onExternalClose(result, reason);
    this.#listener?.({ ...fill, realised: result.realised, reason });
    this.#book(symbol, result);
    if (positions.quantity(symbol, currency) === quantity) this.#close(symbol);
  }

  #resultOf(fill: TradeFill): RealisedTrade {
    const realised = this.#parts.positions.realised(fill);
    return { realised, notional: multiply(fill.quantity, fill.price) };
  }

  #book(symbol: string, { realised, notional }: RealisedTrade): void {
    const before = this.#profits.get(symbol) ?? (ZERO as Usdt);
    const fee = multiply<'USDT'>(notional, TAKER_FEE);
    this.#profits.set(symbol, subtract(add(before, realised), fee));
  }

  #close(symbol: string): void {
    const profit = this.#profits.get(symbol) ?? (ZERO as Usdt);
    this.#profits.delete(symbol);
    this.#parts.onFlat(profit);
  }
}

/** Member by member: a spread costs more than the whole result of a fill. */
const bookedTrade = (
  { symbol, currency, side, quantity, price }: TradeFill,
  realised: Usdt,
): BookedTrade => ({ symbol, currency, side, quantity, price, realised });
