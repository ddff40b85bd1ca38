import type {
  CloseReport,
  FeeReport,
  PositionReport,
  TransferReport,
  WalletReport,
} from '../../core/account.js';
import type { Candle } from '../../core/candle.js';
import type { Currency } from '../../core/currency.js';
import type { Decimal } from '../../core/decimal.js';
import type { Amount, Price, Quantity, Ratio } from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { Interval } from '../../core/interval.js';
import type { OrderRef, OrderReport, OrderTerms, OrderType } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';

/** An asset by its symbol, or by the venue's own id of it. */
export type AssetRef = { readonly symbol: string } | { readonly assetId: string };

/** One call of a list: the venue's default where a field is left out. */
export interface ListRange {
  /** Rows at most; the venue's default is 20. */
  readonly limit?: number;
  /** Rows to skip, or an end time in ms UTC (from 1e11 on): the interface has both meanings. */
  readonly offset?: number;
}

export interface AssetDetail {
  readonly instrument: Instrument;
  readonly name: string;
  readonly price?: Price;
  readonly lastDayPrice?: Price;
  readonly changePercent?: number;
  readonly volume?: number;
  readonly popularity?: number;
  /** Fraction of the notional at the next settlement. */
  readonly fundingRate?: Decimal;
  readonly minFundingRate?: Decimal;
  readonly maxFundingRate?: Decimal;
  /** ms UTC */
  readonly nextFundingMs?: number;
  /** Percent of the traded value. */
  readonly tradingFeePercent?: Decimal;
  /** Of the last 24 hours; asset detail only. */
  readonly dayHigh?: number;
  readonly dayLow?: number;
  readonly dayVolume?: number;
}

/** Money of the requested currency. */
export interface SpotWallet {
  readonly currency: Currency;
  readonly total: Amount;
  /** Bonus funds, not withdrawable. */
  readonly rewards: Amount;
  readonly invested: Amount;
  /** What can go to the futures wallet. */
  readonly withdrawable: Amount;
  readonly coinInvestable?: Amount;
  readonly coinsetInvestable?: Amount;
  readonly vaultInvestable?: Amount;
}

/** `unrecognised` is a status word that this version does not know. */
export interface TransferDetail extends Omit<TransferReport, 'status'> {
  readonly status: TransferReport['status'] | 'unrecognised';
  readonly walletTransactionId?: string;
}

/** A row of fee history. The interface does not list its time among the fields. */
export interface FeeDetail extends Omit<FeeReport, 'createdAt'> {
  /** ms UTC */
  readonly createdAt?: number;
}

export interface FuturesWallet extends WalletReport {
  readonly firstTimeUser?: boolean;
}

export interface LeverageSetting {
  readonly leverage: Ratio;
  readonly marginType: 'ISOLATED';
}

/** An order with everything that the wire tells of it. */
export interface OrderDetail extends OrderReport {
  /** Order value in the order's currency. See the interface's known issue. */
  readonly actualAmount?: Decimal;
  readonly hedgeRate?: Ratio;
  /** ms UTC */
  readonly createdAt?: number;
}

export interface ExecutionReport extends OrderDetail {
  readonly orderValue?: Decimal;
  readonly filledValue?: Decimal;
  /** ms UTC of the final status. */
  readonly endedAt?: number;
  readonly executions: readonly {
    readonly transactionId: string;
    readonly maker: boolean;
    readonly price: Price;
    readonly quantity: Quantity;
    /** USDT */
    readonly value: Decimal;
    /** In the order's currency. */
    readonly fee: Amount;
    /** ms UTC */
    readonly filledAt: number;
  }[];
}

export interface PositionDetail extends PositionReport {
  readonly entryHedgeRate?: Ratio;
  /** ms UTC */
  readonly createdAt?: number;
  readonly updatedAt?: number;
}

export interface PlaceTerms {
  readonly terms: OrderTerms;
  /** Unset: the order cannot be found again by it. */
  readonly clientOrderId?: string;
}

export interface PlacementDetail extends Placement {
  readonly clientOrderId?: string;
  readonly leverage?: Ratio;
  /** v1 and reverse: as the venue prints it. */
  readonly amount?: Decimal;
  readonly message?: string;
}

export interface RiskLeg {
  /** Trigger, USDT. */
  readonly price: Price;
  readonly clientOrderId?: string;
}

