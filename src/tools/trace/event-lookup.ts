import type { Candle } from '../../core/candle.js';
import type { EngineEvent } from '../../core/events.js';
import { decisionKey, type DecisionCause } from '../../core/intent.js';
import { closeTimeOf, isInterval, type Interval } from '../../core/interval.js';
import type { JournalIndex } from './index/journal-index.js';
import type { Progress } from './index/journal-logs.js';
import type { LogPorts } from './index/log-follower.js';
import {
  candlesIn,
  indexSession,
  deletedBefore,
  sessionAt,
  sessionsOf,
  type Session,
} from './index/session-log.js';
import type { CandleValues, EventTrace } from './trace.js';
import { asJournaled, timeText } from './trace-format.js';

/** Longest chain of fills that caused orders which filled. */
const MAX_DEPTH = 8;

/** Finds the event that a decision was made on. */
export class EventLookup {
  readonly #index: JournalIndex;
  readonly #ports: LogPorts;
  readonly #progress: Progress;
  #sessions: Promise<readonly Session[]> | undefined;

  constructor(index: JournalIndex, ports: LogPorts, progress: Progress) {
    this.#index = index;
    this.#ports = ports;
    this.#progress = progress;
  }

  sessions(): Promise<readonly Session[]> {
    this.#sessions ??= sessionsOf(this.#ports, this.#index.directory);
    return this.#sessions;
  }

  /** @param decidedAt venue ms, which selects the session */
  async traceOf(cause: DecisionCause, decidedAt: number, depth = 0): Promise<EventTrace> {
    const key = decisionKey(cause, 0).replace(/#0$/, '');
    switch (cause.kind) {
      case 'candle':
      case 'second':
      case 'mark-candle': {
        const { kind, symbol, openTime } = cause;
        const found = await this.#candle(cause, decidedAt);
        return { kind, key, symbol, open_time: timeText(openTime), ...found };
      }
      case 'fill':
        return this.#fill(cause, key, depth);
      case 'round': {
        const { kind, interval, closeTime } = cause;
        return { kind, key, interval, close_time: timeText(closeTime) };
      }
      case 'timer':
        return { kind: 'timer', key, timer: cause.key, time: timeText(cause.venueTime) };
      case 'operator': {
        const { commandId } = cause;
        const record = await this.#index.command(commandId);
        if (record?.type !== 'command') return { kind: 'operator', key, command_id: commandId };
        const time = timeText(record.venueTime);
        const { command } = asJournaled(record);
        return { kind: 'operator', key, command_id: commandId, time, command };
      }
    }
  }

  /** Finds the event by the key of a decision; undefined for a key of another form. */
  async traceOfKey(key: string, decidedAt: number): Promise<EventTrace | undefined> {
    const cause = causeFromKey(key);
    return cause === undefined ? undefined : this.traceOf(cause, decidedAt);
  }

  async #fill(
    { orderId }: Extract<DecisionCause, { kind: 'fill' }>,
    key: string,
    depth: number,
  ): Promise<EventTrace> {
    const [decision = '', leg] = orderId.split(/\/(?=\d+$)/);
    const candidates = this.#index.ordersOfDecision(decision);
    const order = candidates.findLast((each) => String(each.leg) === leg);
    const of = orderId;
    if (order === undefined || depth >= MAX_DEPTH) return { kind: 'fill', key, of };
    const records = await this.#index.recordsOf(order);
    const firstRecord = records.find(({ type }) => type === 'intent' || type === 'past');
    const trace = { kind: 'fill' as const, key, of, order: order.clientOrderId };
    if (
      firstRecord === undefined ||
      !('cause' in firstRecord) ||
      typeof firstRecord.cause === 'string'
    )
      return trace;
    const { decidedAt } = firstRecord as { decidedAt: number };
    return { ...trace, caused_by: await this.traceOf(firstRecord.cause, decidedAt, depth + 1) };
  }

