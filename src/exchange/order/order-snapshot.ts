import type { Price } from '../../core/fixed/fixed.js';
import type { ExchangeOrder } from '../simulated-exchange.js';

/** The fields of an order that its snapshot reads. */
export interface SnapshotSource extends Omit<
  ExchangeOrder,
  | 'clientOrderId'
  | 'side'
  | 'averagePrice'
  | 'positionId'
  | 'reason'
  | 'endedAt'
  | 'stopLoss'
  | 'takeProfit'
> {
  readonly clientOrderId: string | undefined;
  readonly side: NonNullable<ExchangeOrder['side']>;
  readonly price: Price;
  readonly averagePrice: Price | undefined;
  readonly positionId: string;
  readonly reason: string | undefined;
  readonly endedAt: number | undefined;
  readonly stopLossPrice: Price | undefined;
  readonly takeProfitPrice: Price | undefined;
}

/**
 * An order as it leaves the exchange. A class, because an object of conditional spreads costs several
 * times as much, and a backtest draws two for each order. A field without a value is absent.
 */
export class OrderSnapshot implements ExchangeOrder {
  declare readonly orderId: ExchangeOrder['orderId'];
  declare readonly clientOrderId?: string;
  declare readonly symbol: ExchangeOrder['symbol'];
  declare readonly currency: ExchangeOrder['currency'];
  declare readonly role: ExchangeOrder['role'];
  declare readonly side?: NonNullable<ExchangeOrder['side']>;
  declare readonly type: ExchangeOrder['type'];
  declare readonly status: ExchangeOrder['status'];
  declare readonly quantity: ExchangeOrder['quantity'];
  declare readonly filledQuantity: ExchangeOrder['filledQuantity'];
  declare readonly price: Price;
  declare readonly averagePrice?: Price;
  declare readonly leverage: ExchangeOrder['leverage'];
  declare readonly positionId: string;
  declare readonly reason?: string;
  declare readonly reduceOnly: boolean;
  declare readonly hedgeRate: ExchangeOrder['hedgeRate'];
  declare readonly createdAt: number;
  declare readonly updatedAt: number;
  declare readonly endedAt?: number;
  declare readonly stopLoss?: Price;
  declare readonly takeProfit?: Price;
  declare readonly executions: ExchangeOrder['executions'];

  constructor(order: SnapshotSource) {
    this.orderId = order.orderId;
    if (order.clientOrderId !== undefined) this.clientOrderId = order.clientOrderId;
    this.symbol = order.symbol;
    this.currency = order.currency;
    this.role = order.role;
    if (order.role === 'trade') this.side = order.side;
    this.type = order.type;
    this.status = order.status;
    this.quantity = order.quantity;
    this.filledQuantity = order.filledQuantity;
    this.price = order.price;
    const { averagePrice, reason, endedAt, stopLossPrice, takeProfitPrice } = order;
    if (averagePrice !== undefined) this.averagePrice = averagePrice;
    this.leverage = order.leverage;
    this.positionId = order.positionId;
    if (reason !== undefined) this.reason = reason;
    this.reduceOnly = order.reduceOnly;
    this.hedgeRate = order.hedgeRate;
    this.createdAt = order.createdAt;
    this.updatedAt = order.updatedAt;
    if (endedAt !== undefined) this.endedAt = endedAt;
    if (stopLossPrice !== undefined) this.stopLoss = stopLossPrice;
    if (takeProfitPrice !== undefined) this.takeProfit = takeProfitPrice;
    this.executions = order.executions;
  }
}
