import { dirname, resolve } from 'node:path';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import { fixed, SCALE, type Amount, type Ratio } from '../core/fixed.js';
import type { Interval } from '../core/interval.js';
import type { Files } from '../core/ports.js';
import type { Assumptions } from '../exchange/assumptions.js';
import type { ClockMode } from '../sandbox/sandbox-clock.js';
import type { EntryStyle } from '../strategy/entry.js';
import type { ApplyPolicy } from '../strategy/entry-settings.js';
import type { ErrorPolicy } from '../strategy/host/error-policy.js';
import type { Protection } from '../strategy/protection.js';
import type { Size } from '../strategy/size/sizing.js';
import { riskSchema, type RiskSettings } from '../risk/risk-config.js';
import { kindOf } from './config-fields.js';
import { paperSchema, type RawPaper } from './config-paper.js';
import { problemAt, schemaProblems } from './config-problems.js';
import {
  backtestSchema,
  configSchema,
  type InrRate,
  type Isolation,
  type Mode,
  type RawConfig,
  type StopPolicy,
} from './config-schema.js';
import { crossProblems } from './config-rules.js';
import { ConfigError } from './failure.js';
import { readInputFile } from './input-file.js';
import type { LogLevel } from './logger.js';
import {
  failOn,
  readYaml,
  type YamlPath,
  type YamlProblem,
  type YamlSource,
} from './yaml-source.js';

export type VenueEndpoint =
  | { readonly kind: 'remote'; readonly baseUrl: string; readonly wsUrl: string }
  /** A backtest's file may leave it out. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'embedded';
      readonly clock: ClockMode;
      readonly seed: number;
      /** Venue ms UTC; absent: now. */
      readonly startMs?: number;
      /** Behaviour seen in the field that is switched on; absent: none. */
      readonly quirks?: 'none' | 'field' | readonly string[];
    };

export interface VenueConfig {
  readonly endpoint: VenueEndpoint;
  /** Absolute. */
  readonly apiSecretFile?: string;
  /** Absolute: the rules of the instruments, where no key asks the venue for them. */
  readonly instrumentsFile?: string;
  readonly tradeCurrency: Currency;
  readonly inrRate?: InrRate;
}

/** How the account of a paper run is simulated. */
export interface PaperConfig {
  /** Its futures wallets at the beginning. */
  readonly futures: Readonly<Record<Currency, Amount>>;
  /** Of the traded value. */
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  /** By which market orders fill worse than the last price. */
  readonly slippageBps: number;
  /** Real ms from an order's acceptance to its meeting the market. */
  readonly latencyMs: number;
  readonly limitFill: 'through' | 'touch';
  readonly assumptions: Partial<Assumptions>;
}

export interface StrategyConfig {
  readonly id: string;
  /** A shipped name, a file, a folder or a package; paths are relative to the config file. */
  readonly use: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly leverage: Ratio;
  readonly size: Size;
  readonly protect: Protection;
  readonly entry: EntryStyle;
  /** When a changed size or stop counts for an open position. Absent: from its next entry on. */
  readonly apply?: ApplyPolicy;
  /** What becomes of its position when it has failed. */
  readonly onError?: ErrorPolicy;
  /** Where its code runs when it trades. Absent: on a thread. */
  readonly isolation?: Isolation;
  /** Real ms that a call of it may take there. Absent: 2,000. */
  readonly hookTimeoutMs?: number;
  /** As YAML reads them: the strategy's own schema judges them. */
  readonly params: Readonly<Record<string, unknown>>;
}

export interface SluiceConfig {
  /** As given on the command line. */
  readonly path: string;
  /** The file as it was read: a replay builds the same engine from it. */
  readonly text: string;
  /** Absolute; what the file names by a relative path lies under it. */
  readonly directory: string;
  readonly mode: Mode;
  readonly account: string;
  readonly venue: VenueConfig;
  readonly paper: PaperConfig;
  /** Absolute; relative in the file means to the working directory. */
  readonly stateDir: string;
  readonly onStop: StopPolicy;
  /** Real ms that a stop waits for its proofs; a flatten is limited by it under SIGTERM alone. */
  readonly stopTimeoutMs: number;
  readonly strategies: readonly StrategyConfig[];
  /** The `risk:` block, judged for the mode. */
  readonly riskSettings: RiskSettings;
  readonly pollMs: number;
  /** Recorded sessions that ended longer ago are deleted. */
  readonly recordKeepDays: number;
  readonly logLevel: LogLevel;
  /** `file:line:column` of a value, for problems that show later. */
  readonly where: (path: YamlPath) => string;
}

/** `backtest` needs less of a file: its strategies alone. */
export type ConfigUse = 'run' | 'backtest';

/** @throws ConfigError with every problem, each as `file:line:column path: what` */
export async function loadConfig(
  path: string,
  files: Files,
  use: ConfigUse = 'run',
): Promise<SluiceConfig> {
  const hint = '; config/demo.yaml and config/sandbox.yaml come with Sluice';
  return configFromYaml(path, await readInputFile(path, files, hint), use);
}

