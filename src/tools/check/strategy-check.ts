import { simulate } from '../../testing/simulate.js';
import type { Simulation } from '../../testing/index.js';
import type { Interval } from '../../core/interval.js';
import type { StrategyDefinition } from '../../strategy/contract/definition.js';
import type { Finding } from './finding.js';
import { CHECK_CANDLES, stressCandles, stressOpenTime } from './stress-candles.js';
import { stressStreams } from './stress-streams.js';
import { StrategyLog, type StrategyOutput } from './strategy-log.js';
import { instrumentStrategy } from './instrumented-strategy.js';

/** The heartbeat that a watchdog monitors. */
export interface WatchdogHeartbeat {
  /** Called with each call of the strategy. */
  beat(): void;
  /** Runs code that calls the strategy, the only code that can hang. */
  monitored<T>(run: () => T): T;
}

const NO_WATCHDOG: WatchdogHeartbeat = { beat: () => undefined, monitored: (run) => run() };

export interface StrategyCheckOptions {
  readonly definition: StrategyDefinition;
  readonly file: string;
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Candles per symbol. Default: 2,000. */
  readonly candles?: number;
  readonly heartbeat?: WatchdogHeartbeat;
}

export interface StrategyCheckResult {
  readonly findings: readonly Finding[];
  readonly candles: number;
  readonly intents: number;
  readonly orders: number;
  readonly fills: number;
}

/** Candle indices from which the market is altered. */
const ALTERED_FROM = [500, 1_100, 1_700];

/**
 * Runs a strategy on stress candles: once to record it, again to see whether it repeats, and on markets
 * altered from a candle on to detect look-ahead.
 */
export function checkStrategy(options: StrategyCheckOptions): StrategyCheckResult {
  const firstRun = runStrategy(options, UNALTERED);
  const findings = [...firstRun.log.findings.all];
  if (!firstRun.log.isFlooded) findings.push(...repeatabilityFindings(options, firstRun.log));
  const { intents, orders, fills } = firstRun.simulation;
  return {
    findings,
    candles: options.candles ?? CHECK_CANDLES,
    intents: intents.length,
    orders: orders.length,
    fills: fills.length,
  };
}

interface CheckedRun {
  readonly log: StrategyLog;
  readonly simulation: Simulation;
}

function runStrategy(
  {
    definition,
    file,
    params,
    symbols,
    interval,
    heartbeat = NO_WATCHDOG,
    candles: count,
  }: StrategyCheckOptions,
  alteredFrom: number,
  locateIndex?: number,
): CheckedRun {
  const log = new StrategyLog(file, () => heartbeat.beat(), locateIndex);
  const candles = stressCandles(symbols, alteredFrom, count);
  const simulation = heartbeat.monitored(() =>
    simulate({
      strategy: instrumentStrategy(definition, log),
      candles,
      ...stressStreams(definition, candles),
      params,
      interval,
      candleInterval: '1m',
      size: { notional: '1000' },
      protect: { stop_loss_pct: 5 },
      onError: 'record',
    }),
  );
  return { log, simulation };
}

function repeatabilityFindings(
  options: StrategyCheckOptions,
  first: StrategyLog,
): readonly Finding[] {
  const again = runStrategy(options, UNALTERED).log;
  const differs = firstDifference(first.outputs, again.outputs, Number.POSITIVE_INFINITY);
  if (differs !== undefined) {
    const { before, after } = differs;
    const message = `two runs over the same candles differ: ${outputText(before)}, then ${outputText(after)}`;
    const hint =
      'Math.random, Date.now and variables outside of create() differ from run to run: keep all state inside create()';
    return [{ place: locationOf(options, differs, UNALTERED), message, hint }];
  }
  const { candles: count = CHECK_CANDLES } = options;
  for (const alteredFrom of ALTERED_FROM.filter((each) => each < count)) {
    const { log } = runStrategy(options, alteredFrom);
    const lookahead = firstDifference(
      first.outputs,
      log.outputs,
      stressOpenTime(alteredFrom - 1) + MINUTE_MS,
    );
    if (lookahead === undefined) continue;
    const { before, after } = lookahead;
    return [
      {
        place: locationOf(options, lookahead, alteredFrom),
        message: `looks ahead: ${outputText(before)}, and ${outputText(after)} when later candles differ`,
        hint: 'a decision may use closed candles only; nothing beyond context.candle exists yet',
      },
    ];
  }
  return [];
}

const MINUTE_MS = 60_000;
/** Index that alters no candle. */
const UNALTERED = Number.POSITIVE_INFINITY;

/** Locates the differing output in the code, by one more run. */
function locationOf(
  options: StrategyCheckOptions,
  { before, after }: OutputDifference,
  alteredFrom: number,
): string {
  const { log } = runStrategy(
    options,
    before === undefined ? alteredFrom : UNALTERED,
    (before ?? after)?.index,
  );
  return log.requestedLocation ?? options.file;
}

interface OutputDifference {
  readonly before: StrategyOutput | undefined;
  readonly after: StrategyOutput | undefined;
}

/** The first output in which two runs differ, up to the decisions on the close at `until`. */
function firstDifference(
  one: readonly StrategyOutput[],
  other: readonly StrategyOutput[],
  until: number,
): OutputDifference | undefined {
  const [a, b] = [one, other].map((list) =>
    list.filter(({ time, isOnClose }) => time < until || (isOnClose && time === until)),
  );
  const most = Math.max(a?.length ?? 0, b?.length ?? 0);
  for (let index = 0; index < most; index += 1) {
    const [mine, theirs] = [a?.[index], b?.[index]];
    if (mine?.text !== theirs?.text || mine?.time !== theirs?.time)
      return { before: mine, after: theirs };
  }
  return undefined;
}

const outputText = (output: StrategyOutput | undefined): string =>
  output === undefined
    ? 'nothing'
    : `${output.text} at ${new Date(output.time).toISOString().slice(0, 16)}Z`;
