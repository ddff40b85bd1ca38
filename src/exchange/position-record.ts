import type { Currency } from '../core/currency.js';
import {
  add,
  fixed,
  multiplyExact,
  proportion,
  proportionOfProduct,
  subtract,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed.js';
import type { Assumptions } from './assumptions.js';
import {
  amountFromBig,
  bankruptcyValueOf,
  cappedMaintenanceRate,
  liquidationPriceOf,
  liquidationTriggerOf,
  maintenanceMarginOf,
  moneyOf,
  priceOf,
  type LiquidationTerms,
  type LongSign,
} from './margin.js';
import type { OrderRecord } from './order-record.js';
import type { ExchangePosition } from './simulated-exchange.js';
import type { Listed } from './listed.js';

/** What a quantity of a position carries with it when it is closed. */
export interface PositionShare {
  readonly quantity: Quantity;
  readonly cost: bigint;
  readonly collateral: bigint;
  readonly margin: Amount;
}

/** One open position. It keeps sums, never an average. */
export class PositionRecord<Book extends Listed = Listed> {
  readonly id: string;
  readonly book: Book;
  readonly currency: Currency;
  readonly longSign: LongSign;
  readonly entryHedgeRate: Ratio;
  readonly createdAt: number;
  readonly #maintenance: Assumptions['maintenanceRate'];
  quantity: Quantity = fixed(0);
  /** Σ price × quantity, exact: 1e-36 USDT. */
  cost = 0n;
  /** Σ N/L: 1e-36 USDT. */
  collateral = 0n;
  /** Of `collateral`, what opening took: neither added margin nor funding changes it. */
  #opened = 0n;
  /** Booked as locked in the wallet: initial margin with close fee, and what was added to it. */
  margin: Amount = fixed(0);
  /** Of `margin`, what opening took: margin is given back down to it. */
  required: Amount = fixed(0);
  /** Of the latest increase. */
  leverage: Ratio;
  updatedAt: number;
  /** On the grid of prices; 0 when the position cannot be liquidated. */
  liquidationTrigger: Price = fixed(0);
  stopLoss: OrderRecord<Book> | undefined;
  takeProfit: OrderRecord<Book> | undefined;

  constructor(seed: {
    readonly id: string;
    readonly book: Book;
    readonly currency: Currency;
    readonly longSign: LongSign;
    readonly leverage: Ratio;
    readonly hedgeRate: Ratio;
    readonly createdAt: number;
    readonly maintenance: Assumptions['maintenanceRate'];
  }) {
    this.id = seed.id;
    this.book = seed.book;
    this.currency = seed.currency;
    this.longSign = seed.longSign;
    this.leverage = seed.leverage;
    this.entryHedgeRate = seed.hedgeRate;
    this.createdAt = seed.createdAt;
    this.updatedAt = seed.createdAt;
    this.#maintenance = seed.maintenance;
  }

  increase(by: PositionShare, leverage: Ratio, nowMs: number): void {
    this.quantity = add(this.quantity, by.quantity);
    this.cost += by.cost;
    this.collateral += by.collateral;
    this.#opened += by.collateral;
    this.margin = add(this.margin, by.margin);
    this.required = add(this.required, by.margin);
    this.leverage = leverage;
    this.updatedAt = nowMs;
    this.#moveLiquidation();
  }

  /** The part that `quantity` carries; all that is left when it is the whole. */
  share(quantity: Quantity): PositionShare {
    const { cost, collateral, margin } = this;
    if (quantity === this.quantity) return { quantity, cost, collateral, margin };
    return {
      quantity,
      cost: proportionOfProduct(cost, quantity, this.quantity),
      collateral: proportionOfProduct(collateral, quantity, this.quantity),
      margin: proportion(margin, quantity, this.quantity),
    };
  }

  reduce(by: PositionShare, nowMs: number): void {
    this.required = this.#requiredAfter(by.quantity);
    this.#opened = this.#openedAfter(by.quantity);
    this.quantity = subtract(this.quantity, by.quantity);
    this.cost -= by.cost;
    this.collateral -= by.collateral;
    this.margin = subtract(this.margin, by.margin);
    this.updatedAt = nowMs;
    if (this.quantity > 0) this.#moveLiquidation();
  }

  /**
   * Margin that came from the free balance or went: by hand, or to pay for funding.
   * @param margin in the position's currency
   * @param collateral the same in 1e-36 USDT: it moves the liquidation price
   */
  changeMargin(margin: Amount, collateral: bigint, nowMs: number): void {
    this.margin = add(this.margin, margin);
    this.collateral += collateral;
    this.updatedAt = nowMs;
    this.#moveLiquidation();
  }

  get entryPrice(): Price {
    return priceOf(this.cost, this.quantity);
  }

  /** The value of the position when its collateral is gone: 1e-36 USDT. */
  get bankruptcyValue(): bigint {
    return bankruptcyValueOf(this.cost, this.collateral, this.longSign);
  }

  /** Of entry value, as it applies to this position (assumption). */
  get maintenanceRate(): Ratio {
    const { maintenanceRate } = this.book.listing;
    return this.#maintenance === 'listed'
      ? maintenanceRate
      : cappedMaintenanceRate(maintenanceRate, this.#opened, this.cost);
  }

  /** The holder's gain when `cost` is now worth `value`: 1e-36 USDT; below 0 for a loss. */
  gain(value: bigint, cost: bigint): bigint {
    return this.longSign === 1 ? value - cost : cost - value;
  }

  /** At `last`, in the position's currency. */
  unrealised(last: Price, hedgeRate: Ratio): Amount {
    const value = multiplyExact(last, this.quantity);
    return amountFromBig(moneyOf(this.gain(value, this.cost), hedgeRate));
  }

  snapshot(terms: { readonly takerFeeRate: Ratio; readonly hedgeRate: Ratio }): ExchangePosition {
    const { priceStep } = this.book.listing.instrument;
    const liquidation = liquidationPriceOf(this.#liquidationTerms(), priceStep);
    const { stopLoss, takeProfit, quantity, bankruptcyValue, maintenanceRate } = this;
    const { mark } = this.book;
    return {
      positionId: this.id,
      symbol: this.book.symbol,
      currency: this.currency,
      side: this.longSign === 1 ? 'long' : 'short',
      quantity,
      entryPrice: this.entryPrice,
      leverage: this.leverage,
      ...(liquidation > 0 && { liquidationPrice: liquidation }),
      initialMargin: this.margin,
      maintenanceMargin: amountFromBig(
        maintenanceMarginOf({ quantity, mark, maintenanceRate, bankruptcyValue, ...terms }),
      ),
      ...(stopLoss && { stopLoss: { price: stopLoss.price, orderId: stopLoss.orderId } }),
      ...(takeProfit && { takeProfit: { price: takeProfit.price, orderId: takeProfit.orderId } }),
      createdAt: this.createdAt,
      updatedAt: this.updatedAt,
      entryHedgeRate: this.entryHedgeRate,
    };
  }

  #requiredAfter(closed: Quantity): Amount {
    if (closed === this.quantity) return fixed<'USDT'>(0) as Amount;
    return proportion(this.required, subtract(this.quantity, closed), this.quantity);
  }

  #openedAfter(closed: Quantity): bigint {
    if (closed === this.quantity) return 0n;
    return proportionOfProduct(this.#opened, subtract(this.quantity, closed), this.quantity);
  }

  #moveLiquidation(): void {
    this.liquidationTrigger = liquidationTriggerOf(
      this.#liquidationTerms(),
      this.book.listing.instrument.priceStep,
    );
  }

  #liquidationTerms(): LiquidationTerms {
    const { cost, collateral, quantity, longSign, maintenanceRate } = this;
    return { cost, collateral, quantity, longSign, maintenanceRate };
  }
}
