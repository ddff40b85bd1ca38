import type { Assumptions } from '../../exchange/assumptions.js';
import type { BehaviorFlags } from './behavior-flags.js';

/**
 * Behaviour that was observed, or that a client expects, and that the document contradicts or omits.
 * Off by default. `field` names every quirk with a capture.
 */
export interface Quirk {
  readonly name: string;
  readonly does: string;
  /** Numbers of the reliability notes' list (Q1 …) and parts of the supplement. */
  readonly source: string;
  /** Member of the `field` set. */
  readonly inField: boolean;
  readonly switches?: Partial<BehaviorFlags>;
  readonly assumptions?: Partial<Assumptions>;
  /** Entries of a fault list, as `PUT /sandbox/faults` takes them; they come before any other. */
  readonly faults?: readonly Readonly<Record<string, unknown>>[];
}

export const QUIRKS: readonly Quirk[] = [
  {
    name: 'sticky-partial',
    does: 'an order whose rest was cancelled after a partial fill stays PARTIAL_FILLED',
    source: 'Q1; interface, known issue',
    inField: true,
    assumptions: { partialCancelStatus: 'partially-filled' },
  },
  {
    name: 'id-burn',
    does: 'some refusals use up the client order id although no order has it: 409 again, 404 for ever',
    source: 'Q26; interface, client_order_id rule 4',
    inField: true,
    assumptions: { idBurn: 'on-hard-reject' },
  },
  {
    name: 'rebates',
    does: 'every trading fee row is followed by a REBATE row of 40 %',
    source: 'supplement 12, live',
    inField: true,
    assumptions: { rebates: 'forty-percent' },
  },
  {
    name: 'detail-by-client-id-404',
    does: 'order detail by client_order_id answers 404, also for orders that exist',
    source: 'supplement 9, live',
    inField: true,
    switches: { detailByClientId: 'not-found' },
  },
  {
    name: 'read-lag',
    does: 'reads show orders, positions and histories as they were 400 ms ago',
    source: 'Q29',
    inField: true,
    switches: { readLagMs: 400 },
  },
  {
    name: 'async-refusal',
    does: 'one order in twenty is answered with 202 and then CANCELLED before any fill',
    source: 'Q28; the interface permits it; no capture',
    inField: false,
    faults: [{ on: 'POST /fapi/v2/futures/order', fault: 'async_refuse', probability: 0.05 }],
  },
  {
    name: 'foreign-close-position',
    does: 'close answers with a position_id that is not the one of the path',
    source: 'Q39, live',
    inField: true,
    switches: { closeReplyPositionId: 'foreign' },
  },
  {
    name: 'short-order-by-id',
    does: 'order by id omits ids, symbol, reason and times, as the INR example does',
    source: 'Q7; interface, Order',
    inField: true,
    switches: { orderByIdForm: 'short' },
  },
  {
    name: 'history-without-client-id',
    does: 'rows of order history have no client_order_id and no position, only the fields that the interface lists',
    source: 'interface, Order history item; live rows have both (supplement 9)',
    inField: false,
    switches: { historyClientId: 'absent' },
  },
  {
    name: 'stale-stop',
    does: 'a position row still shows a cancelled stop or target, until the row changes',
    source: 'Q47',
    inField: true,
    switches: { staleLegs: 'yes' },
  },
  {
    name: 'no-trading-fee',
    does: 'assets have no trading_fee_perc',
    source: 'supplement 4, live',
    inField: true,
    switches: { tradingFeeField: 'absent' },
  },
  {
    name: 'rate-limit-double-encoded',
    does: 'a 429 on trading paths holds its errors as JSON text inside `message`',
    source: 'Q41; supplement 3, client tests',
    inField: true,
    switches: { rateLimitBody: 'double-encoded' },
  },
  {
    name: 'rate-limit-empty',
    does: 'a 429 on trading paths has no body',
    source: 'Q41; supplement 3, client tests',
    inField: false,
    switches: { rateLimitBody: 'empty' },
  },
  {
    name: 'unknown-symbol-empty',
    does: 'klines of an unknown or malformed symbol alone: 200 with `data: {}`',
    source: 'supplement 2, live',
    inField: true,
    switches: { unknownKlineSymbol: 'empty-data' },
  },
  {
    name: 'interval-in-text',
    does: 'the text for an unknown aggregation begins with its value: `5x aggregation not supported`',
    source: 'supplement 2, live',
    inField: true,
    switches: { aggregationText: 'prefixed' },
  },
  {
    name: 'minute-lag',
    does: 'klines show the newest closed minute 5 venue seconds late',
    source: 'supplement 2, live',
    inField: true,
    switches: { minuteLagMs: 5_000 },
  },
  {
    name: 'zero-ohlc',
    does: 'about one kline minute in fifty has only a close and zeros elsewhere',
    source: 'Q42, a sibling host',
    inField: true,
    switches: { silentCandle: 'zero-ohlc' },
  },
  {
    name: 'mark-omitted',
    does: 'about one ticker row in ten comes without its mark price',
    source: 'Q44; supplement 1.6',
    inField: true,
    switches: { tickerMark: 'sometimes-absent' },
  },
  {
    name: 'json-pong',
    does: 'a JSON PING is answered with a PONG',
    source: 'supplement 1.5: a client library expects it; captures show otherwise',
    inField: false,
    switches: { jsonPing: 'pong' },
  },
  {
    name: 'no-idle-close',
    does: 'idle connections stay open',
    source: 'Q45; supplement 1.5 explains the report; 40 s was measured later',
    inField: false,
    switches: { idleClose: 'never' },
  },
];

export const FIELD_QUIRKS: readonly string[] = QUIRKS.filter((quirk) => quirk.inField).map(
  (quirk) => quirk.name,
);
