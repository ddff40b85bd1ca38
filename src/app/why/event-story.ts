import type { Candle } from '../../core/candle.js';
import type { EngineEvent } from '../../core/events.js';
import { decisionKey, type Cause } from '../../core/intent.js';
import { closeTimeOf, isInterval, type Interval } from '../../core/interval.js';
import type { JournalIndex } from './journal-index.js';
import type { Progress } from './journal-logs.js';
import type { LogPorts } from './log-follower.js';
import {
  candlesIn,
  indexSession,
  deletedBefore,
  sessionAt,
  sessionsOf,
  type Session,
} from './session-log.js';
import type { CandleValues, EventStory } from './story.js';
import { asJournaled, timeText } from './words.js';

/** How far a chain of fills that cause orders is followed back. */
const DEPTH = 8;

/** Looks up what an order was decided on. */
export class Events {
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

  /** @param decidedAt venue ms, tells which session to look in */
  async story(cause: Cause, decidedAt: number, depth = 0): Promise<EventStory> {
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

  /** By the key of a decision; undefined where it is no key that this version knows. */
  async ofKey(key: string, decidedAt: number): Promise<EventStory | undefined> {
    const cause = causeOf(key);
    return cause === undefined ? undefined : this.story(cause, decidedAt);
  }

  async #fill(
    { orderId }: Extract<Cause, { kind: 'fill' }>,
    key: string,
    depth: number,
  ): Promise<EventStory> {
    const [decision = '', leg] = orderId.split(/\/(?=\d+$)/);
    const orders = this.#index.ordersOfDecision(decision);
    const order = orders.findLast((each) => String(each.leg) === leg);
    const of = orderId;
    if (order === undefined || depth >= DEPTH) return { kind: 'fill', key, of };
    const records = await this.#index.recordsOf(order);
    const begun = records.find(({ type }) => type === 'intent' || type === 'past');
    const story = { kind: 'fill' as const, key, of, order: order.clientOrderId };
    if (begun === undefined || !('cause' in begun) || typeof begun.cause === 'string') return story;
    const { decidedAt } = begun as { decidedAt: number };
    return { ...story, caused_by: await this.story(begun.cause, decidedAt, depth + 1) };
  }

  async #candle(
    cause: Extract<Cause, { kind: 'candle' | 'second' | 'mark-candle' }>,
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

  /** A candle as a session met it: live if it did. undefined: it did not, or not whole. */
  async candleIn(
    session: Session,
    wanted: { kind: string; symbol: string; interval: Interval; openTime: number },
  ): Promise<CandleValues | undefined> {
    const { directory, store } = this.#index;
    await indexSession(store, this.#ports, directory, session, this.#progress);
    const end = closeTimeOf(wanted.interval, wanted.openTime);
    const rows = store.candlesBetween(session.name, { ...wanted, from: wanted.openTime, to: end });
    const found = new Map<number, { candle: Candle; live: boolean }>();
    for (const { place, live } of rows) {
      const event = JSON.parse(
        new TextDecoder().decode(await this.#index.payloadAt(place)),
      ) as EngineEvent;
      for (const candle of candlesIn(event)) {
        const { openTime } = candle;
        if (openTime < wanted.openTime || openTime >= end) continue;
        // The first that came is the one that was handled.
        if (!found.has(openTime)) found.set(openTime, { candle, live });
      }
    }
    return joined([...found.values()]);
  }
}

/** A refusal's record names its decision by key alone. */
function causeOf(key: string): Cause | undefined {
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

const kindOf = (cause: Extract<Cause, { kind: 'candle' | 'second' | 'mark-candle' }>): string => {
  if (cause.kind === 'candle') return 'candles';
  return cause.kind === 'second' ? `seconds-${cause.price}` : 'mark-candles';
};

const intervalOf = (
  cause: Extract<Cause, { kind: 'candle' | 'second' | 'mark-candle' }>,
): Interval => {
  if (cause.kind === 'candle') return cause.interval;
  // A candle of mark prices is a minute's (core/intent.ts).
  return cause.kind === 'second' ? '1s' : '1m';
};

/** Candles of the base interval as one of a longer interval. */
function joined(
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
