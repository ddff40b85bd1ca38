import { Decimal as GlobalDecimal } from 'decimal.js';
import type { Currency } from '../../src/core/currency.js';
import type { Side } from '../../src/core/order.js';

/**
 * A second model of wallets and positions, written from the formulas of the supplement (margin) only. It
 * shares no code with the exchange: plain decimals, no scaled integers, one function per formula.
 *
 * An amount is rounded half-even to 8 places when it is booked. USDT values of a position are rounded to
 * 16 places after a division: N/L, INR divided by the hedge rate, the part of a partial close.
 */

const Decimal = GlobalDecimal.clone({
  precision: 70,
  rounding: GlobalDecimal.ROUND_HALF_EVEN,
  defaults: true,
});
type Decimal = GlobalDecimal;
type Text = string | Decimal;

const ZERO = new Decimal(0);
const ONE = new Decimal(1);
const decimal = (value: Text | number): Decimal => new Decimal(value);
const booked = (amount: Decimal): Decimal => amount.toDecimalPlaces(8);
/** A USDT value after a division. */
const rounded16 = (value: Decimal): Decimal => value.toDecimalPlaces(16);
const smallest = (a: Decimal, b: Decimal): Decimal => (a.lt(b) ? a : b);
const largest = (a: Decimal, b: Decimal): Decimal => (a.gt(b) ? a : b);

export interface NaiveRules {
  readonly takerFeeRate: string;
  readonly makerFeeRate: string;
  readonly maintenanceRate: Readonly<Record<string, string>>;
  /** Whether the rate is at most half of the initial margin rate. */
  readonly maintenanceCapped: boolean;
  readonly priceStep: Readonly<Record<string, string>>;
  readonly liquidationFee: boolean;
  readonly rebates: boolean;
  readonly pnlAtEntryRate: boolean;
  readonly addedMarginAtEntryRate: boolean;
  readonly fundingShortfall: 'margin' | 'balance' | 'margin-then-balance';
  readonly liquidatedPriceCut: boolean;
}

interface NaiveWallet {
  spot: Decimal;
  balance: Decimal;
  locked: Decimal;
  realisedPnl: Decimal;
  fees: Decimal;
  funding: Decimal;
}

interface NaivePosition {
  readonly symbol: string;
  readonly currency: Currency;
  /** 1: long, −1: short. */
  readonly sign: Decimal;
  readonly entryRate: Decimal;
  quantity: Decimal;
  /** Σ price × quantity, USDT. */
  cost: Decimal;
  /** Σ N/L plus the margin added or removed since, USDT. */
  collateral: Decimal;
  /** Σ N/L of the entries, USDT. */
  opened: Decimal;
  /** Locked, in the position's currency. */
  margin: Decimal;
  leverage: Decimal;
}

export interface NaiveFill {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly maker: boolean;
  readonly leverage: string;
  readonly liquidation: boolean;
}

/** The result of a fill, as comparable texts. */
export interface NaiveFilled {
  readonly fee: string;
  readonly value: string;
  readonly rebate: string;
  readonly close: NaiveClose | undefined;
  /** Signed, after the fill. */
  readonly held: string;
  /** Signed, before the fill. */
  readonly heldBefore: string;
}

export interface NaiveClose {
  readonly side: 'long' | 'short';
  readonly quantity: string;
  readonly entryPrice: string;
  readonly closePrice: string;
  readonly pnl: string;
  readonly whole: boolean;
}

export interface NaiveFunding {
  readonly amount: string;
  readonly value: string;
}

export class NaiveLedger {
  readonly #rules: NaiveRules;
  readonly #wallets: Readonly<Record<Currency, NaiveWallet>>;
  readonly #positions = new Map<string, NaivePosition>();
  #inrPerUsdt: Decimal;

  constructor(
    rules: NaiveRules,
    start: Readonly<Record<Currency, { readonly spot: string; readonly futures: string }>>,
    inrPerUsdt: string,
  ) {
    this.#rules = rules;
    this.#inrPerUsdt = decimal(inrPerUsdt);
    this.#wallets = { USDT: emptyWallet(start.USDT), INR: emptyWallet(start.INR) };
  }

