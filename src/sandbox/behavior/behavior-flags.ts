/**
 * Behaviour of the served interface where its document is silent or observations contradict it.
 * Each value is one of the two answers of an assumption or a quirk. Ids and reasons are in
 * `wire-assumptions.ts` and `quirks.ts`.
 */
export interface BehaviorFlags {
  // --- assumptions: the interface is silent ------------------------------------------------------
  /** `offset` of trading lists: always a count, or a count below 1e11 and an end time in ms from there. */
  readonly listOffset: 'count-or-end-time' | 'count';
  /** Most rows of one list call; a higher `limit` is reduced to it. */
  readonly listCap: 500 | 100;
  /** Reply to the cancel of a stop or target: empty strings (observed), or filled like any cancel. */
  readonly legCancelReply: 'empty' | 'filled';
  /** Reply to a partial close: `true`, or {order_id, position_id, quantity}. */
  readonly partialCloseReply: 'true' | 'object';
  /** Quantity in the reply to a reverse: the open quantity, or twice that. */
  readonly reverseReplyQuantity: 'open' | 'twice';
  /** `order_price` of a v1 market order: required, as the interface says, or optional. */
  readonly v1MarketPriceField: 'required' | 'optional';
  /** Margins on INR position rows: cut to 2 decimals, or whole. */
  readonly inrMarginText: 'cut' | 'whole';
  /** INR fees, PnL and actual_amount: cut to 2 decimals, balances to 4; or whole. */
  readonly inrMoneyText: 'cut' | 'whole';
  /** A stop or target that is not set: key omitted, or {price:"0",order_id:"",order_type:""}. */
  readonly unsetLeg: 'absent' | 'empty';
  /** JSON {"method":"PING"}: error and timer reset (observed), or a PONG. */
  readonly jsonPing: 'error' | 'pong';
  /** kline@1s: the running minute with the second as its time (observed), or a candle of one second. */
  readonly kline1s: 'running-minute' | 'second';
  /** Reply to a SUBSCRIBE to an existing subscription. */
  readonly duplicateSubscribe: 'success' | 'error';
  /** UNSUBSCRIBE of a ticker without assets: ends the whole stream, or nothing. */
  readonly tickerUnsubscribeAll: 'whole' | 'nothing';
  /** Intervals above 1m: the running bucket from its closed minutes is shown, or closed buckets only. */
  readonly runningBucket: 'shown' | 'hidden';
  /** Reply for a known symbol without candles in the range. */
  readonly emptyKlines: 'omitted' | 'empty-array';
  /** actual_amount after a partial fill and a cancel: the ordered value (the known issue), or the filled one. */
  readonly partialCancelAmount: 'ordered' | 'filled';

  // --- quirks: observed against the document; off by default --------------------------------------
  /** Klines of a single unknown symbol: the documented 404, or 200 with `data: {}`. */
  readonly unknownKlineSymbol: 'not-found' | 'empty-data';
  /** Text "aggregation not supported": plain, or with the value before it. */
  readonly aggregationText: 'documented' | 'prefixed';
  /** Order detail by client order id: the order, or always 404 (supplement: part 9). */
  readonly detailByClientId: 'found' | 'not-found';
  /** Real ms by which reads lag behind writes; 0: none. */
  readonly readLagMs: number;
  /** position_id in the reply to a close: that of the path, or another one. */
  readonly closeReplyPositionId: 'same' | 'foreign';
  /** Order by id: complete, or the short form of the interface's INR example. */
  readonly orderByIdForm: 'whole' | 'short';
  /** Rows of order history: with client order id, or only with the fields that the interface lists. */
  readonly historyClientId: 'there' | 'absent';
  /** trading_fee_perc on assets: present, or absent as in live captures. */
  readonly tradingFeeField: 'there' | 'absent';
  /** Body of a 429 on trading paths: the envelope, empty, or double-encoded. */
  readonly rateLimitBody: 'envelope' | 'empty' | 'double-encoded';
  /** Venue ms after which the newest closed minute is served; 0: at once. */
  readonly minuteLagMs: number;
  /** Klines: complete, or about one minute in fifty has a close and zeros elsewhere. */
  readonly silentCandle: 'whole' | 'zero-ohlc';
  /** Mark prices on ticker rows: always present, or sometimes absent. */
  readonly tickerMark: 'there' | 'sometimes-absent';
  /** Idle connections: closed after 40 s, or never. */
  readonly idleClose: 'after-40s' | 'never';
  /** Whether a cancelled stop or target stays on the position row until the row changes. */
  readonly staleLegs: 'no' | 'yes';
}

export const DEFAULT_BEHAVIOR_FLAGS: BehaviorFlags = {
  listOffset: 'count-or-end-time',
  listCap: 500,
  legCancelReply: 'empty',
  partialCloseReply: 'true',
  reverseReplyQuantity: 'open',
  v1MarketPriceField: 'required',
  inrMarginText: 'cut',
  inrMoneyText: 'cut',
  unsetLeg: 'absent',
  jsonPing: 'error',
  kline1s: 'running-minute',
  duplicateSubscribe: 'success',
  tickerUnsubscribeAll: 'whole',
  runningBucket: 'shown',
  emptyKlines: 'omitted',
  partialCancelAmount: 'ordered',
  unknownKlineSymbol: 'not-found',
  aggregationText: 'documented',
  detailByClientId: 'found',
  readLagMs: 0,
  closeReplyPositionId: 'same',
  orderByIdForm: 'whole',
  historyClientId: 'there',
  tradingFeeField: 'there',
  rateLimitBody: 'envelope',
  minuteLagMs: 0,
  silentCandle: 'whole',
  tickerMark: 'there',
  idleClose: 'after-40s',
  staleLegs: 'no',
};