  async #candle(
    cause: Extract<DecisionCause, { kind: 'candle' | 'second' | 'mark-candle' }>,
    decidedAt: number,
  ): Promise<{ values?: CandleValues; session?: string; recorded_since?: string }> {
    const sessions = await this.sessions();
    const session = sessionAt(sessions, decidedAt);
    if (session === undefined) {
      const since = deletedBefore(sessions);
      return since === undefined ? {} : { recorded_since: timeText(since) };
    }
    const interval = intervalOf(cause);
    const kind = kindOf(cause);
    const values = await this.candleIn(session, { ...cause, kind, interval });
    return { session: session.name, ...(values !== undefined && { values }) };
  }

  /** A candle as a session received it; undefined when the record does not hold it. */
  async candleIn(
    session: Session,
    target: { kind: string; symbol: string; interval: Interval; openTime: number },
  ): Promise<CandleValues | undefined> {
    const { directory, store } = this.#index;
    await indexSession(store, this.#ports, directory, session, this.#progress);
    const end = closeTimeOf(target.interval, target.openTime);
    const rows = store.candlesBetween(session.name, { ...target, from: target.openTime, to: end });
    const found = new Map<number, { candle: Candle; live: boolean }>();
    for (const { address, live } of rows) {
      const event = JSON.parse(
        new TextDecoder().decode(await this.#index.payloadAt(address)),
      ) as EngineEvent;
      for (const candle of candlesIn(event)) {
        const { openTime } = candle;
        if (openTime < target.openTime || openTime >= end) continue;
        // The engine handles the first one and ignores later ones.
        if (!found.has(openTime)) found.set(openTime, { candle, live });
      }
    }
    return mergedCandle([...found.values()]);
  }
}

/** The record of a refusal names its decision by key only. */
function causeFromKey(key: string): DecisionCause | undefined {
  const [, kind, rest = ''] = /^([a-z-]+):(.*)#\d+$/.exec(key) ?? [];
  const [a = '', b = '', c = ''] = rest.split(':');
  switch (kind) {
    case 'candle':
      return isInterval(b) ? { kind, symbol: a, interval: b, openTime: Number(c) } : undefined;
    case 'second':
      return { kind, symbol: a, price: b === 'mark' ? 'mark' : 'last', openTime: Number(c) };
    case 'mark-candle':
      return { kind, symbol: a, openTime: Number(b) };
    case 'round':
      return isInterval(a) ? { kind, interval: a, closeTime: Number(b) } : undefined;
    case 'timer':
      return { kind, venueTime: Number(a), key: rest.slice(a.length + 1) };
    case 'operator':
      return { kind, commandId: rest };
    case 'fill': {
      const end = rest.lastIndexOf(':');
      return { kind, orderId: rest.slice(0, end), fillId: rest.slice(end + 1) };
    }
    default:
      return undefined;
  }
}

const kindOf = (
  cause: Extract<DecisionCause, { kind: 'candle' | 'second' | 'mark-candle' }>,
): string => {
  if (cause.kind === 'candle') return 'candles';
  return cause.kind === 'second' ? `seconds-${cause.price}` : 'mark-candles';
};

const intervalOf = (
  cause: Extract<DecisionCause, { kind: 'candle' | 'second' | 'mark-candle' }>,
): Interval => {
  if (cause.kind === 'candle') return cause.interval;
  // Mark-price candles are 1m (core/intent.ts).
  return cause.kind === 'second' ? '1s' : '1m';
};

/** Merges candles of the base interval into one of a longer interval. */
function mergedCandle(
  parts: readonly { readonly candle: Candle; readonly live: boolean }[],
): CandleValues | undefined {
  const sorted = parts.toSorted((a, b) => a.candle.openTime - b.candle.openTime);
  const [first, last] = [sorted[0]?.candle, sorted.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    open: first.open,
    high: Math.max(...sorted.map(({ candle }) => candle.high)),
    low: Math.min(...sorted.map(({ candle }) => candle.low)),
    close: last.candle.close,
    volume: sorted.reduce((sum, { candle }) => sum + candle.volume, 0),
    live: last.live,
  };
}
