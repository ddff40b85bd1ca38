/** Where a fault can strike: an HTTP request, a push or handshake of the streams, a venue time. */
export type FaultPlace = 'request' | 'feed' | 'clock';

interface FaultEntry {
  readonly places: readonly FaultPlace[];
  /** What stands in the brackets; without it there are none. */
  readonly argument?: {
    readonly name: string;
    readonly form: RegExp;
    readonly isRequired: boolean;
  };
  /** `delay_ms` must be above 0. */
  readonly needsDelay?: boolean;
}

const REQUEST: FaultEntry = { places: ['request'] };
const LATE: FaultEntry = { places: ['request'], needsDelay: true };
const FEED: FaultEntry = { places: ['feed'] };
const ACT: FaultEntry = { places: ['request', 'clock'] };
const TIMES = { name: 'n', form: /^[1-9]\d{0,8}$/, isRequired: false };
const REPEATED: FaultEntry = { places: ['request'], argument: TIMES };

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
  redirect: {
    places: ['request'],
    argument: { name: 'status url', form: /^30[12378](?: https?:\/\/\S+)?$/, isRequired: false },
  },
  gzip_bomb: REQUEST,
  // What the venue answers.
  '500_before': REQUEST,
  '500_after': REQUEST,
  '423': REPEATED,
  '429': REPEATED,
  reject: {
    places: ['request'],
    argument: { name: 'text', form: /^.+$/, isRequired: true },
  },
  id_burn: {
    places: ['request'],
    argument: { name: 'text', form: /^.+$/, isRequired: false },
  },
  async_refuse: REQUEST,
  nonatomic_id: REQUEST,
  null_blip: REQUEST,
  read_lag: LATE,
  stale_list: LATE,
  sticky_partial: REQUEST,
  wrong_amount: REQUEST,
  hide_syscancel: REQUEST,
  // What happens at the venue meanwhile.
  liq: ACT,
  sl_race: ACT,
  delist: ACT,
  lev_unset: ACT,
  manual_op: {
    places: ['request', 'clock'],
    argument: {
      name: 'what',
      form: /^(?:place|cancel|close|unprotect|edit|set leverage \d+(?:\.\d+)?|withdraw \d+(?:\.\d+)?)$/,
      isRequired: true,
    },
  },
  funding: {
    places: ['request', 'clock'],
    argument: { name: 'rate', form: /^-?0?\.00[0-5]\d{0,5}$/, isRequired: true },
  },
  // The feed.
  ws_drop: FEED,
  ws_silent: FEED,
  ws_dup: FEED,
  ws_ooo: FEED,
  ws_gap: FEED,
  ws_garbage: FEED,
  ws_429: { places: ['feed'], argument: TIMES },
  zero_ohlc: { places: ['request', 'feed'] },
  price_spike: {
    places: ['request', 'feed'],
    argument: { name: 'factor', form: /^\d{1,4}(?:\.\d{1,8})?$/, isRequired: false },
  },
} as const satisfies Readonly<Record<string, FaultEntry>>;

export type FaultName = keyof typeof FAULTS;
/** Whole numbers come first among the keys of an object: a list reads better with words first. */
export const FAULT_NAMES = (Object.keys(FAULTS) as readonly FaultName[]).toSorted(
  (a, b) => Number(/^\d+$/.test(a)) - Number(/^\d+$/.test(b)),
);

export const faultEntry = (name: FaultName): FaultEntry => FAULTS[name];

/** As it is written: `reject(text)`, `423(n)`. */
export function faultForm(name: FaultName): string {
  const { argument } = faultEntry(name);
  return argument === undefined ? name : `${name}(${argument.name})`;
}

/** Faults of the bot's own process and disk: no venue can do them. */
export const FAULTS_ELSEWHERE: readonly string[] = [
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
