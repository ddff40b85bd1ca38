/**
 * What the served interface does where its document is silent, or where the field was seen to do
 * otherwise. Each value is one of the two answers of an assumption or of a quirk; the tables with ids
 * and reasons are in `wire-assumptions.ts` and `quirks.ts`.
 */
export interface Switches {
  // --- assumptions: the interface does not say ---------------------------------------------------
  /** `offset` of trading lists: a count below 1e11 and an end time in ms from there on, or always a count. */
  readonly listOffset: 'count-or-end-time' | 'count';
  /** Rows of one list call at most; a higher `limit` is met by it. */
  readonly listCap: 500 | 100;
  /** Cancel of a stop or target: empty strings (seen live), or filled like any cancel. */
  readonly legCancelReply: 'empty' | 'filled';
  /** Partial close answers `true`, or {order_id, position_id, quantity}. */
  readonly partialCloseReply: 'true' | 'object';
  /** Quantity in the reverse answer: the open quantity, or twice that. */
  readonly reverseReplyQuantity: 'open' | 'twice';
  /** `order_price` of a v1 market order: asked for, as the interface says, or may be missing. */
  readonly v1MarketPriceField: 'required' | 'optional';
  /** Margins on INR position rows: cut to 2 decimals, or whole. */
  readonly inrMarginText: 'cut' | 'whole';
  /** INR fees, PnL and actual_amount: cut to 2 decimals, balances to 4; or whole. */
  readonly inrMoneyText: 'cut' | 'whole';
  /** A leg that is not set: the key is left out, or {price:"0",order_id:"",order_type:""}. */
  readonly unsetLeg: 'absent' | 'empty';
  /** JSON {"method":"PING"}: error and timer reset (seen live), or a PONG. */
  readonly jsonPing: 'error' | 'pong';
  /** kline@1s: the running minute re-stamped (seen live), or a candle of one second. */
  readonly kline1s: 'running-minute' | 'second';
  /** A SUBSCRIBE to what is subscribed already. */
  readonly duplicateSubscribe: 'success' | 'error';
  /** UNSUBSCRIBE of a ticker without assets: the whole stream goes, or nothing does. */
  readonly tickerUnsubscribeAll: 'whole' | 'nothing';
  /** Intervals above 1m show the bucket in progress from the minutes closed so far, or closed ones only. */
  readonly runningBucket: 'shown' | 'hidden';
  /** A known symbol without candles in the range. */
  readonly emptyKlines: 'omitted' | 'empty-array';
  /** actual_amount of a partial fill whose rest was cancelled: the ordered value (the known issue), or the filled one. */
  readonly partialCancelAmount: 'ordered' | 'filled';

  // --- quirks: seen in the field against the document; off unless switched on ---------------------
  /** A symbol that is not known, asked alone: the documented 404, or 200 with `data: {}`. */
  readonly unknownKlineSymbol: 'not-found' | 'empty-data';
  /** "aggregation not supported", or with the value before it. */
  readonly aggregationText: 'documented' | 'prefixed';
  /** order detail by client order id finds the order, or answers 404 for ever (supplement part 9). */
  readonly detailByClientId: 'found' | 'not-found';
  /** Reads show what an order did at once, or only so many real ms later. */
  readonly readLagMs: number;
  /** Close answers with the position id of the path, or with another. */
  readonly closeReplyPositionId: 'same' | 'foreign';
  /** Order by id: whole, or the short form of the interface's INR example. */
  readonly orderByIdForm: 'whole' | 'short';
  /** Rows of order history tell their client order id, or hold only what the interface lists. */
  readonly historyClientId: 'there' | 'absent';
  /** trading_fee_perc on assets: there, or left out as in live captures. */
  readonly tradingFeeField: 'there' | 'absent';
  /** 429 on trading paths: the envelope, an empty body, or the double-encoded one. */
  readonly rateLimitBody: 'envelope' | 'empty' | 'double-encoded';
  /** The newest closed minute is served at once, or this many venue ms late. */
  readonly minuteLagMs: number;
  /** Klines: whole, or about one minute in fifty has zeros in open, high, low and volume, and only a close. */
  readonly silentCandle: 'whole' | 'zero-ohlc';
  /** Mark prices on ticker rows: there, or left out now and then. */
  readonly tickerMark: 'there' | 'sometimes-absent';
  /** Idle connections close after 40 s, or never. */
  readonly idleClose: 'after-40s' | 'never';
  /** A stop's id stays on the position row after it was cancelled, until the row changes. */
  readonly staleLegs: 'no' | 'yes';
}

export const DEFAULT_SWITCHES: Switches = {
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
