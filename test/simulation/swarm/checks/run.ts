import { textFromFixed } from '../../../../src/core/fixed/fixed.js';
import { recordText } from '../../../../src/core/record-json.js';
import { configFromYaml } from '../../../../src/config/config.js';
import { buildEngine } from '../../../../src/live/bot/build-engine.js';
import { readSessionRecords } from '../../../../src/live/record/session-records.js';
import {
  readJournalHistory,
  segmentAt,
  type JournalSegment,
} from '../../../../src/live/state/journal-history.js';
import { sessionNames } from '../../../../src/live/state/state-folder.js';
import {
  readSession,
  type RecordedSession,
  type SessionHeader,
} from '../../../../src/engine/recorder.js';
import { ReplaySink } from '../../../../src/engine/replay.js';
import { decodeJournalRecord } from '../../../../src/execution/journal/journal-record.js';
import { isUnproved } from '../../../../src/execution/order/order-state.js';
import type { OrderLedger } from '../../../../src/execution/order/order-ledger.js';
import type { KnownOrder } from '../../../../src/execution/order/past-orders.js';
import type { OwnOrder } from '../../../../src/execution/order/own-order.js';
import { recover } from '../../../../src/execution/recovery/recovery.js';
import type { JournalLine } from '../journal-tap.js';
import { isOpenToProof, isPast } from '../known-order.js';
import type { Check, Finding, Sent } from '../watcher.js';
import { ACCOUNT, STATE_DIR, TRADED } from '../sim-config.js';
import type { SimWorld } from '../world.js';
import { scaledOf } from '../../../support/builders/scaled.js';

const MINUTE_MS = 60_000;

/** What the journal rebuilds is what the process has, and its last session can be run again. */
export const replayEqual: Check = {
  id: 'P7',
  name: 'ReplayEqual',
  watch(world) {
    let ledger: OrderLedger | undefined;
    return {
      onIdle() {
        ledger = world.bot?.engine.ledger;
        return undefined;
      },
      async onRunEnd() {
        const files = world.files.copy();
        const segments = await readJournalHistory(files, STATE_DIR);
        const { orders } = recover(recordsOf(segments.at(-1)), ACCOUNT);
        for (const [key, recovered] of orders.entries()) {
          const order = recovered.create(key);
          const live = ledger?.known(order.clientOrderId);
          if (live === undefined) continue;
          const [is, was] = isPast(live)
            ? [endOf(live), endOf(order)]
            : [stateOf(live), stateOf(order)];
          if (is !== was) return `${order.clientOrderId}: ${is}, and ${was} from the journal`;
        }
        return replayed(world, segments);
      },
    };
  },
};

const recordsOf = (segment: JournalSegment | undefined) =>
  [...(segment?.snapshot ?? []), ...(segment?.own ?? [])].map(decodeJournalRecord);

/** The share of seeds of which one session is run again. */
const REPLAYED = 0.1;
const RESCUE = '"type":"rescue"';

/** As far as the journal promises to keep it. */
function stateOf(order: OwnOrder): string {
  const { state, filledQuantity, orderId } = order;
  if (isOpenToProof(order)) return 'open to proof';
  const isPresent = state === 'accepted' || state === 'filled' || state === 'canceled';
  return isPresent ? `${state} ${orderId ?? ''} ${filledQuantity}` : endOf(order);
}

const endOf = ({ state }: KnownOrder): string => (state === 'dropped' ? 'rejected' : state);

interface Session {
  readonly name: string;
  readonly header: SessionHeader;
  readonly events: RecordedSession['events'];
  readonly segment: JournalSegment;
  /** Its records in that segment. */
  readonly from: number;
  readonly to: number;
}

