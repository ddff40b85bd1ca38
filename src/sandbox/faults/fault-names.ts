/** Target of a fault: an HTTP request, a push or handshake of the streams, or a venue time. */
export type FaultScope = 'request' | 'feed' | 'clock';

interface FaultEntry {
  readonly scopes: readonly FaultScope[];
  /** Meaning of the argument in brackets; unset: the fault takes none. */
  readonly argument?: {
    readonly name: string;
    readonly pattern: RegExp;
    readonly isRequired: boolean;
  };
  /** `delay_ms` must be above 0. */
  readonly needsDelay?: boolean;
}

const REQUEST: FaultEntry = { scopes: ['request'] };
const LATE: FaultEntry = { scopes: ['request'], needsDelay: true };
const FEED: FaultEntry = { scopes: ['feed'] };
const ADMIN_ACTION: FaultEntry = { scopes: ['request', 'clock'] };
const TIMES = { name: 'n', pattern: /^[1-9]\d{0,8}$/, isRequired: false };
const REPEATED: FaultEntry = { scopes: ['request'], argument: TIMES };

/** The faults of a venue, its network and its feed, by name. */
export const FAULTS = {
  // The network.
  req_lost: REQUEST,
  resp_lost: REQUEST,
  req_delay: LATE,
  resp_delay: LATE,
  dup_deliver: REQUEST,
  reset_mid_body: REQUEST,
  half_open: REQUEST,
  html_5xx: REQUEST,
  html_404: REQUEST,
  html_503: REQUEST,
  redirect: {
    scopes: ['request'],
    argument: { name: 'status url', pattern: /^30[12378](?: https?:\/\/\S+)?$/, isRequired: false },
  },
  gzip_bomb: REQUEST,
  // Answers of the venue.
  '500_before': REQUEST,
  '500_after': REQUEST,
  '423': REPEATED,
  '429': REPEATED,
  reject: {
    scopes: ['request'],
    argument: { name: 'text', pattern: /^.+$/, isRequired: true },
  },
  id_burn: {
    scopes: ['request'],
    argument: { name: 'text', pattern: /^.+$/, isRequired: false },
  },
  async_refuse: REQUEST,
  nonatomic_id: REQUEST,
  null_blip: REQUEST,
  read_lag: LATE,
  stale_list: LATE,
  sticky_partial: REQUEST,
  wrong_amount: REQUEST,
  hide_syscancel: REQUEST,
  // Events at the venue.
  liq: ADMIN_ACTION,
  sl_race: ADMIN_ACTION,
  delist: ADMIN_ACTION,
  lev_unset: ADMIN_ACTION,
  manual_op: {
    scopes: ['request', 'clock'],
    argument: {
      name: 'what',
      pattern:
        /^(?:place|cancel|close|unprotect|edit|set leverage \d+(?:\.\d+)?|withdraw \d+(?:\.\d+)?)$/,
      isRequired: true,
    },
  },
  funding: {
    scopes: ['request', 'clock'],
    argument: { name: 'rate', pattern: /^-?0?\.00[0-5]\d{0,5}$/, isRequired: true },
  },
  // The feed.
  ws_drop: FEED,
  ws_silent: FEED,
  ws_dup: FEED,
  ws_ooo: FEED,
  ws_gap: FEED,
  ws_garbage: FEED,
  ws_429: { scopes: ['feed'], argument: TIMES },
  zero_ohlc: { scopes: ['request', 'feed'] },
  price_spike: {
    scopes: ['request', 'feed'],
    argument: { name: 'factor', pattern: /^\d{1,4}(?:\.\d{1,8})?$/, isRequired: false },
  },
} as const satisfies Readonly<Record<string, FaultEntry>>;

export type FaultName = keyof typeof FAULTS;
/** Names with words come first, since object keys put whole numbers first. */
export const FAULT_NAMES = (Object.keys(FAULTS) as readonly FaultName[]).toSorted(
  (a, b) => Number(/^\d+$/.test(a)) - Number(/^\d+$/.test(b)),
);

export const faultEntry = (name: FaultName): FaultEntry => FAULTS[name];

/** As written in a fault list: `reject(text)`, `423(n)`. */
export function faultSyntax(name: FaultName): string {
  const { argument } = faultEntry(name);
  return argument === undefined ? name : `${name}(${argument.name})`;
}

/** Faults of the bot's own process and disk, which a venue cannot cause. */
export const PROCESS_FAULTS: readonly string[] = [
  'crash',
  'sigstop',
  'clock_step',
  'loop_block',
  'disk_full',
  'fsync_eio',
  'torn',
  'bit_flip',
  'second_daemon',
  'rollback',
];
