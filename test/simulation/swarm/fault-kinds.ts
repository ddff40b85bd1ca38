import type { FaultSpec } from '../../support/rigs/bot-world.js';
import type { Draws } from './draws.js';

/**
 * A kind of fault that a seed can have. `rules` are struck by the sandbox; the others the simulation
 * itself brings about (`process.ts`, `disk.ts`, `hands.ts`).
 */
export interface FaultKind {
  readonly name: string;
  readonly layer: 'network' | 'venue' | 'process' | 'disk' | 'feed' | 'hand';
  readonly rules?: (draws: Draws) => readonly FaultSpec[];
  /** Drawn by its share alone: it came later, and the seeds of the corpus keep their other kinds. */
  readonly isLater?: true;
}

const PLACE = 'POST /fapi/v2/futures/order';
const CANCEL = 'DELETE /futures/orders/*';
const CANCEL_BY_CLIENT_ID = 'DELETE /futures/orders';
const DETAIL = 'GET /futures/orders/detail';
const LIST = 'GET /futures/orders';
const HISTORY = 'GET /futures/orders/history';
const POSITIONS = 'GET /futures/positions';
const CLOSES = 'GET /futures/positions/history';
const FUNDS = 'GET /futures/funds';
const KLINES = 'GET /price/kline';
const CHANGES = [PLACE, CANCEL, CANCEL_BY_CLIENT_ID];
/** Requests without an order id of their own. */
const OPERATIONS = [
  'POST /wallet/futures/transfer',
  'POST /futures/positions/*/riskorder',
  'POST /futures/positions/*/add-margin',
  'PATCH /futures/orders/*',
];
const READS = [DETAIL, LIST, HISTORY, POSITIONS, FUNDS];

/** How often it strikes. Where reads fail often nothing is placed any more, which proves little. */
const drawProbability = (draws: Draws, place: string): number =>
  draws.pick(
    place.startsWith('GET') && place !== DETAIL ? [0.01, 0.02, 0.05, 0.15] : [0.02, 0.08, 0.2, 0.5],
    'probability',
  );

/** The fault on each of these requests, or on one or two of them. */
function on(
  places: readonly string[],
  fault: string | ((draws: Draws) => string),
  delay?: readonly [number, number],
): (draws: Draws) => readonly FaultSpec[] {
  return (draws) => {
    const chosen = places.filter((place) => places.length === 1 || draws.chance(0.6, place));
    const targets = chosen.length > 0 ? chosen : [draws.pick(places, 'place')];
    return targets.map((place) => ({
      on: place,
      fault: typeof fault === 'string' ? fault : fault(draws.of(place)),
      probability: drawProbability(draws.of(place), place),
      ...(delay !== undefined && { delay_ms: draws.between(...delay, `${place} delay`) }),
    }));
  };
}

const counted = (name: string) => (draws: Draws) => `${name}(${draws.between(1, 12, 'count')})`;

const feed =
  (fault: string, probability: number, delay?: readonly [number, number]) =>
  (draws: Draws): readonly FaultSpec[] => [
    {
      on: draws.pick(['WS', 'WS kline@1m', 'WS ticker@1s'], 'stream'),
      fault,
      probability: probability * draws.pick([0.3, 1, 3], 'probability'),
      ...(delay !== undefined && { delay_ms: draws.between(...delay, 'delay') }),
    },
  ];

/** What somebody else does at the venue, at some venue times of the run. */
const externalFault =
  (fault: string, most: number, symbols: readonly string[] | undefined = undefined) =>
  (draws: Draws): readonly FaultSpec[] => {
    const times = draws.between(1, most, 'times');
    return Array.from({ length: times }, (_, index) => ({
      on: 'CLOCK',
      fault: fault.replace('@', `@+${draws.between(30, 900, 'at', index)}s`),
      ...(symbols !== undefined && { symbol: draws.pick(symbols, 'symbol', index) }),
    }));
  };

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];