/** Some session of some seeds, and each that wrote its last words into the room kept for them. */
async function replayed(
  world: SimWorld,
  segments: readonly JournalSegment[],
): Promise<string | undefined> {
  const { draws } = world.plan;
  const isDrawn = draws.chance(REPLAYED, 'replayed');
  const isRescued = segments.some(({ own }) => own.some(isRescue));
  if (!isDrawn && !isRescued) return undefined;
  const sessions = await sessionsOf(world, segments);
  if (sessions.length === 0) return undefined;
  const one = draws.pick(sessions, 'replayed session');
  for (const session of sessions) {
    const { segment, from, to } = session;
    const isSelected = isDrawn && session === one;
    if (!isSelected && !segment.own.slice(from, to).some(isRescue)) continue;
    const difference = differenceOf(world, session);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

async function sessionsOf(
  world: SimWorld,
  segments: readonly JournalSegment[],
): Promise<readonly Session[]> {
  const files = world.files.copy();
  const read: { name: string; session: RecordedSession }[] = [];
  for (const name of await sessionNames(STATE_DIR, files)) {
    const record = await readSessionRecords(files, STATE_DIR, name);
    if (record.length > 0) read.push({ name, session: readSession(record) });
  }
  return read.flatMap(({ name, session: { header, events } }, index) => {
    const segment = segmentAt(segments, header.journalStart);
    if (segment === undefined) return [];
    const end = read[index + 1]?.session.header.journalStart ?? segment.end;
    const [from, to] = [header.journalStart - segment.first, end - segment.first];
    return [{ name, header, events, segment, from, to }];
  });
}

function differenceOf(world: SimWorld, session: Session): string | undefined {
  const { name, header, events, segment, from, to } = session;
  const config = configFromYaml(header.configPath, new TextEncoder().encode(header.configText));
  const before = [...segment.snapshot, ...segment.own.slice(0, from)].map(decodeJournalRecord);
  const sink = new ReplaySink(segment.own.slice(from, to));
  const { strategies } = world;
  const engine = buildEngine({ config, strategies }, sink, recover(before, ACCOUNT));
  const { identical, difference } = sink.run(engine, events);
  if (identical) return undefined;
  return `session ${name} runs another way: ${recordText(difference).slice(0, 1_500)}`;
}

const isRescue = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 40)).includes(RESCUE);

const EXCUSES = [
  '429',
  'dup_deliver',
  'req_delay',
  'late_landing',
  'half_open',
  'sigstop',
  'loop_block',
];

/** A limit of the venue that only a fault may make us meet. */
export const rateSafe: Check = {
  id: 'P13',
  name: 'RateSafe',
  watch(world) {
    // What is held up lands together with what is sent later.
    const excused = EXCUSES.some((kind) => world.plan.kinds.has(kind));
    return {
      onResponse: ({ response, method, path }) =>
        response?.status === 429 && !excused && world.phase === 'faults'
          ? `${method} ${path} met the venue's limit without a fault`
          : undefined,
    };
  },
};

/** Candles that a strategy sees: whole, in order, closed, true. */
export const candleSound: Check = {
  id: 'P18',
  name: 'CandleSound',
  watch(world) {
    const { kinds, quirks, factor } = world.plan;
    const isBent = ['liq', 'sl_race', 'zero_ohlc'].some((kind) => kinds.has(kind));
    const hasHoles = kinds.has('zero_ohlc') || quirks.includes('zero-ohlc');
    let last = new Map<string, number>();
    return {
      onProcessEnd() {
        last = new Map();
        return undefined;
      },
      onCandle(symbol, candle) {
        const { openTime } = candle;
        const before = last.get(symbol);
        last.set(symbol, openTime);
        if (before !== undefined && openTime <= before)
          return `${symbol}: ${openTime} after ${before}`;
        if (before !== undefined && openTime !== before + MINUTE_MS && !hasHoles)
          return `${symbol}: ${openTime} follows ${before}: a gap`;
        if (openTime + MINUTE_MS > world.sandbox.now() + factor)
          return `${symbol}: the candle of ${openTime} was shown before it closed`;
        if (isBent) return undefined;
        const real = world.market.rangeCandle('last', symbol, openTime, openTime + MINUTE_MS);
        return real !== undefined && real.close !== candle.close
          ? `${symbol}: the candle of ${openTime} closed at ${real.close}, not ${candle.close}`
          : undefined;
      },
    };
  },
};

/** Every look at orders: open ones, history, one of them. */
const ORDER_LISTS = /\/futures\/orders(?:\/history|\/detail)?$/;