export interface RiskLegChange {
  readonly price: Price;
  readonly order: OrderRef;
}

export interface TransactionFilter {
  readonly direction?: TransferReport['direction'];
  readonly status?: TransferReport['status'];
  readonly sortBy?: 'created_at' | 'updated_at';
  readonly sortOrder?: 'asc' | 'desc';
  readonly limit?: number;
}

export interface CandleQuery {
  /** At most 25. */
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** ms UTC, both inclusive; at most 1440 candles a symbol come back. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The whole interface, one method a row; row, rate tiers and priority of each are in `OPERATIONS`.
 * Every method waits for its slot in the rate limits, makes one attempt and never rejects for what
 * the world does: a failure envelope whose texts are all in the table is a `no` with a code,
 * whatever else cannot be read is `unknown` (reliability 0.1): 401, 5xx, a page, a shape that nobody
 * documented. Any call may be a no with `invalid-currency` or `rate-limited`, a read with `forbidden`.
 * Prices are USDT, quantities base asset, money the named currency; an order, a position or a leg
 * that exists keeps its own currency and is not asked for one.
 *
 * @throws AssertionError for a request that must never reach a wire; nothing was sent then
 */
export interface FuturesApi {
  /** `GET /futures/ping`, default tier. Not in the interface: what public clients start with. */
  ping(): Promise<Outcome<null>>;

  /** `GET /wallet/funds?currency`, wallet and default tier. */
  spotWallet(currency: Currency): Promise<Outcome<SpotWallet>>;
  /** `GET /futures/funds?trade_currency`, default tier. */
  futuresWallet(currency: Currency): Promise<Outcome<FuturesWallet>>;
  /** `POST /wallet/futures/transfer`, wallet tier, USDT. Tells no id. No: `insufficient-balance`. */
  transferUsdt(direction: TransferReport['direction'], amount: Amount): Promise<Outcome<null>>;
  /**
   * `POST /futures/transfers/inr`, wallet tier, INR. No: `insufficient-balance`.
   * @returns the id of its row in `transactions`
   */
  transferInr(direction: TransferReport['direction'], amount: Amount): Promise<Outcome<string>>;
  /** `GET /futures/transactions?trade_currency`, default tier, newest first. */
  transactions(
    currency: Currency,
    filter?: TransactionFilter,
  ): Promise<Outcome<readonly TransferDetail[]>>;

  /** `GET /futures`, default tier. Without currency. A row that does not read is left out. */
  assets(
    query?: ListRange & {
      readonly sort?: 'price' | 'volume' | 'change_perc' | 'popularity';
      readonly order?: 'asc' | 'desc';
    },
  ): Promise<Outcome<readonly AssetDetail[]>>;
  /** `GET /futures/{asset_id}`, default tier. Without currency. No: `asset-not-found`. */
  asset(asset: AssetRef): Promise<Outcome<AssetDetail>>;
  /** `GET /futures/{asset_id}/leverage?trade_currency`, core tier. No: `leverage-not-set`. */
  leverage(asset: AssetRef, currency: Currency): Promise<Outcome<LeverageSetting>>;
  /** `POST /futures/{asset_id}/leverage`, core tier. The other currency's stays. No: `leverage-range`. */
  setLeverage(
    asset: AssetRef,
    currency: Currency,
    leverage: Ratio,
  ): Promise<Outcome<LeverageSetting>>;

