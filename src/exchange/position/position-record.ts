import type { Currency } from '../../core/currency.js';
import {
  add,
  fixed,
  ONE,
  ProductSum,
  proportion,
  subtract,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Assumptions } from '../assumptions.js';
import {
  amountFromBig,
  bankruptcyValueOf,
  cappedMaintenanceRate,
  liquidationPriceOf,
  liquidationTriggerOf,
  maintenanceMarginOf,
  moneyOf,
  type LiquidationTerms,
  type LongSign,
} from '../account/margin.js';
import type { OrderRecord, SymbolQuote } from '../order/order-record.js';
import type { ExchangePosition } from '../simulated-exchange.js';

/** The part of a position's sums that belongs to a quantity of it. */
export interface PositionShare {
  readonly quantity: Quantity;
  readonly cost: ProductSum;
  readonly collateral: ProductSum;
  readonly margin: Amount;
}

/** One open position, held as exact sums; averages are computed from them. */
export class PositionRecord<State extends SymbolQuote = SymbolQuote> {
  readonly id: string;
  readonly symbolState: State;
  readonly currency: Currency;
  readonly longSign: LongSign;
  readonly entryHedgeRate: Ratio;
  readonly createdAt: number;
  readonly #maintenance: Assumptions['maintenanceRate'];
  quantity: Quantity = fixed(0);
  /** Σ price × quantity, exact, USDT. */
  cost = ProductSum.NONE;
  /** Σ N/L, USDT. */
  collateral = ProductSum.NONE;
  /** The part of `collateral` from opening; added margin and funding do not change it. */
  #openingCollateral = ProductSum.NONE;
  /** Locked in the wallet: initial margin with close fee, and added margin. */
  margin: Amount = fixed(0);
  /** The part of `margin` from opening: the least to which margin can be reduced. */
  openingMargin: Amount = fixed(0);
  /** Leverage of the latest increase. */
  leverage: Ratio;
  updatedAt: number;
  /** On the price grid; 0 when the position cannot be liquidated. */
  liquidationTrigger: Price = fixed(0);
  stopLoss: OrderRecord<State> | undefined;
  takeProfit: OrderRecord<State> | undefined;

  constructor(init: {
    readonly id: string;
    readonly symbolState: State;
    readonly currency: Currency;
    readonly longSign: LongSign;
    readonly leverage: Ratio;
    readonly hedgeRate: Ratio;
    readonly createdAt: number;
    readonly maintenance: Assumptions['maintenanceRate'];
  }) {
    this.id = init.id;
    this.symbolState = init.symbolState;
    this.currency = init.currency;
    this.longSign = init.longSign;
    this.leverage = init.leverage;
    this.entryHedgeRate = init.hedgeRate;
    this.createdAt = init.createdAt;
    this.updatedAt = init.createdAt;
    this.#maintenance = init.maintenance;
  }

  increase(by: PositionShare, leverage: Ratio, nowMs: number): void {
    this.quantity = add(this.quantity, by.quantity);
    this.cost = this.cost.plus(by.cost);
    this.collateral = this.collateral.plus(by.collateral);
    this.#openingCollateral = this.#openingCollateral.plus(by.collateral);
    this.margin = add(this.margin, by.margin);
    this.openingMargin = add(this.openingMargin, by.margin);
    this.leverage = leverage;
    this.updatedAt = nowMs;
    this.#updateLiquidationTrigger();
  }

  /** The sums of `quantity`. The whole quantity gets everything left, so no rounding remains. */
  share(quantity: Quantity): PositionShare {
    const { cost, collateral, margin } = this;
    if (quantity === this.quantity) return { quantity, cost, collateral, margin };
    return {
      quantity,
      cost: cost.proportion(quantity, this.quantity),
      collateral: collateral.proportion(quantity, this.quantity),
      margin: proportion(margin, quantity, this.quantity),
    };
  }

  reduce(by: PositionShare, nowMs: number): void {
    this.openingMargin = this.#openingMarginAfter(by.quantity);
    this.#openingCollateral = this.#openingCollateralAfter(by.quantity);
    this.quantity = subtract(this.quantity, by.quantity);
    this.cost = this.cost.minus(by.cost);
    this.collateral = this.collateral.minus(by.collateral);
    this.margin = subtract(this.margin, by.margin);
    this.updatedAt = nowMs;
    if (this.quantity > 0) this.#updateLiquidationTrigger();
  }

  /**
   * Adds or removes margin: a user's change, or a funding payment.
   * @param margin in the position's currency
   * @param collateral the same in USDT; it moves the liquidation price
   */
  changeMargin(margin: Amount, collateral: ProductSum, nowMs: number): void {
    this.margin = add(this.margin, margin);
    this.collateral = this.collateral.plus(collateral);
    this.updatedAt = nowMs;
    this.#updateLiquidationTrigger();
  }

  get entryPrice(): Price {
    return this.cost.average(this.quantity);
  }

  /** Value of the position when its collateral is lost, USDT. */
  get bankruptcyValue(): ProductSum {
    return bankruptcyValueOf(this.cost, this.collateral, this.longSign);
  }

  /** Fraction of entry value that applies to this position (assumption). */
  get maintenanceRate(): Ratio {
    const { maintenanceRate } = this.symbolState.listing;
    return this.#maintenance === 'listed'
      ? maintenanceRate
      : cappedMaintenanceRate(maintenanceRate, this.#openingCollateral, this.cost);
  }

  /** Gain when `cost` is now worth `value`: 1e-36 USDT, below 0 for a loss. */
  gain(value: ProductSum, cost: ProductSum): bigint {
    return (this.longSign === 1 ? value.minus(cost) : cost.minus(value)).exact;
  }

  /** Unrealised PnL at `last`, in the position's currency. */
  unrealised(last: Price, hedgeRate: Ratio): Amount {
    if (hedgeRate === ONE) return this.cost.gain(last, this.quantity, this.longSign);
    const value = ProductSum.of(last, this.quantity);
    return amountFromBig(moneyOf(this.gain(value, this.cost), hedgeRate));
  }

  snapshot(terms: { readonly takerFeeRate: Ratio; readonly hedgeRate: Ratio }): ExchangePosition {
    const { priceStep } = this.symbolState.listing.instrument;
    const liquidation = liquidationPriceOf(this.#liquidationTerms(), priceStep);
    const { stopLoss, takeProfit, quantity, bankruptcyValue, maintenanceRate } = this;
    const { mark } = this.symbolState;
    return {
      positionId: this.id,
      symbol: this.symbolState.symbol,
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

  #openingMarginAfter(closed: Quantity): Amount {
    if (closed === this.quantity) return fixed<'USDT'>(0) as Amount;
    return proportion(this.openingMargin, subtract(this.quantity, closed), this.quantity);
  }

  #openingCollateralAfter(closed: Quantity): ProductSum {
    if (closed === this.quantity) return ProductSum.NONE;
    return this.#openingCollateral.proportion(subtract(this.quantity, closed), this.quantity);
  }

  #updateLiquidationTrigger(): void {
    this.liquidationTrigger = liquidationTriggerOf(
      this.#liquidationTerms(),
      this.symbolState.listing.instrument.priceStep,
    );
  }

  #liquidationTerms(): LiquidationTerms {
    const { cost, collateral, quantity, longSign, maintenanceRate } = this;
    return { cost, collateral, quantity, longSign, maintenanceRate };
  }
}