/** A page of order history after the first: the read is taken whole, and not at all where a page is lost. */
const isLaterPage = ({ path, query }: Sent): boolean =>
  path.endsWith('/futures/orders/history') && query.includes('offset=');

/**
 * A bot that sees an order of its own name that it never made, and that nobody has adopted, places nothing
 * more. Where the venue answers, no such order stays unseen.
 */
export const singleWriter: Check = {
  id: 'P20',
  name: 'SingleWriter',
  watch(world) {
    /** Process → when it heard of it. undefined: it stood still then, and hears when it goes on. */
    const warned = new Map<number, number | undefined>();
    /** Process → the page of history that it waits for. */
    const reading = new Map<number, number>();
    /** Forged → when the venue had it, virtual ms. */
    const landedAt = new Map<string, number>();
    const SLACK_MS = 50;
    /** Two reads of history, and the details of a row. */
    const VISIBLE_WITHIN_MS = 75_000;
    let healthySince = Number.POSITIVE_INFINITY;
    const isUndetected = (id: string): boolean =>
      !world.seenExternalIds.has(id) && !world.adoptedIds.has(id);
    const overdue = (): Finding => {
      const now = world.time.monotonicMs();
      const since = Math.max(healthySince, world.botRun?.startedAt ?? now);
      for (const [id, at] of landedAt)
        if (isUndetected(id) && now - Math.max(since, at) > VISIBLE_WITHIN_MS)
          return `${id} of another writer is not seen after ${now - Math.max(since, at)} ms`;
      return undefined;
    };
    return {
      onVenueEvent(event) {
        const id = event.kind === 'order' ? (event.order.clientOrderId ?? '') : '';
        if (world.forged.has(id) && !landedAt.has(id)) landedAt.set(id, world.time.monotonicMs());
        return undefined;
      },
      onResponse(sent) {
        if (world.forged.size === 0) return undefined;
        if (world.phase !== 'faults' && healthySince === Number.POSITIVE_INFINITY)
          healthySince = world.time.monotonicMs();
        const { response, path, process } = sent;
        if (reading.get(process) === sent.sequence) {
          reading.delete(process);
          if (response?.status !== 200) warned.delete(process);
          else if (warned.has(process)) warned.set(process, world.time.monotonicMs());
        }
        if (response?.status === 200 && ORDER_LISTS.test(path)) {
          const seen = [...world.forged].some(
            (id) => !world.adoptedIds.has(id) && response.body.includes(id),
          );
          const isFrozen = world.botRun?.process.frozen === true;
          if (seen && !warned.has(process))
            warned.set(process, isFrozen ? undefined : world.time.monotonicMs());
        }
        return overdue();
      },
      onSend(sent) {
        // A page of the read that shows the row follows it at once; a later read proves nothing less.
        const shownAt = warned.get(sent.process);
        if (shownAt !== undefined && isLaterPage(sent) && sent.at <= shownAt + SLACK_MS)
          reading.set(sent.process, sent.sequence);
        if (!warned.has(sent.process) || reading.has(sent.process)) return undefined;
        const since = warned.get(sent.process) ?? sent.at;
        warned.set(sent.process, since);
        return sent.at > since + SLACK_MS && isEntry(sent) && !world.isFence(sent)
          ? `${sent.clientOrderId} left after an order of another writer was seen`
          : undefined;
      },
      onQuiet() {
        const unseen = [...landedAt.keys()].find(isUndetected);
        return unseen === undefined ? undefined : `${unseen} of another writer was never seen`;
      },
    };
  },
};

/** An order that increases is sane, whatever the feed and the lists said. */
export const failClosed: Check = {
  id: 'P22',
  name: 'FailClosed',
  watch(world) {
    const MAX_PRICE_DISTANCE = 0.2;
    return {
      onSend(sent) {
        if (!sent.isPlace) return undefined;
        const body = JSON.parse(sent.body) as Readonly<Record<string, string>>;
        const symbol = /symbol=(\w+)/.exec(sent.query)?.[1] ?? '';
        const last = world.sandbox.exchange.prices(symbol)?.last;
        if (last === undefined || !TRADED.some((traded) => traded === symbol))
          return `an order on ${symbol}`;
        if (!(Number(body['quantity']) > 0)) return `quantity ${body['quantity']}`;
        const price = body['order_price'];
        const ratio = price === undefined ? 1 : (Number(price) * 1e8) / scaledOf(last);
        return Math.abs(ratio - 1) < MAX_PRICE_DISTANCE || world.isFence(sent)
          ? undefined
          : `price ${price} where ${symbol} is at ${textFromFixed(last)}`;
      },
    };
  },
};