export const FAULT_KINDS: readonly FaultKind[] = [
  { name: 'req_lost', layer: 'network', rules: on([...CHANGES, ...READS], 'req_lost') },
  { name: 'resp_lost', layer: 'network', rules: on([...CHANGES, ...READS], 'resp_lost') },
  {
    name: 'req_delay',
    layer: 'network',
    rules: on([...CHANGES, DETAIL], 'req_delay', [50, 4_000]),
  },
  { name: 'late_landing', layer: 'network', rules: on([PLACE], 'req_delay', [9_000, 45_000]) },
  {
    name: 'resp_delay',
    layer: 'network',
    rules: on([...CHANGES, ...READS], 'resp_delay', [50, 9_000]),
  },
  { name: 'dup_deliver', layer: 'network', rules: on(CHANGES, 'dup_deliver') },
  {
    name: 'reset_mid_body',
    layer: 'network',
    rules: on([...CHANGES, ...READS, KLINES], 'reset_mid_body'),
  },
  {
    name: 'half_open',
    layer: 'network',
    rules: on([...CHANGES, DETAIL, POSITIONS], 'half_open', [12_000, 60_000]),
  },
  { name: 'html_5xx', layer: 'network', rules: on([...CHANGES, ...READS], 'html_5xx') },
  { name: 'html_404', layer: 'network', rules: on([PLACE, DETAIL, POSITIONS], 'html_404') },
  {
    name: 'redirect',
    layer: 'network',
    rules: on(
      [PLACE, DETAIL, LIST],
      (draws) => `redirect(${draws.pick([301, 302, 307, 308], 'status')})`,
    ),
  },
  { name: 'operation_unanswered', layer: 'network', rules: on(OPERATIONS, 'resp_lost') },
  { name: 'operation_lost', layer: 'network', rules: on(OPERATIONS, 'req_lost') },
  { name: 'operation_500', layer: 'venue', rules: on(OPERATIONS, '500_after') },
  { name: 'refused', layer: 'network' },
  { name: 'broken', layer: 'network' },
  { name: '500_before', layer: 'venue', rules: on([...CHANGES, ...READS, CLOSES], '500_before') },
  { name: '500_after', layer: 'venue', rules: on(CHANGES, '500_after') },
  { name: '423', layer: 'venue', rules: on(CHANGES, counted('423')) },
  { name: '429', layer: 'venue', rules: on([...CHANGES, ...READS], counted('429')) },
  {
    name: 'reject',
    layer: 'venue',
    rules: on(
      [PLACE],
      (draws) => `reject(${draws.pick(['insufficient balance', 'Params error'], 'text')})`,
    ),
  },
  { name: 'id_burn', layer: 'venue', rules: on([PLACE], 'id_burn') },
  { name: 'async_refuse', layer: 'venue', rules: on([PLACE], 'async_refuse') },
  { name: 'read_lag', layer: 'venue', rules: on([...READS, CLOSES], 'read_lag', [100, 9_000]) },
  { name: 'null_blip', layer: 'venue', rules: on([POSITIONS, LIST, HISTORY, CLOSES], 'null_blip') },
  { name: 'stale_list', layer: 'venue', rules: on([LIST, POSITIONS], 'stale_list', [500, 20_000]) },
  { name: 'sticky_partial', layer: 'venue', rules: on([DETAIL, HISTORY], 'sticky_partial') },
  { name: 'wrong_amount', layer: 'venue', rules: on([DETAIL, HISTORY], 'wrong_amount') },
  { name: 'hide_syscancel', layer: 'venue', rules: on([HISTORY, LIST], 'hide_syscancel') },
  { name: 'liq', layer: 'venue', rules: externalFault('liq@', 2, SYMBOLS) },
  { name: 'sl_race', layer: 'venue', rules: externalFault('sl_race@', 4, SYMBOLS) },
  { name: 'funding', layer: 'venue', rules: externalFault('funding@(0.0004)', 1) },
  { name: 'partial_fill', layer: 'venue' },
  { name: 'lev_unset', layer: 'hand', rules: externalFault('lev_unset@', 1, SYMBOLS) },
  {
    name: 'leverage_by_hand',
    layer: 'hand',
    rules: externalFault('manual_op@(set leverage 3)', 1, SYMBOLS),
  },
  { name: 'close_by_hand', layer: 'hand', rules: externalFault('manual_op@(close)', 2, SYMBOLS) },
  {
    name: 'place_by_hand',
    layer: 'hand',
    rules: externalFault('manual_op@(place)', 2, [...SYMBOLS, 'DOGEUSDT']),
  },
  { name: 'cancel_by_hand', layer: 'hand', rules: externalFault('manual_op@(cancel)', 3, SYMBOLS) },
  {
    name: 'unprotect_by_hand',
    layer: 'hand',
    rules: externalFault('manual_op@(unprotect)', 2, SYMBOLS),
  },
  { name: 'edit_by_hand', layer: 'hand', rules: externalFault('manual_op@(edit)', 2, SYMBOLS) },
  { name: 'withdraw_by_hand', layer: 'hand', rules: externalFault('manual_op@(withdraw 500)', 1) },
  { name: 'amend_by_hand', layer: 'hand' },
  { name: 'twin', layer: 'hand' },
  { name: 'crash', layer: 'process' },
  { name: 'sigstop', layer: 'process' },
  { name: 'loop_block', layer: 'process' },
  { name: 'clock_step', layer: 'process' },
  { name: 'second_daemon', layer: 'process' },
  { name: 'torn', layer: 'disk' },
  { name: 'bit_flip', layer: 'disk' },
  { name: 'disk_full', layer: 'disk' },
  { name: 'fsync_eio', layer: 'disk' },
  { name: 'ws_drop', layer: 'feed', rules: feed('ws_drop', 0.01) },
  { name: 'ws_silent', layer: 'feed', rules: feed('ws_silent', 0.005, [2_000, 40_000]) },
  { name: 'ws_dup', layer: 'feed', rules: feed('ws_dup', 0.2) },
  { name: 'ws_ooo', layer: 'feed', rules: feed('ws_ooo', 0.1) },
  { name: 'ws_gap', layer: 'feed', rules: feed('ws_gap', 0.02, [1_000, 20_000]) },
  { name: 'ws_garbage', layer: 'feed', rules: feed('ws_garbage', 0.01) },
  {
    name: 'ws_429',
    layer: 'feed',
    rules: (draws) => [{ on: 'WS', fault: `ws_429(${draws.between(1, 6, 'count')})` }],
  },
  {
    name: 'zero_ohlc',
    layer: 'feed',
    rules: (draws) => [
      { on: draws.pick(['WS kline@1m', KLINES], 'place'), fault: 'zero_ohlc', probability: 0.1 },
    ],
  },
  { name: 'twin_market', layer: 'hand', isLater: true },
  { name: 'strange_answer', layer: 'network', isLater: true },
  { name: 'key_refused', layer: 'venue', isLater: true },
  // The order path answers nothing for longer than any validity; the rest of the venue does.
  { name: 'outage', layer: 'network', isLater: true },
];

export const kindOf = (name: string): FaultKind => {
  const kind = FAULT_KINDS.find((candidate) => candidate.name === name);
  if (kind === undefined) throw new RangeError(`there is no kind of fault ${name}`);
  return kind;
};
