import { z } from 'zod';
import { LOG_LEVELS } from '../core/ports.js';
import { CURRENCIES } from '../core/currency.js';
import { INTERVALS } from '../core/interval.js';
import type { Ratio } from '../core/fixed/fixed.js';
import { symbolFromText } from '../core/symbol.js';
import { DEFAULT_DELISTING_POLICY, type DelistingPolicy } from '../risk/delisting-policy.js';
import { parseClockMode, SandboxOptionError, type ClockMode } from '../sandbox/sandbox-clock.js';
import { entrySchema } from '../strategy/contract/entry-style.js';
import { APPLY_POLICIES } from '../strategy/contract/entry-settings.js';
import { ERROR_POLICIES } from '../strategy/host/error-policy.js';
import { protectionSchema } from '../strategy/contract/protection.js';
import { sizeSchema } from '../strategy/target/size/size-schema.js';
import {
  block,
  choice,
  integer,
  list,
  positiveFixed,
  scalar,
  positiveNumberUpTo,
  matchingText,
} from './config-fields.js';
import { notifySchema } from './config-notify.js';
import { paperSchema, quirksSchema } from './config-paper.js';
import { durationFromText, INSTANT_FORM, instantFromText } from '../core/time-text.js';

/** The keys of the configuration file. `config.ts` gives their meaning. */

const NAME = 'a name of letters, digits, "-" and "_", at most 32 long';
const name = matchingText(NAME, /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/);
const symbol = scalar('a trading symbol such as BTCUSDT', symbolFromText);
const path = matchingText('a path', /./);

const MAX_SEED = 2 ** 32 - 1;
const clock = scalar('real, manual or fast:N such as fast:60', (text): ClockMode | undefined => {
  try {
    return parseClockMode(text);
  } catch (error) {
    if (error instanceof SandboxOptionError) return undefined;
    throw error;
  }
});
const embedded = block({
  clock: clock.default({ kind: 'real' }),
  seed: integer(0, MAX_SEED).default(1),
  start: scalar(INSTANT_FORM, instantFromText).exactOptional(),
  quirks: quirksSchema.exactOptional(),
});

/** An INR wallet counts that much less for sizes: the venue's rate moves during a run. */
export const DEFAULT_HAIRCUT_PCT = 2;

const venue = block({
  base_url: matchingText('a URL such as https://api.example.com', /./).exactOptional(),
  ws_url: matchingText('a URL such as wss://api.example.com', /./).exactOptional(),
  embedded: embedded.exactOptional(),
  api_secret_file: path.exactOptional(),
  instruments_file: path.exactOptional(),
  trade_currency: choice(CURRENCIES).default('USDT'),
  inr_rate: block({
    value: positiveFixed<'ratio'>(),
    haircut_pct: positiveNumberUpTo('a percentage', 50).default(DEFAULT_HAIRCUT_PCT),
    as_of: scalar(INSTANT_FORM, instantFromText).exactOptional(),
  }).exactOptional(),
});

/** Live candles are 1m; longer intervals are aggregated from them. */
const CANDLE_INTERVALS = INTERVALS.filter((interval) => interval !== '1s');

