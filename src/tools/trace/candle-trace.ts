import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import { UsageError } from '../../core/command-errors.js';
import type { EventLookup } from './event-lookup.js';
import { tracesOfDecision, type TraceResult } from './trace-lookup.js';
import type { IndexPorts, JournalIndex } from './index/journal-index.js';
import { deletedBefore, sessionAt, type Session } from './index/session-log.js';
import { TraceStore, type StrategySubscription } from './index/trace-store.js';
import type { CandleTrace, CandleValues } from './trace.js';
import type { TraceSubject } from './trace-query.js';
import { timeText } from './trace-format.js';

export interface CandleTraceResult {
  readonly kind: 'candle';
  readonly symbol: string;
  readonly open_time: string;
  /** The trading mode of the account when the candle closed. Absent before the first mode record. */
  readonly mode?: { readonly mode: string; readonly since: string; readonly cause: string };
  readonly session?: string;
  readonly strategies: readonly {
    readonly interval: Interval;
    readonly open_time: string;
    readonly values?: CandleValues;
    readonly story: CandleTrace;
    /** The journaled decisions on the candle. */
    readonly answers: readonly TraceResult[];
  }[];
  /** The reason why no strategy can have received the candle. */
  readonly nothing?: string;
  /** The replay made other decisions than the journal, so the code has changed. */
  readonly warning?: string;
}

/** The index and the record that traces are read from. */
export interface TraceContext {
  readonly index: JournalIndex;
  readonly events: EventLookup;
  readonly ports: IndexPorts;
}

type CandleTraceSubject = Extract<TraceSubject, { kind: 'candle' }>;

/** The outcome of a candle for each strategy, with its reason. @throws UsageError */
export async function traceCandle(
  subject: CandleTraceSubject,
  strategy: string | undefined,
  context: TraceContext,
): Promise<CandleTraceResult> {
  const { symbol, time } = subject;
  const base = { kind: 'candle' as const, symbol, open_time: timeText(time) };
  const closedAt = closeTimeOf('1m', openTimeOf('1m', time));
  const sessions = await context.events.sessions();
  const session = sessionAt(sessions, closedAt);
  if (session === undefined) return { ...base, strategies: [], nothing: noSessionText(sessions) };
  const mode = modeOf(await context.index.modeAt(closedAt));
  // A candle that closed while no run was active reaches the next run as history or as a repair.
  const next = sessions[sessions.indexOf(session) + 1];
  for (const each of next === undefined ? [session] : [session, next]) {
    const traced = await traceSession(subject, strategy, each, context);
    if (traced.strategies.length === 0) continue;
    return { ...base, session: each.name, ...(mode !== undefined && { mode }), ...traced };
  }
  return { ...base, session: session.name, strategies: [], nothing: missingCandleText(session) };
}

type TracedSession = Pick<CandleTraceResult, 'strategies' | 'warning'>;

async function traceSession(
  subject: CandleTraceSubject,
  strategy: string | undefined,
  session: Session,
  context: TraceContext,
): Promise<TracedSession> {
  const { symbol, time } = subject;
  const { subscriptions, traceOf, agrees, failure } = await sessionTraces(
    subject,
    session,
    context,
  );
  const matching = subscriptions.filter(
    (subscription) =>
      subscription.symbols.includes(symbol) &&
      (subject.interval === undefined || subscription.interval === subject.interval) &&
      (strategy === undefined || subscription.strategy === strategy),
  );
  if (matching.length === 0) throwNoStrategy(subject, strategy, session);
  const strategies = [];
  for (const subscription of matching) {
    const openTime = openTimeOf(subscription.interval, time);
    const untraced =
      failure === undefined ? undefined : untracedCandle(subscription.strategy, symbol, openTime);
    const trace = traceOf(subscription, openTime) ?? untraced;
    if (trace !== undefined) {
      strategies.push(
        await strategyTrace(trace, subscription.interval, openTime, session, context),
      );
    }
  }
  const warning = failure === undefined ? DIFFERS : `${CANNOT_FOLLOW}: ${failure}`;
  return { strategies, ...(!agrees && { warning }) };
}

const CANNOT_FOLLOW =
  'the record cannot be replayed, because the code of a strategy, or Sluice itself, has changed since';

const untracedCandle = (strategy: string, symbol: string, openTime: number): CandleTrace => ({
  ...{ strategy, symbol, open_time: timeText(openTime), outcome: 'untold' },
  because: 'the journal has no decision on it, and its handling by the strategy cannot be replayed',
  ...{ asked: [], said: [], orders: [], refusals: [] },
});

const DIFFERS =
  'the replay made other decisions than the journal: the code of a strategy, or Sluice itself, has ' +
  'changed since. The journal is what happened; the rest is the result of the current code';

