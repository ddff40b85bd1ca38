import type {
  CloseReport,
  FeeReport,
  PositionReport,
  TransferReport,
  WalletReport,
} from '../../core/account.js';
import type { Candle } from '../../core/candle.js';
import type { Currency } from '../../core/currency.js';
import type { Decimal } from '../../core/fixed/decimal.js';
import type { Amount, Price, Quantity, Ratio } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { Interval } from '../../core/interval.js';
import type { OrderRef, OrderReport, OrderTerms, OrderType } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';

/** An asset by its symbol, or by the venue's own id of it. */
export type AssetRef = { readonly symbol: string } | { readonly assetId: string };

/** The range of one list call. The venue has a default for each omitted field. */
export interface ListRange {
  /** Rows at most; the venue's default is 20. */
  readonly limit?: number;
  /** Rows to skip, or from 1e11 on an end time in ms UTC: the interface defines both meanings. */
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
  /** The amount that can be transferred to the futures wallet. */
  readonly withdrawable: Amount;
  readonly coinInvestable?: Amount;
  readonly coinsetInvestable?: Amount;
  readonly vaultInvestable?: Amount;
}

/** `unrecognised`: a status that this version does not know. */
export interface TransferDetail extends Omit<TransferReport, 'status'> {
  readonly status: TransferReport['status'] | 'unrecognised';
  readonly walletTransactionId?: string;
}

/** A row of fee history. Its time is not documented, hence optional. */
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

/** An order with every field of the wire. */
export interface OrderDetail extends OrderReport {
  /** Order value in the order's currency; after a partial fill and cancel, of the ordered quantity. */
  readonly actualAmount?: Decimal;
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
  /** ms UTC */
  readonly createdAt?: number;
  readonly updatedAt?: number;
}

export interface PlaceOrderRequest {
  readonly terms: OrderTerms;
  /** Without it the order can only be found by its order id. */
  readonly clientOrderId?: string;
}

export interface PlacementDetail extends Placement {
  readonly clientOrderId?: string;
  readonly leverage?: Ratio;
  /** v1 and reverse: as the venue prints it. */
  readonly amount?: Decimal;
  readonly message?: string;
}

export interface RiskOrder {
  /** Trigger, USDT. */
  readonly price: Price;
  readonly clientOrderId?: string;
}

export interface RiskOrderChange {
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

export interface KlineQuery {
  /** At most 25. */
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** ms UTC, both inclusive; at most 1440 candles a symbol come back. */
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Takes the candles of each symbol as they are read; the map of the answer is then empty. Thus 36,000 candles never
   * exist at once. The caller drops them unless the outcome is `yes`.
   */
  readonly onCandles?: (symbol: string, candles: readonly Candle[]) => void;
}

/**
 * The whole interface, one method for each endpoint. `OPERATIONS` has the path, rate tiers and priority.
 *
 * Every method waits for its permit, makes one attempt and does not reject for a failed request.
 * A failure envelope whose texts are all in the rejection table is a `no` with a code. Any other
 * failure is `unknown`: 401, 5xx, an HTML page, an undocumented shape. Any call can be a `no` with
 * `invalid-currency` or `rate-limited`, a read also with `forbidden`.
 *
 * Prices are in USDT, quantities in the base asset, money in the named currency. An existing order,
 * position or protective order keeps its own currency, so calls about it take none.
 *
 * @throws AssertionError for a request that must never be sent; nothing was sent then
 */
export interface FuturesApi {
  /** `GET /futures/ping`, default tier. Undocumented; public clients of the venue call it at startup. */
  ping(): Promise<Outcome<null>>;

  /** `GET /wallet/funds?currency`, wallet and default tier. */
  spotWallet(currency: Currency): Promise<Outcome<SpotWallet>>;
  /** `GET /futures/funds?trade_currency`, default tier. */
  futuresWallet(currency: Currency): Promise<Outcome<FuturesWallet>>;
  /** `POST /wallet/futures/transfer`, wallet tier, USDT. Returns no id. No: `insufficient-balance`. */
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

  /** `GET /futures`, default tier. Takes no currency. Unreadable rows are left out and logged. */
  assets(
    query?: ListRange & {
      readonly sort?: 'price' | 'volume' | 'change_perc' | 'popularity';
      readonly order?: 'asc' | 'desc';
    },
  ): Promise<Outcome<readonly AssetDetail[]>>;
  /** `GET /futures/{asset_id}`, default tier. Takes no currency. No: `asset-not-found`. */
  asset(asset: AssetRef): Promise<Outcome<AssetDetail>>;
  /** `GET /futures/{asset_id}/leverage?trade_currency`, core tier. No: `leverage-not-set`. */
  leverage(asset: AssetRef, currency: Currency): Promise<Outcome<LeverageSetting>>;
  /** `POST /futures/{asset_id}/leverage`, core tier. One currency only. No: `leverage-range`. */
  setLeverage(
    asset: AssetRef,
    currency: Currency,
    leverage: Ratio,
  ): Promise<Outcome<LeverageSetting>>;