/** `thread`: the code runs on its own thread, which can be terminated when it does not return. */
const ISOLATIONS = ['thread', 'none'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

const HOOK_TIMEOUT_FORM = 'a duration from 50ms to 60s, such as 2s';
function hookTimeout(text: string): number | undefined {
  const ms = durationFromText(text);
  return ms !== undefined && ms >= 50 && ms <= 60_000 ? ms : undefined;
}

const STOP_TIMEOUT_FORM = 'a duration from 1s to 10m, such as 30s';
function stopTimeout(text: string): number | undefined {
  const ms = durationFromText(text);
  return ms !== undefined && ms >= 1_000 && ms <= 600_000 ? ms : undefined;
}

const DELISTING_FORM =
  'hold, or close_after and a duration of at most 90d, such as close_after 24h';
const MAX_DELISTING_MS = 90 * 86_400_000;
function delistingPolicy(text: string): DelistingPolicy | undefined {
  if (text === 'hold') return { kind: 'hold' };
  const ms = durationFromText(/^close_after +(\S+)$/.exec(text)?.[1] ?? '');
  return ms === undefined || ms > MAX_DELISTING_MS ? undefined : { kind: 'close-after', ms };
}

const strategy = block({
  id: name,
  use: path,
  symbols: list(symbol, 'symbols'),
  interval: choice(CANDLE_INTERVALS).default('1m'),
  leverage: positiveFixed<'ratio'>().exactOptional(),
  size: sizeSchema,
  protect: protectionSchema.default({}),
  entry: entrySchema.default({ kind: 'market' }),
  apply: choice(APPLY_POLICIES).default('next_entry'),
  /** Absent: by the mode (`config.ts`). */
  on_error: choice(ERROR_POLICIES).exactOptional(),
  isolation: choice(ISOLATIONS).default('thread'),
  hook_timeout: scalar(HOOK_TIMEOUT_FORM, hookTimeout).default(2_000),
  params: z
    .record(z.string(), z.unknown(), { error: 'expected a map of parameters' })
    .exactOptional(),
});

/** The operator's consent to trade real money, in the words that the interlock names. */
const live = block({ acknowledgement: matchingText('a sentence', /./) });

/** How long recorded sessions are stored. */
const record = block({ keep_days: integer(1, 3_650).default(14) });

export const RUN_MODES = ['sandbox', 'paper', 'observe', 'live'] as const;
/** The page of metrics for Prometheus. */
const METRICS_PORT = 9_464;
const metrics = block({
  port: integer(1, 65_535).default(METRICS_PORT),
  host: matchingText('an address such as 127.0.0.1', /^[\w.:-]+$/).default('127.0.0.1'),
  allow_remote: z.boolean({ error: 'expected true or false' }).default(false),
});

const CANARY_FORM = 'a duration from 10s to 7d, such as 6h, or off';
const MAX_CANARY_MS = 7 * 86_400_000;
/** Reads of the venue's rules and shapes on a schedule. */
const canary = block({
  every: scalar(CANARY_FORM, (text): number | 'off' | undefined => {
    if (text === 'off') return 'off';
    const ms = durationFromText(text);
    return ms !== undefined && ms >= 10_000 && ms <= MAX_CANARY_MS ? ms : undefined;
  }),
});

const STOP_POLICIES = ['keep', 'cancel-entries', 'flatten'] as const;

const shape = {
  mode: choice(RUN_MODES),
  account: name,
  venue,
  state_dir: path.exactOptional(),
  on_stop: choice(STOP_POLICIES).default('cancel-entries'),
  on_delisting: scalar(DELISTING_FORM, delistingPolicy).default(DEFAULT_DELISTING_POLICY),
  stop_timeout: scalar(STOP_TIMEOUT_FORM, stopTimeout).default(30_000),
  strategies: list(strategy, 'strategies'),
  paper: paperSchema.exactOptional(),
  notify: notifySchema.exactOptional(),
  live: live.exactOptional(),
  /** Validated by the risk module's schema for the mode. */
  risk: z.unknown().optional(),
  poll_ms: integer(200, 60_000).default(2_000),
  record: record.default({ keep_days: 14 }),
  metrics: metrics.exactOptional(),
  canary: canary.exactOptional(),
  expected_run: path.exactOptional(),
  log_level: choice(LOG_LEVELS).default('info'),
};

export const configSchema = block(shape);

/** A backtest has its own venue, so only the strategies are required. */
export const backtestSchema = block({
  ...shape,
  mode: choice(RUN_MODES).default('sandbox'),
  account: name.default('backtest'),
  venue: venue.default({ trade_currency: 'USDT' }),
});

export type RawConfig = z.output<typeof configSchema>;

export type RunMode = (typeof RUN_MODES)[number];
export type StopPolicy = (typeof STOP_POLICIES)[number];

export interface InrRate {
  /** INR per USDT */
  readonly value: Ratio;
  readonly haircutPct: number;
  /** ms UTC: the time of the rate. Absent: each rate that the venue prints replaces it. */
  readonly asOf?: number;
}