interface SessionTraces {
  readonly subscriptions: readonly StrategySubscription[];
  readonly traceOf: (
    subscription: StrategySubscription,
    openTime: number,
  ) => CandleTrace | undefined;
  readonly agrees: boolean;
  readonly failure?: string;
}

/** The traces of an earlier replay, or of a new one. */
async function sessionTraces(
  { symbol, time }: CandleTraceSubject,
  session: Session,
  { index, ports }: TraceContext,
): Promise<SessionTraces> {
  const store = new TraceStore(index.store.database);
  const stored = (subscription: StrategySubscription, openTime: number): CandleTrace | undefined =>
    store.candleTrace(session.name, subscription.strategy, symbol, openTime);
  const known = store.subscriptions(session.name);
  const isTraced = (subscription: StrategySubscription): boolean =>
    !subscription.symbols.includes(symbol) ||
    stored(subscription, openTimeOf(subscription.interval, time)) !== undefined;
  if (known?.every(isTraced) === true)
    return { subscriptions: known, traceOf: stored, agrees: true };
  // Loads the engine and the strategies only when a replay is needed.
  const { replayUntil } = await import('./candle-replay.js');
  const replay = await replayUntil({ symbol, time }, session, index.directory, ports);
  const { subscriptions, traced, agrees, failure } = replay;
  if (agrees) store.save(session.name, subscriptions, traced);
  const traceOf = ({ strategy }: StrategySubscription, openTime: number): CandleTrace | undefined =>
    traced.find(
      ({ openTime: at, trace }) =>
        at === openTime && trace.strategy === strategy && trace.symbol === symbol,
    )?.trace;
  return { subscriptions, traceOf, agrees, ...(failure !== undefined && { failure }) };
}

async function strategyTrace(
  trace: CandleTrace,
  interval: Interval,
  openTime: number,
  session: Session,
  context: TraceContext,
): Promise<CandleTraceResult['strategies'][number]> {
  const { symbol } = trace;
  const candleRef = { kind: 'candles', symbol, interval, openTime };
  const values = await context.events.candleIn(session, candleRef);
  const answers = await tracesOfDecisions(
    trace,
    `candle:${symbol}:${interval}:${openTime}#`,
    context,
  );
  return {
    interval,
    open_time: timeText(openTime),
    ...(values !== undefined && { values }),
    story: withFollowUp(trace, answers),
    answers,
  };
}

/** A decision that waits for an order in flight is carried out after the candle. */
function withFollowUp(trace: CandleTrace, answers: readonly TraceResult[]): CandleTrace {
  if (trace.outcome === 'ordered' || trace.outcome === 'refused' || answers.length === 0) {
    return trace;
  }
  const orders = answers.filter(({ kind }) => kind === 'order').length;
  const outcome = orders > 0 ? 'ordered' : 'refused';
  const then =
    orders > 0 ? `became ${orders === 1 ? 'an order' : `${orders} orders`}` : 'was refused';
  const because =
    trace.outcome === 'untold'
      ? `it ${then}`
      : `it had to wait first (${trace.because}), then it ${then}`;
  return { ...trace, outcome, because };
}

async function tracesOfDecisions(
  trace: CandleTrace,
  prefix: string,
  { index, events }: TraceContext,
): Promise<readonly TraceResult[]> {
  const found: TraceResult[] = [];
  for (const key of index.decisions(prefix, MAX_DECISIONS)) {
    for (const each of await tracesOfDecision({ key }, index, events)) {
      if (each.kind !== 'operation' && each.decision?.strategy === trace.strategy) {
        found.push(each);
      }
    }
  }
  return found;
}

const MAX_DECISIONS = 64;

const modeOf = (record: JournalRecord | undefined): CandleTraceResult['mode'] =>
  record?.type === 'mode'
    ? { mode: record.to, since: timeText(record.venueTime), cause: record.cause }
    : undefined;

function noSessionText(sessions: readonly Session[]): string {
  const [first] = sessions;
  if (first === undefined) return 'the folder holds no recorded run';
  const startText = timeText(first.startedAt);
  return deletedBefore(sessions) === undefined
    ? `no run was active then: the first session began at ${startText}`
    : `the record begins at ${startText}: older sessions were deleted (record.keep_days)`;
}

const missingCandleText = ({ name, startedAt }: Session): string =>
  `session ${name}, which began at ${timeText(startedAt)}, never received this candle: ` +
  'it closed after the end of the record, or the feed did not deliver it';

function throwNoStrategy(
  { symbol, interval }: CandleTraceSubject,
  strategy: string | undefined,
  { name }: Session,
): never {
  const length = interval === undefined ? '' : ` on ${interval}`;
  const owner = strategy === undefined ? 'no strategy' : `no strategy called "${strategy}"`;
  throw new UsageError(`${owner} traded ${symbol}${length} in session ${name}`);
}
