import { simulate } from '../../backtest/simulate.js';
import type { Simulation } from '../../backtest/testing.js';
import type { Interval } from '../../core/interval.js';
import type { StrategyDefinition } from '../../strategy/definition.js';
import type { Finding } from './finding.js';
import { EXAM_CANDLES, hostileCandles, openTimeOf } from './hostile-candles.js';
import { hostileStreams } from './hostile-streams.js';
import { StrategyLog, type Saying } from './strategy-log.js';
import { spied } from './strategy-spy.js';

/** Signs of life. */
export interface Pulse {
  /** The strategy is called. */
  beat(): void;
  /** Runs what calls the strategy: only there can it hang. */
  watching<T>(run: () => T): T;
}

const NO_PULSE: Pulse = { beat: () => undefined, watching: (run) => run() };

export interface ExamOptions {
  readonly definition: StrategyDefinition;
  readonly file: string;
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Of each symbol. Default: 2,000. */
  readonly candles?: number;
  /** For a watchdog. */
  readonly pulse?: Pulse;
}

export interface ExamResult {
  readonly findings: readonly Finding[];
  readonly candles: number;
  readonly intents: number;
  readonly orders: number;
  readonly fills: number;
}

/** Candles before which the future is changed. */
const CUTS = [500, 1_100, 1_700];

/**
 * Runs a strategy over hostile candles: once to see what it does, again to see whether it does the same,
 * and with other futures to see whether it knew them.
 */
export function examine(options: ExamOptions): ExamResult {
  const first = runOf(options, EVERY_CANDLE);
  const findings = [...first.log.findings.all];
  if (!first.log.flooded) findings.push(...repeatFindings(options, first.log));
  const { intents, orders, fills } = first.simulation;
  return {
    findings,
    candles: options.candles ?? EXAM_CANDLES,
    intents: intents.length,
    orders: orders.length,
    fills: fills.length,
  };
}

interface Run {
  readonly log: StrategyLog;
  readonly simulation: Simulation;
}

function runOf(
  { definition, file, params, symbols, interval, pulse = NO_PULSE, candles: count }: ExamOptions,
  cut: number,
  wanted?: number,
): Run {
  const log = new StrategyLog(file, () => pulse.beat(), wanted);
  const candles = hostileCandles(symbols, cut, count);
  const simulation = pulse.watching(() =>
    simulate({
      strategy: spied(definition, log),
      candles,
      ...hostileStreams(definition, candles),
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

function repeatFindings(options: ExamOptions, first: StrategyLog): readonly Finding[] {
  const again = runOf(options, EVERY_CANDLE).log;
  const differs = difference(first.sayings, again.sayings, Number.POSITIVE_INFINITY);
  if (differs !== undefined) {
    const { before, after } = differs;
    const message = `two runs over the same candles differ: ${said(before)}, then ${said(after)}`;
    const hint =
      'Math.random, Date.now and variables outside of create() differ from run to run: keep all state inside create()';
    return [{ place: placeOf(options, differs, EVERY_CANDLE), message, hint }];
  }
  const { candles: count = EXAM_CANDLES } = options;
  for (const cut of CUTS.filter((each) => each < count)) {
    const { log } = runOf(options, cut);
    const knew = difference(first.sayings, log.sayings, openTimeOf(cut - 1) + MINUTE_MS);
    if (knew === undefined) continue;
    const { before, after } = knew;
    return [
      {
        place: placeOf(options, knew, cut),
        message: `looks ahead: ${said(before)}, and ${said(after)} when later candles are others`,
        hint: 'a decision may use closed candles only; nothing beyond context.candle exists yet',
      },
    ];
  }
  return [];
}

const MINUTE_MS = 60_000;
/** Nothing is altered. */
const EVERY_CANDLE = Number.POSITIVE_INFINITY;

/** Where the saying stands in the code: it is said once more for that. */
function placeOf(options: ExamOptions, { before, after }: Difference, cut: number): string {
  const { log } = runOf(
    options,
    before === undefined ? cut : EVERY_CANDLE,
    (before ?? after)?.index,
  );
  return log.wantedPlace ?? options.file;
}

interface Difference {
  readonly before: Saying | undefined;
  readonly after: Saying | undefined;
}

/** The first saying in which two runs differ, up to the decisions on the close at `until`. */
function difference(
  one: readonly Saying[],
  other: readonly Saying[],
  until: number,
): Difference | undefined {
  const [a, b] = [one, other].map((list) =>
    list.filter(({ time, closes }) => time < until || (closes && time === until)),
  );
  const most = Math.max(a?.length ?? 0, b?.length ?? 0);
  for (let index = 0; index < most; index += 1) {
    const [mine, theirs] = [a?.[index], b?.[index]];
    if (mine?.text !== theirs?.text || mine?.time !== theirs?.time)
      return { before: mine, after: theirs };
  }
  return undefined;
}

const said = (saying: Saying | undefined): string =>
  saying === undefined
    ? 'nothing'
    : `${saying.text} at ${new Date(saying.time).toISOString().slice(0, 16)}Z`;
