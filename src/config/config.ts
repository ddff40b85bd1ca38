import type { PaperTerms } from '../venue/paper/paper-input.js';
import { dirname, resolve } from 'node:path';
import { assert } from '../core/assert.js';
import type { Files, LogLevel } from '../core/ports.js';
import type { Assumptions } from '../exchange/assumptions.js';
import type { DelistingPolicy } from '../risk/delisting-policy.js';
import { riskSchema, type RiskSettings } from '../risk/limits/risk-config.js';
import { kindOf } from './config-fields.js';
import { notifyFrom, type NotifyConfig } from './config-notify.js';
import { strategyFrom, type StrategyConfig } from './config-strategy.js';
import { venueFrom, type VenueConfig } from './config-venue.js';
import { paperSchema, type RawPaper } from './config-paper.js';
import { problemAt, schemaProblems } from './config-problems.js';
import {
  backtestSchema,
  configSchema,
  type RunMode,
  type RawConfig,
  type StopPolicy,
} from './config-schema.js';
import { crossFieldProblems } from './config-rules.js';
import { budgetProblems, withBudgets } from './config-budgets.js';
import { limitContradictions, riskKeysOf } from './config-limits.js';
import { ConfigError } from '../core/command-errors.js';
import { readInputFile } from './input-file.js';
import {
  throwProblems,
  readYaml,
  type YamlPath,
  type YamlProblem,
  type YamlSource,
} from './yaml-source.js';

/** The simulated account of a paper run. */
export interface PaperConfig extends Omit<PaperTerms, 'hedgeRate' | 'assume'> {
  /** Real ms from the acceptance of an order until it can be filled. */
  readonly latencyMs: number;
  readonly assumptions: Partial<Assumptions>;
}

/** Where the page of metrics is served. */
export interface MetricsConfig {
  readonly port: number;
  readonly host: string;
}

export interface SluiceConfig {
  /** The path as given on the command line. */
  readonly path: string;
  /** The text of the file: a replay builds the same engine from it. */
  readonly text: string;
  /** Absolute path of the file's folder; relative paths in the file start here. */
  readonly directory: string;
  readonly mode: RunMode;
  readonly account: string;
  readonly venue: VenueConfig;
  readonly paper: PaperConfig;
  /** Alerts for a person; absent: none. */
  readonly notify?: NotifyConfig;
  /** The operator's consent to trade real money. Absent: none was given. */
  readonly acknowledgement?: string;
  /** Absolute path; a relative one in the file starts at the working directory. */
  readonly stateDir: string;
  readonly onStop: StopPolicy;
  /** Real ms that a stop waits for proofs. Limits a flatten only under SIGTERM. */
  readonly stopTimeoutMs: number;
  /** Treatment of a held position whose instrument is delisted. */
  readonly onDelisting: DelistingPolicy;
  readonly strategies: readonly StrategyConfig[];
  /** The `risk:` block, validated for the mode. */
  readonly riskSettings: RiskSettings;
  /** Keys that the `risk:` block sets, with dots below `risk`; every other limit has its preset's value. */
  readonly riskKeys: ReadonlySet<string>;
  readonly pollMs: number;
  /** Days after which recorded sessions are deleted. */
  readonly recordKeepDays: number;
  /** Real ms between two reads of the venue's rules and shapes; absent: none. */
  readonly canaryEveryMs?: number;
  /** Absolute path of the folder of a backtest, whose trades are compared with the live ones; absent: none. */
  readonly expectedRun?: string;
  /** Absent: no metrics are served. */
  readonly metrics?: MetricsConfig;
  readonly logLevel: LogLevel;
  /** `file:line:column` of a value, for problems found after loading. */
  readonly locate: (path: YamlPath) => string;
}