  /**
   * `POST /futures/{asset_id}/order`, core tier. Also sets the leverage of (asset, currency). A market
   * order needs a price too. No: the v1 rows of the rejection table.
   */
  placeOrderV1(
    order: Omit<PlaceOrderRequest, 'clientOrderId'> & {
      readonly leverage: Ratio;
      /** USDT; the limit, or for a market order any price in range. */
      readonly orderPrice: Price;
      readonly asset?: AssetRef;
    },
  ): Promise<Outcome<PlacementDetail>>;
  /** `POST /fapi/v2/futures/order`, core and default tier. No: the v2 rows of the rejection table. */
  placeOrder(
    order: PlaceOrderRequest & { readonly asset?: AssetRef },
  ): Promise<Outcome<PlacementDetail>>;
  /** `GET /futures/orders?trade_currency`, default tier. Includes resting stops and take profits. */
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
   * `PATCH /futures/orders/{order_id}`, default tier. Needs both values: the venue refuses a price alone.
   * No: `order-not-found`, `order-not-open`, and the codes of prices and quantities.
   */
  amendOrder(
    orderId: string,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): Promise<Outcome<null>>;
  /**
   * `DELETE /futures/orders/{order_id}`, core tier, or `/futures/orders?client_order_id`,
   * default. The answer's data is ignored (hazard B2). No: `order-not-found`, `order-not-open`.
   */
  cancelOrder(order: OrderRef): Promise<Outcome<null>>;

  /** `GET /futures/positions?trade_currency`, default tier. Leaves out positions without quantity. */
  positions(currency: Currency, range?: ListRange): Promise<Outcome<readonly PositionDetail[]>>;
  /** `GET /futures/positions/history?trade_currency`, default tier, by open time, newest first. */
  positionHistory(currency: Currency, range?: ListRange): Promise<Outcome<readonly CloseReport[]>>;
  /** `POST …/{position_id}/riskorder`, core tier. Returns no ids. No: `protection-refused`, … */
  setRiskOrder(
    positionId: string,
    orders: { readonly stopLoss?: RiskOrder; readonly takeProfit?: RiskOrder },
  ): Promise<Outcome<null>>;
  /** `PATCH …/{position_id}/riskorder`, core tier. No: `protection-order-missing`, … */
  editRiskOrder(
    positionId: string,
    orders: { readonly stopLoss?: RiskOrderChange; readonly takeProfit?: RiskOrderChange },
  ): Promise<Outcome<null>>;
  /**
   * `POST …/{position_id}/add-margin`, core tier. Above 0 adds, below 0 reduces; in the position's
   * currency. No: `insufficient-funds`, `position-not-open`, `position-not-found`.
   */
  addMargin(
    positionId: string,
    margin: Amount,
  ): Promise<Outcome<{ readonly initialMargin: Amount; readonly liquidationPrice?: Price }>>;
  /** `POST …/{position_id}/close/partial`, core tier. Less than the whole; the id may be missing. */
  closePartially(
    positionId: string,
    terms: {
      readonly type: OrderType;
      readonly quantity: Quantity;
      readonly price?: Price;
      readonly clientOrderId?: string;
    },
  ): Promise<Outcome<{ readonly orderId?: string }>>;
  /** `POST …/{position_id}/close`, core tier. The returned ids are unreliable (hazard E13). */
  closePosition(positionId: string): Promise<Outcome<{ readonly orderId?: string }>>;
  /** `POST …/{position_id}/reverse`, core tier. Quantity and amount are as the venue prints them. */
  reversePosition(positionId: string): Promise<Outcome<PlacementDetail>>;
  /** `GET …/{position_id}/liq-price`, default tier. USDT; `extraMargin` gives a hypothetical price. */
  liquidationPrice(positionId: string, extraMargin?: Amount): Promise<Outcome<Decimal>>;
  /** `GET /futures/fee/history?trade_currency`, default tier. `offset` is always a row count. */
  feeHistory(currency: Currency, range?: ListRange): Promise<Outcome<readonly FeeDetail[]>>;

  /** `GET /fapi/v1/price/kline`, market tier, public. Ascending, by the symbol as requested. */
  klines(query: KlineQuery): Promise<Outcome<ReadonlyMap<string, readonly Candle[]>>>;
  /** `GET /fapi/v1/price/mark-kline`, market tier, public. The volume is always 0. */
  markKlines(query: KlineQuery): Promise<Outcome<ReadonlyMap<string, readonly Candle[]>>>;
}