/** Nothing grows without end. */
export const bounded: Check = {
  id: 'P24',
  name: 'Bounded',
  watch(world) {
    const MOST = { timers: 2_000, orders: 60, logLinesPerS: 20, requestsPerS: 12 };
    return {
      onSettled() {
        const { orderCount = 0 } = world.bot?.engine.ledger ?? {};
        if (orderCount > MOST.orders) return `${orderCount} orders are active`;
        const { pending } = world.time;
        return pending > MOST.timers ? `${pending} timers wait` : undefined;
      },
      onRunEnd() {
        const seconds = world.time.monotonicMs() / 1_000 + 5 * world.runCount;
        if (world.log.length > MOST.logLinesPerS * seconds)
          return `${world.log.length} log lines in ${seconds} s`;
        return world.requests.length > MOST.requestsPerS * seconds
          ? `${world.requests.length} requests in ${seconds} s`
          : undefined;
      },
    };
  },
};

/** Once all is proved, looking again changes nothing. */
/**
 * An increase that an earlier run decided is not continued: the tracker forgets its target once the symbol is
 * ready, and no order follows.
 */
function isAbandonedTarget(line: JournalLine): boolean {
  const kept = line['kept'] as { readonly key: string; readonly value: string } | undefined;
  if (line.type !== 'state' || !kept?.key.startsWith('target:')) return false;
  const target = JSON.parse(kept.value) as object;
  return !('desired' in target) && !('held' in target);
}

export const reconcileIdempotent: Check = {
  id: 'P26',
  name: 'ReconcileIdempotent',
  watch(world) {
    let since: string | undefined;
    const moved = (what: string): undefined => {
      if (world.isIdle) since ??= what;
      return undefined;
    };
    let excused = false;
    /** A quarantine goes on, or an operation. */
    let isOpen = false;
    const operations = new Set<unknown>();
    return {
      onVenueEvent(event) {
        // A stop that fires, or a limit that fills, is news.
        if (world.isIdle && event.kind !== 'position') excused = true;
        return undefined;
      },
      onRecord(line) {
        // How far history was read: nothing of the account has changed.
        if (line.type === 'history') return undefined;
        // How far the wallet is explained: fees and trades of a hand show some reads later.
        if (line.type === 'losses') return undefined;
        if (isAbandonedTarget(line)) return undefined;
        // A strategy that could not reduce tries again at a candle: a decision of its own.
        if (world.isIdle && line.type === 'verdict') excused = true;
        // A self-clearing restriction ends by its own time, 60 s after its last trigger.
        const ends = line.type === 'mode' && line['restriction'] === 'TRADING';
        if (ends && line['class'] === 'self-clearing') return undefined;
        // A person who resumes a restriction lets its symbol trade again.
        if (world.isIdle && line.type === 'command') excused = true;
        // What was set again before is shown now: the end of what was under way.
        if (line.type === 'note' && String(line['text']).endsWith('has its stop again'))
          return undefined;
        const { operationId } = line;
        if (line.type === 'operation-ended') operations.delete(operationId);
        else if (operationId !== undefined && !world.isIdle) operations.add(operationId);
        return moved(`the journal got ${recordText(line)}`);
      },
      onSend: ({ method, path }) =>
        method === 'GET' ? undefined : moved(`${method} ${path} left`),
      onQuiet() {
        const active = [...(world.bot?.engine.ledger.allOpenOrders() ?? [])];
        isOpen = operations.size > 0 || active.some(({ state }) => isUnproved(state));
        return undefined;
      },
      onIdle: () => (excused || isOpen ? undefined : since),
    };
  },
};

function isEntry({ isPlace, body }: Sent): boolean {
  return isPlace && body.includes('"reduce_only":false');
}