/** A backtest requires only the strategies of a file. */
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
  requireMap(source, path);
  const schema = use === 'run' ? configSchema : backtestSchema;
  const parsed = schema.safeParse(source.tree);
  const risk = parseRisk(source, use);
  throwProblems(path, [
    ...(parsed.success ? [] : schemaProblems(parsed.error.issues, { schema, at: [], source })),
    ...risk.problems,
    ...crossFieldProblems(source, use),
  ]);
  assert(parsed.success && risk.settings !== undefined, 'A rejected file has problems');
  const text = new TextDecoder().decode(bytes);
  const config = configFrom(parsed.data, path, source);
  return {
    ...config,
    text,
    riskSettings: withBudgets(risk.settings, config.strategies),
    riskKeys: riskKeysOf(source),
  };
}

/** One message instead of one per missing key. */
function requireMap({ tree }: YamlSource, path: string): void {
  if (typeof tree === 'object' && tree !== null && !Array.isArray(tree)) return;
  const what = tree === null ? 'the file is empty' : `expected a map, not ${kindOf(tree)}`;
  throw new ConfigError([
    `${path}:1:1 ${what}: a configuration starts like config/sandbox.yaml, with mode: sandbox`,
  ]);
}

interface ParsedRisk {
  readonly settings?: RiskSettings;
  readonly problems: readonly YamlProblem[];
}

function parseRisk(source: YamlSource, use: ConfigUse): ParsedRisk {
  const at = ['risk'];
  const given = source.native(at);
  if (given === undefined && use === 'run') {
    const what = 'is missing; start with risk: { preset: standard, symbols_allow: [BTCUSDT] }';
    return { problems: [problemAt(source, at, what)] };
  }
  const schema = riskSchema(use === 'backtest' ? 'backtest' : modeOf(source));
  const parsed = schema.safeParse(given ?? { preset: 'research' });
  if (parsed.success)
    return {
      settings: parsed.data,
      problems: [
        ...limitContradictions(source, parsed.data),
        ...budgetProblems(source, parsed.data),
      ],
    };
  return { problems: schemaProblems(parsed.error.issues, { schema, at, source }) };
}

/**
 * The schema reports an invalid mode; the risk rules of `live` would only add confusing problems. A run that
 * observes has the rules of `live`.
 */
function modeOf(source: YamlSource): Exclude<RunMode, 'observe'> {
  const mode = source.native(['mode']);
  if (mode === 'observe') return 'live';
  return mode === 'live' || mode === 'paper' ? mode : 'sandbox';
}

function configFrom(
  raw: RawConfig,
  path: string,
  source: YamlSource,
): Omit<SluiceConfig, 'text' | 'riskSettings' | 'riskKeys'> {
  const directory = dirname(resolve(path));
  return {
    path,
    directory,
    mode: raw.mode,
    account: raw.account,
    venue: venueFrom(raw.venue, directory),
    paper: paperFrom(raw.paper ?? paperSchema.parse({})),
    ...(raw.notify !== undefined && { notify: notifyFrom(raw.notify, directory) }),
    ...(raw.live !== undefined && { acknowledgement: raw.live.acknowledgement }),
    stateDir: resolve(raw.state_dir ?? `.sluice/${raw.account}`),
    onStop: raw.on_stop,
    stopTimeoutMs: raw.stop_timeout,
    onDelisting: raw.on_delisting,
    strategies: raw.strategies.map((_each, index) => strategyFrom(raw, index, source)),
    pollMs: raw.poll_ms,
    recordKeepDays: raw.record.keep_days,
    logLevel: raw.log_level,
    ...(raw.metrics !== undefined && {
      metrics: { port: raw.metrics.port, host: raw.metrics.host },
    }),
    ...(raw.expected_run !== undefined && { expectedRun: resolve(directory, raw.expected_run) }),
    ...canaryFrom(raw),
    locate: source.locate,
  };
}

const CANARY_EVERY_MS = 6 * 3_600_000;

/** A real account has one by default. */
function canaryFrom({ canary, mode }: RawConfig): Pick<SluiceConfig, 'canaryEveryMs'> {
  const byMode = mode === 'live' || mode === 'observe' ? CANARY_EVERY_MS : 'off';
  const every = canary?.every ?? byMode;
  return every === 'off' ? {} : { canaryEveryMs: every };
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