/** @throws ConfigError */
export function configFromYaml(
  path: string,
  bytes: Uint8Array,
  use: ConfigUse = 'run',
): SluiceConfig {
  const source = readYaml(path, bytes);
  refuseOtherThanMap(source, path);
  const schema = use === 'run' ? configSchema : backtestSchema;
  const parsed = schema.safeParse(source.tree);
  const risk = judgeRisk(source, use);
  failOn(path, [
    ...(parsed.success ? [] : schemaProblems(parsed.error.issues, { schema, at: [], source })),
    ...risk.problems,
    ...crossProblems(source, use),
  ]);
  assert(parsed.success && risk.settings !== undefined, 'A file that is rejected has problems');
  const text = new TextDecoder().decode(bytes);
  return { ...configFrom(parsed.data, path, source), text, riskSettings: risk.settings };
}

/** One message, instead of all the keys that are missing. */
function refuseOtherThanMap({ tree }: YamlSource, path: string): void {
  if (typeof tree === 'object' && tree !== null && !Array.isArray(tree)) return;
  const what = tree === null ? 'the file is empty' : `expected a map, not ${kindOf(tree)}`;
  throw new ConfigError([
    `${path}:1:1 ${what}: a configuration begins like config/sandbox.yaml, with mode: sandbox`,
  ]);
}

interface JudgedRisk {
  readonly settings?: RiskSettings;
  readonly problems: readonly YamlProblem[];
}

function judgeRisk(source: YamlSource, use: ConfigUse): JudgedRisk {
  const at = ['risk'];
  const given = source.native(at);
  if (given === undefined && use === 'run') {
    const what = 'is missing; begin with risk: { preset: standard, symbols_allow: [BTCUSDT] }';
    return { problems: [problemAt(source, at, what)] };
  }
  const schema = riskSchema(use === 'backtest' ? 'backtest' : modeOf(source));
  const parsed = schema.safeParse(given ?? { preset: 'research' });
  if (parsed.success) return { settings: parsed.data, problems: [] };
  return { problems: schemaProblems(parsed.error.issues, { schema, at, source }) };
}

/** One that cannot be read is the schema's problem; the rules of `live` would only add puzzles. */
function modeOf(source: YamlSource): Mode {
  const mode = source.native(['mode']);
  return mode === 'live' || mode === 'paper' ? mode : 'sandbox';
}

function configFrom(
  raw: RawConfig,
  path: string,
  source: YamlSource,
): Omit<SluiceConfig, 'text' | 'riskSettings'> {
  const directory = dirname(resolve(path));
  return {
    path,
    directory,
    mode: raw.mode,
    account: raw.account,
    venue: venueFrom(raw.venue, directory),
    paper: paperFrom(raw.paper ?? paperSchema.parse({})),
    stateDir: resolve(raw.state_dir ?? `.sluice/${raw.account}`),
    onStop: raw.on_stop,
    stopTimeoutMs: raw.stop_timeout,
    strategies: raw.strategies.map((strategy, index) => strategyFrom(strategy, index, source)),
    pollMs: raw.poll_ms,
    recordKeepDays: raw.record.keep_days,
    logLevel: raw.log_level,
    where: source.where,
  };
}

function venueFrom(raw: RawConfig['venue'], directory: string): VenueConfig {
  return {
    endpoint: endpointFrom(raw),
    ...(raw.api_secret_file === undefined
      ? {}
      : { apiSecretFile: resolve(directory, raw.api_secret_file) }),
    ...(raw.instruments_file === undefined
      ? {}
      : { instrumentsFile: resolve(directory, raw.instruments_file) }),
    tradeCurrency: raw.trade_currency,
    ...(raw.inr_rate === undefined
      ? {}
      : { inrRate: { value: raw.inr_rate.value, haircutPct: raw.inr_rate.haircut_pct } }),
  };
}

const paperFrom = (raw: RawPaper): PaperConfig => ({
  futures: raw.futures,
  takerFeeRate: raw.taker_fee,
  makerFeeRate: raw.maker_fee,
  slippageBps: raw.slippage_bps,
  latencyMs: raw.latency_ms,
  limitFill: raw.limit_fill,
  assumptions: raw.assume,
});

function endpointFrom(raw: RawConfig['venue']): VenueEndpoint {
  if (raw.embedded !== undefined) {
    const { clock, seed, start, quirks } = raw.embedded;
    return {
      kind: 'embedded',
      clock,
      seed,
      ...(start === undefined ? {} : { startMs: start }),
      ...(quirks === undefined ? {} : { quirks }),
    };
  }
  const { base_url: baseUrl, ws_url: wsUrl } = raw;
  return baseUrl === undefined || wsUrl === undefined
    ? { kind: 'none' }
    : { kind: 'remote', baseUrl, wsUrl };
}

function strategyFrom(
  raw: RawConfig['strategies'][number],
  index: number,
  source: YamlSource,
): StrategyConfig {
  return {
    id: raw.id,
    use: raw.use,
    symbols: raw.symbols,
    interval: raw.interval,
    leverage: raw.leverage ?? fixed<'ratio'>(SCALE),
    size: raw.size,
    protect: raw.protect,
    entry: raw.entry,
    apply: raw.apply,
    onError: raw.on_error,
    isolation: raw.isolation,
    hookTimeoutMs: raw.hook_timeout,
    params: raw.params === undefined ? {} : paramsOf(source, index),
  };
}

const paramsOf = (source: YamlSource, index: number): Readonly<Record<string, unknown>> =>
  source.native(['strategies', index, 'params']) as Readonly<Record<string, unknown>>;