  setHedgeRate(inrPerUsdt: string): void {
    this.#inrPerUsdt = decimal(inrPerUsdt);
  }

  /** Above 0: spot to futures. */
  transfer(currency: Currency, amount: string): void {
    const wallet = this.#wallets[currency];
    wallet.spot = wallet.spot.minus(amount);
    wallet.balance = wallet.balance.plus(amount);
  }

  adjustMargin(symbol: string, currency: Currency, change: string): void {
    const position = this.#open(symbol, currency);
    this.#moveToMargin(position, decimal(change));
  }

  fill(fill: NaiveFill): NaiveFilled {
    const { symbol, currency, liquidation } = fill;
    const key = keyOf(symbol, currency);
    const held = this.#positions.get(key);
    const sign = fill.side === 'buy' ? ONE : ONE.neg();
    const quantity = decimal(fill.quantity);
    const opposes = held !== undefined && !held.sign.eq(sign);
    const closing = opposes ? smallest(quantity, held.quantity) : ZERO;
    const opening = quantity.minus(closing);
    // The value of a liquidation: N − C for a long, N + C for a short.
    const traded =
      liquidation && held !== undefined
        ? held.cost.minus(held.sign.times(held.collateral))
        : decimal(fill.price).times(quantity);
    const heldBefore = text(signed(held));
    const marginBefore = held?.margin ?? ZERO;
    const close =
      closing.gt(0) && held !== undefined
        ? this.#close(
            held,
            closing,
            liquidation ? traded : decimal(fill.price).times(closing),
            fill,
          )
        : undefined;
    const fee = this.#fee(
      traded,
      fill,
      liquidation ? marginBefore.plus(close?.pnl ?? 0) : undefined,
    );
    if (opening.gt(0)) this.#increase(fill, sign, opening);
    return {
      fee: text(fee.paid),
      rebate: text(fee.back),
      value: text(booked(traded.times(this.#rate(currency)))),
      close,
      held: text(signed(this.#positions.get(key))),
      heldBefore,
    };
  }

  /** quantity × price × rate × hedge rate. Longs pay if the rate is above 0. */
  funding(symbol: string, currency: Currency, price: string, rate: string): NaiveFunding {
    const position = this.#open(symbol, currency);
    const wallet = this.#wallets[currency];
    const held = position.quantity.times(price).times(this.#rate(currency));
    const owed = booked(held.times(rate).times(position.sign));
    const free = largest(wallet.balance, ZERO);
    let amount = owed;
    let fromMargin = ZERO;
    if (owed.gt(free) && this.#rules.fundingShortfall !== 'balance') {
      fromMargin = smallest(owed.minus(free), position.margin);
      if (this.#rules.fundingShortfall === 'margin') amount = free.plus(fromMargin);
    }
    // The margin part goes to the balance first, which then pays the whole amount.
    this.#moveToMargin(position, fromMargin.neg());
    wallet.balance = wallet.balance.minus(amount);
    wallet.funding = wallet.funding.plus(amount);
    return { amount: text(amount), value: text(booked(held)) };
  }

  wallet(currency: Currency): Readonly<Record<keyof NaiveWallet, string>> {
    const { spot, balance, locked, realisedPnl, fees, funding } = this.#wallets[currency];
    return {
      spot: text(spot),
      balance: text(balance),
      locked: text(locked),
      realisedPnl: text(realisedPnl),
      fees: text(fees),
      funding: text(funding),
    };
  }

  /** Every open position of a currency, valued at a mark price. */
  positions(currency: Currency, mark: (symbol: string) => string) {
    return [...this.#positions.values()]
      .filter((position) => position.currency === currency)
      .map((position) => ({
        symbol: position.symbol,
        side: position.sign.gt(0) ? 'long' : 'short',
        quantity: text(position.quantity),
        entryPrice: text(booked(position.cost.div(position.quantity))),
        leverage: text(position.leverage),
        entryHedgeRate: text(position.entryRate),
        initialMargin: text(position.margin),
        maintenanceMargin: text(this.#maintenance(position, decimal(mark(position.symbol)))),
        liquidationPrice: this.#printedLiquidation(position),
      }));
  }

  /** Unrounded. 0 or below if no price liquidates the position. */
  liquidationPrice(symbol: string, currency: Currency, extra = '0'): Decimal {
    const position = this.#open(symbol, currency);
    const added = decimal(extra).div(this.#marginRate(position));
    return this.#liquidation(position, position.collateral.plus(added));
  }

  /** Balance + locked + Σ PnL at the last prices. */
  equity(currency: Currency, last: (symbol: string) => string): string {
    const { balance, locked } = this.#wallets[currency];
    let equity = balance.plus(locked);
    for (const position of this.#positions.values()) {
      if (position.currency !== currency) continue;
      const value = position.quantity.times(last(position.symbol));
      const gain = value.minus(position.cost).times(position.sign);
      equity = equity.plus(booked(gain.times(this.#pnlRate(position))));
    }
    return text(equity);
  }

  /** PnL: (close − entry) × quantity × h, signed by side. A liquidation loses at most the margin. */
  #close(position: NaivePosition, quantity: Decimal, value: Decimal, fill: NaiveFill): NaiveClose {
    const whole = quantity.eq(position.quantity);
    const entryPrice = text(booked(position.cost.div(position.quantity)));
    const part = (sum: Decimal): Decimal =>
      whole ? sum : sum.times(quantity).div(position.quantity);
    const cost = rounded16(part(position.cost));
    const margin = booked(part(position.margin));
    const gain = booked(value.minus(cost).times(position.sign).times(this.#pnlRate(position)));
    const pnl = fill.liquidation ? largest(gain, margin.neg()) : gain;
    const wallet = this.#wallets[position.currency];
    wallet.locked = wallet.locked.minus(margin);
    wallet.balance = wallet.balance.plus(margin).plus(pnl);
    wallet.realisedPnl = wallet.realisedPnl.plus(pnl);
    position.collateral = position.collateral.minus(rounded16(part(position.collateral)));
    position.opened = position.opened.minus(rounded16(part(position.opened)));
    position.cost = position.cost.minus(cost);
    position.margin = position.margin.minus(margin);
    position.quantity = position.quantity.minus(quantity);
    if (whole) this.#positions.delete(keyOf(position.symbol, position.currency));
    return {
      side: position.sign.gt(0) ? 'long' : 'short',
      quantity: text(quantity),
      entryPrice,
      closePrice: this.#closePrice(fill, value.div(quantity)),
      pnl: text(pnl),
      whole,
    };
  }

  #closePrice(fill: NaiveFill, exact: Decimal): string {
    if (!fill.liquidation) return text(decimal(fill.price));
    const price = booked(exact);
    if (!this.#rules.liquidatedPriceCut) return text(price);
    const step = this.#rules.priceStep[fill.symbol] ?? '1';
    return text(price.div(step).trunc().times(step));
  }

  /** Fee: value × rate × h. For a liquidation at most the margin that the loss has left. */
  #fee(traded: Decimal, fill: NaiveFill, left: Decimal | undefined) {
    const { makerFeeRate, takerFeeRate, liquidationFee, rebates } = this.#rules;
    const rate = fill.maker ? makerFeeRate : takerFeeRate;
    const full = booked(traded.times(rate).times(this.#rate(fill.currency)));
    const paid = left === undefined ? full : liquidationFee ? smallest(full, left) : ZERO;
    const back = rebates ? paid.times('0.4').toDecimalPlaces(4, Decimal.ROUND_DOWN) : ZERO;
    const wallet = this.#wallets[fill.currency];
    wallet.balance = wallet.balance.minus(paid).plus(back);
    wallet.fees = wallet.fees.plus(paid).minus(back);
    return { paid, back };
  }

  /** Locks (N/L + closeFee) × h, closeFee = quantity × entry × (1 ∓ 1/L) × f. */
  #increase(fill: NaiveFill, sign: Decimal, quantity: Decimal): void {
    const { symbol, currency } = fill;
    const value = quantity.times(fill.price);
    const leverage = decimal(fill.leverage);
    const closeFee = value.times(ONE.minus(sign.div(leverage))).times(this.#rules.takerFeeRate);
    const margin = booked(value.div(leverage).plus(closeFee).times(this.#rate(currency)));
    const wallet = this.#wallets[currency];
    wallet.balance = wallet.balance.minus(margin);
    wallet.locked = wallet.locked.plus(margin);
    const key = keyOf(symbol, currency);
    const position = this.#positions.get(key) ?? this.#newPosition(fill, sign);
    position.quantity = position.quantity.plus(quantity);
    position.cost = position.cost.plus(value);
    position.collateral = position.collateral.plus(rounded16(value.div(leverage)));
    position.opened = position.opened.plus(rounded16(value.div(leverage)));
    position.margin = position.margin.plus(margin);
    position.leverage = leverage;
    this.#positions.set(key, position);
  }

  #newPosition({ symbol, currency, leverage }: NaiveFill, sign: Decimal): NaivePosition {
    const entryRate = this.#rate(currency);
    const empty = { quantity: ZERO, cost: ZERO, collateral: ZERO, opened: ZERO, margin: ZERO };
    return { symbol, currency, sign, entryRate, leverage: decimal(leverage), ...empty };
  }

  #moveToMargin(position: NaivePosition, amount: Decimal): void {
    const wallet = this.#wallets[position.currency];
    wallet.balance = wallet.balance.minus(amount);
    wallet.locked = wallet.locked.plus(amount);
    position.margin = position.margin.plus(amount);
    position.collateral = position.collateral.plus(
      rounded16(amount.div(this.#marginRate(position))),
    );
  }

  /** (quantity × mark × m + closeFee) × h, with closeFee at the bankruptcy price. */
  #maintenance(position: NaivePosition, mark: Decimal): Decimal {
    const { takerFeeRate } = this.#rules;
    const bankrupt = position.cost.minus(position.sign.times(position.collateral));
    return booked(
      position.quantity
        .times(mark)
        .times(this.#maintenanceRate(position))
        .plus(bankrupt.times(takerFeeRate))
        .times(this.#rate(position.currency)),
    );
  }

  /** (N − C) / (quantity × (1 − m)) for a long, (N + C) / (quantity × (1 + m)) for a short. */
  #liquidation(position: NaivePosition, collateral: Decimal): Decimal {
    const { sign, cost, quantity } = position;
    const share = ONE.minus(sign.times(this.#maintenanceRate(position)));
    return cost.minus(sign.times(collateral)).div(quantity.times(share));
  }

  #maintenanceRate({ symbol, opened, cost }: NaivePosition): Decimal {
    const { maintenanceRate, maintenanceCapped } = this.#rules;
    const listed = decimal(maintenanceRate[symbol] ?? '0');
    return maintenanceCapped ? smallest(listed, booked(opened.div(cost).div(2))) : listed;
  }

  /** Rounded to the price step; undefined if it is not above 0. */
  #printedLiquidation(position: NaivePosition): string | undefined {
    const step = this.#rules.priceStep[position.symbol] ?? '1';
    const steps = this.#liquidation(position, position.collateral).div(step).toDecimalPlaces(0);
    return steps.gt(0) ? text(steps.times(step)) : undefined;
  }

  #rate(currency: Currency): Decimal {
    return currency === 'INR' ? this.#inrPerUsdt : ONE;
  }

  #pnlRate(position: NaivePosition): Decimal {
    return this.#rules.pnlAtEntryRate ? position.entryRate : this.#rate(position.currency);
  }

  #marginRate(position: NaivePosition): Decimal {
    return this.#rules.addedMarginAtEntryRate ? position.entryRate : this.#rate(position.currency);
  }

  #open(symbol: string, currency: Currency): NaivePosition {
    const position = this.#positions.get(keyOf(symbol, currency));
    if (position === undefined) throw new Error(`No ${currency} position on ${symbol}`);
    return position;
  }
}

/** Shortest plain text, without −0. */
const text = (value: Decimal): string => (value.isZero() ? '0' : value.toFixed());

const keyOf = (symbol: string, currency: Currency): string => `${symbol} ${currency}`;

const signed = (position: NaivePosition | undefined): Decimal =>
  position === undefined ? ZERO : position.quantity.times(position.sign);

const emptyWallet = (start: { readonly spot: string; readonly futures: string }): NaiveWallet => ({
  spot: decimal(start.spot),
  balance: decimal(start.futures),
  locked: ZERO,
  realisedPnl: ZERO,
  fees: ZERO,
  funding: ZERO,
});