  /**
   * `POST /futures/{asset_id}/order`, core tier. Sets the leverage of (asset, currency) too, and a
   * market order needs a price in it. No: the v1 rows of the error table.
   */
  placeOrderV1(
    order: Omit<PlaceTerms, 'clientOrderId'> & {
      readonly leverage: Ratio;
      /** USDT; the limit, or for a market order any price in range. */
      readonly orderPrice: Price;
      readonly asset?: AssetRef;
    },
  ): Promise<Outcome<PlacementDetail>>;
  /** `POST /fapi/v2/futures/order`, core and default tier. No: the v2 rows of the error table. */
  placeOrder(order: PlaceTerms & { readonly asset?: AssetRef }): Promise<Outcome<PlacementDetail>>;
  /** `GET /futures/orders?trade_currency`, default tier. Resting stops and targets are rows of it. */
  openOrders(currency: Currency, range?: ListRange): Promise<Outcome<readonly OrderDetail[]>>;
  /** `GET /futures/orders/history?trade_currency`, default tier. */
  orderHistory(currency: Currency, range?: ListRange): Promise<Outcome<readonly OrderDetail[]>>;
  /** @deprecated `GET /futures/orders/{order_id}`, default tier: use `orderDetail`. */
  orderById(orderId: string): Promise<Outcome<OrderDetail>>;
  /** `GET /futures/orders/detail`, default tier. No: `order-not-found`, also for ids of two orders. */
  orderDetail(
    order: OrderRef | { readonly orderId: string; readonly clientOrderId: string },
  ): Promise<Outcome<OrderDetail>>;
  /** `GET /futures/orders/{order_id}/execution-report`, default tier. No: `order-not-found`. */
  executionReport(orderId: string): Promise<Outcome<ExecutionReport>>;
  /**
   * `PATCH /futures/orders/{order_id}`, default tier. Both values, always: the price alone is refused.
   * No: `order-not-found`, `order-not-open`, and those of prices and quantities.
   */
  amendOrder(
    orderId: string,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): Promise<Outcome<null>>;
  /**
   * `DELETE /futures/orders/{order_id}`, core tier, or `/futures/orders?client_order_id`, core and
   * default. Nothing is read from the answer (hazard B2). No: `order-not-found`, `order-not-open`.
   */
  cancelOrder(order: OrderRef): Promise<Outcome<null>>;

  /** `GET /futures/positions?trade_currency`, default tier. Without those that hold nothing yet. */
  positions(currency: Currency, range?: ListRange): Promise<Outcome<readonly PositionDetail[]>>;
  /** `GET /futures/positions/history?trade_currency`, default tier, by open time, newest first. */
  positionHistory(currency: Currency, range?: ListRange): Promise<Outcome<readonly CloseReport[]>>;
  /** `POST …/{position_id}/riskorder`, core tier. Tells no ids. No: `protection-refused`, … */
  setRiskOrder(
    positionId: string,
    legs: { readonly stopLoss?: RiskLeg; readonly takeProfit?: RiskLeg },
  ): Promise<Outcome<null>>;
  /** `PATCH …/{position_id}/riskorder`, core tier. No: `protection-order-missing`, … */
  editRiskOrder(
    positionId: string,
    legs: { readonly stopLoss?: RiskLegChange; readonly takeProfit?: RiskLegChange },
  ): Promise<Outcome<null>>;
  /**
   * `POST …/{position_id}/add-margin`, core tier. Above 0 adds, below 0 reduces; in the position's
   * currency. No: `insufficient-funds`, `position-not-open`, `position-not-found`.
   */
  addMargin(
    positionId: string,
    margin: Amount,
  ): Promise<Outcome<{ readonly initialMargin: Amount; readonly liquidationPrice?: Price }>>;
  /** `POST …/{position_id}/close/partial`, core tier; less than all. The answer may hold no id. */
  closePartially(
    positionId: string,
    terms: {
      readonly type: OrderType;
      readonly quantity: Quantity;
      readonly price?: Price;
      readonly clientOrderId?: string;
    },
  ): Promise<Outcome<{ readonly orderId?: string }>>;
  /** `POST …/{position_id}/close`, core tier. Never key on the ids it answers with (hazard E13). */
  closePosition(positionId: string): Promise<Outcome<{ readonly orderId?: string }>>;
  /** `POST …/{position_id}/reverse`, core tier. Quantity and amount: as the venue prints them. */
  reversePosition(positionId: string): Promise<Outcome<PlacementDetail>>;
  /** `GET …/{position_id}/liq-price`, default tier. USDT; with `extraMargin` what it would be, unrounded. */
  liquidationPrice(positionId: string, extraMargin?: Amount): Promise<Outcome<Decimal>>;
  /** `GET /futures/fee/history?trade_currency`, default tier. Its offset is always a count. */
  feeHistory(currency: Currency, range?: ListRange): Promise<Outcome<readonly FeeDetail[]>>;

  /** `GET /fapi/v1/price/kline`, market tier. By the symbol as asked for, ascending. Without the secret. */
  klines(query: CandleQuery): Promise<Outcome<ReadonlyMap<string, readonly Candle[]>>>;
  /** `GET /fapi/v1/price/mark-kline`, market tier. Volume is 0: the venue tells none. */
  markKlines(query: CandleQuery): Promise<Outcome<ReadonlyMap<string, readonly Candle[]>>>;
}
