import type { JournalLine } from './journal-tap.js';
import { persistedStateIn } from './persisted-state.js';
import type { Branch, Sent } from './watcher.js';
import { isPast } from './known-order.js';
import type { SimWorld } from './world.js';

type OnReached = () => void;

/** Journal records of one order, in order. */
function following(
  name: string,
  matches: (lines: readonly JournalLine[], line: JournalLine) => boolean,
): Branch {
  return {
    name,
    watch(_, reached) {
      const linesOf = new Map<string, JournalLine[]>();
      return {
        onRecord(line) {
          if (line.clientOrderId === undefined) return undefined;
          const lines = linesOf.get(line.clientOrderId) ?? [];
          if (matches(lines, line)) reached();
          lines.push(line);
          linesOf.set(line.clientOrderId, lines);
          return undefined;
        },
      };
    },
  };
}

/** An answer that a process has read. */
const answered = (name: string, matches: (sent: Sent, world: SimWorld) => boolean): Branch => ({
  name,
  watch: (world, reached) => ({
    onResponse(sent) {
      if (matches(sent, world)) reached();
      return undefined;
    },
  }),
});

/** Something that the end of the run shows. */
const ending = (name: string, matches: (world: SimWorld) => boolean): Branch => ({
  name,
  watch: (world, reached) => ({
    onRunEnd() {
      if (matches(world)) reached();
      return undefined;
    },
  }),
});

const logged = (name: string, pattern: RegExp): Branch =>
  ending(name, ({ log }) => log.some(({ text }) => pattern.test(text)));

/** A process died where the journal of an order says so. */
function crashedAt(name: string, where: RegExp, last?: string): Branch {
  return {
    name,
    watch(world, reached: OnReached) {
      let lastType = '';
      return {
        onRecord(line) {
          if (line.clientOrderId !== undefined) lastType = line.type;
          return undefined;
        },
        onProcessEnd() {
          const { cause = '' } = world.botRun?.process ?? {};
          if (where.test(cause) && (last === undefined || last === lastType)) reached();
          return undefined;
        },
      };
    },
  };
}

const isOutcome = (line: JournalLine, outcome: string): boolean =>
  line.type === 'outcome' && line['outcome'] === outcome;
const isConflict = (line: JournalLine): boolean =>
  line.type === 'outcome' && line['code'] === 'client-order-id-exists';
const isNote = (line: JournalLine, pattern: RegExp): boolean =>
  line.type === 'note' && pattern.test(String(line['text']));
const wasUnknown = (lines: readonly JournalLine[]): boolean =>
  lines.some((line) => isOutcome(line, 'unknown'));
const isUpdate = (line: JournalLine): boolean => line.type === 'update';
const isReported = (lines: readonly JournalLine[]): boolean =>
  lines.some((line) => isUpdate(line) || isOutcome(line, 'yes'));

const isOrderQuery = ({ path }: Sent): boolean => path.endsWith('/orders/detail');

/** Branches that some seed must come to (P33); what a run never reaches it does not prove. */
export const BRANCHES: readonly Branch[] = [
  logged('an exit was unproved for a while', /exit of \w+ unproved for/),
  following('409 on the first attempt', (_, line) => isConflict(line) && line['attempt'] === 1),
  following('409 after an unknown', (lines, line) => isConflict(line) && wasUnknown(lines)),
  following('an id proved burned', (_, line) => line.type === 'burned'),
  following(
    'a no after an unknown is no proof',
    (lines, line) => isOutcome(line, 'no') && !isConflict(line) && wasUnknown(lines),
  ),
  following(
    'an unknown found to have landed',
    (lines, line) => isUpdate(line) && wasUnknown(lines) && !isReported(lines),
  ),
  following(
    'an unknown sent again under the same id',
    (lines, line) => line.type === 'attempt' && wasUnknown(lines),
  ),
  following('quarantined', (_, line) => isNote(line, /quarantined/)),
  following(
    'quarantined, then found',
    (lines, line) => isUpdate(line) && lines.some((earlier) => isNote(earlier, /quarantined/)),
  ),
  following(
    'a fence took the id',
    (_, line) => line.type === 'fence-outcome' && line['outcome'] === 'yes',
  ),
  following(
    'a fence whose answer was lost is found',
    (lines, line) =>
      line.type === 'fence-outcome' &&
      line['outcome'] === 'yes' &&
      lines.some((one) => one.type === 'fence-outcome' && one['outcome'] === 'unknown'),
  ),
  following(
    'a fence met 409',
    (_, line) => line.type === 'fence-outcome' && line['code'] === 'client-order-id-exists',
  ),
  following(
    '423, then sent again',
    (lines, line) =>
      line.type === 'attempt' && lines.some((earlier) => earlier['code'] === 'locked'),
  ),
  following(
    '429, then sent again',
    (lines, line) =>
      line.type === 'attempt' && lines.some((earlier) => earlier['code'] === 'rate-limited'),
  ),
  following(
    'nothing left: sent again',
    (lines, line) =>
      line.type === 'attempt' &&
      lines.some((earlier) => isOutcome(earlier, 'unknown') && earlier['sent'] === false),
  ),
  following(
    'dropped before it was ever sent',
    (lines, line) => line.type === 'dropped' && lines.every(({ type }) => type !== 'attempt'),
  ),
  following(
    'filled in more than one part',
    (lines, line) =>
      isUpdate(line) &&
      new Set([...lines, line].filter(isUpdate).map((one) => one['filledQuantity'])).size > 2,
  ),
  following(
    'canceled after a partial fill',
    (_, line) =>
      isUpdate(line) &&
      line['final'] === true &&
      line['status'] !== 'filled' &&
      line['filledQuantity'] !== '0',
  ),
  following(
    'over in an order that stays PARTIAL_FILLED',
    (lines, line) =>
      isUpdate(line) &&
      line['status'] === 'canceled' &&
      lines.some((one) => isUpdate(one) && one['status'] === 'partially-filled'),
  ),
  {
    name: 'an order that landed late was adopted',
    watch(world, reached) {
      const lateIds = new Set<string>();
      return {
        onVenueEvent(event) {
          if (event.kind !== 'order' || !world.isOurs(event.order.clientOrderId)) return undefined;
          const id = event.order.clientOrderId;
          const attempt = world.requests.findLast(
            (sent) => sent.isPlace && sent.clientOrderId === id,
          );
          const isLate = attempt !== undefined && world.time.monotonicMs() - attempt.at > LATE_MS;
          if (isLate && event.order.filledQuantity === 0) lateIds.add(id);
          return undefined;
        },
        onRecord(line) {
          if (isUpdate(line) && lateIds.has(line.clientOrderId ?? '')) reached();
          return undefined;
        },
      };
    },
  },
  {
    name: 'found by its row of history while its lookup says 404',
    watch(world, reached) {
      const missed = new Set<string>();
      return {
        onResponse({ response, clientOrderId = '', path }) {
          const isMiss = isOrderQuery({ path } as Sent) && response?.status === 404;
          if (isMiss && world.acceptedOrders.has(clientOrderId)) missed.add(clientOrderId);
          return undefined;
        },
        onRecord(line) {
          if (isUpdate(line) && missed.has(line.clientOrderId ?? '')) reached();
          return undefined;
        },
      };
    },
  },
  {
    name: 'a null list while a position is open',
    watch: (world, reached) => ({
      onResponse({ response, path }) {
        const isBlip =
          path.endsWith('/futures/positions') && response?.body.includes('"data":null') === true;
        if (isBlip && world.sandbox.exchange.positions('USDT').length > 0) reached();
        return undefined;
      },
    }),
  },
  {
    name: 'an order of somebody else was listed',
    watch: (world, reached) => ({
      onResponse({ response, path }) {
        if (!path.endsWith('/futures/orders') || response?.status !== 200) return undefined;
        if ([...world.forged].some((id) => response.body.includes(id))) reached();
        return undefined;
      },
    }),
  },
  {
    name: 'an order of somebody else was found in history',
    watch: (_, reached) => ({
      onRecord(line) {
        if (line.type === 'stray') reached();
        return undefined;
      },
    }),
  },
  answered('an answer cut in two', ({ response }) => /broke inside/.test(response?.body ?? '')),
  answered(
    'a page instead of JSON',
    ({ response, isPlace }) => isPlace && response?.body.startsWith('<html') === true,
  ),
  answered(
    'a redirect',
    ({ response }) => (response?.status ?? 0) >= 300 && (response?.status ?? 0) < 400,
  ),
  answered(
    'a cancel that came too late',
    ({ method, response }) => method === 'DELETE' && response?.status === 400,
  ),
  crashedAt('crash before INTENT', /^append .*journal/),
  crashedAt('crash between INTENT and ATTEMPT', /^append .*journal/, 'intent'),
  crashedAt('crash between ATTEMPT and bytes', /^request POST .*v2\/futures\/order/),
  crashedAt('crash between bytes and answer', /^sent POST .*v2\/futures\/order/),
  crashedAt('crash between answer and OUTCOME', /^answer POST .*v2\/futures\/order/),
  crashedAt('crash before a cancel left', /^request DELETE/),
  crashedAt('crash after a cancel left', /^sent DELETE/),
  {
    name: 'a strategy went on from what it had kept',
    watch(_, reached) {
      let hasCrashed = false;
      return {
        onProcessEnd() {
          hasCrashed = true;
          return undefined;
        },
        onRecord(line) {
          if (hasCrashed && (persistedStateIn(line)?.decisions ?? 0) > 1) reached();
          return undefined;
        },
      };
    },
  },
  {
    name: 'a state was kept without an order',
    watch: (_, reached) => ({
      onRecord(line) {
        if (line.type === 'state') reached();
        return undefined;
      },
    }),
  },
  answered('rows of an order that had left the memory', ({ method, path, response }, { bot }) => {
    if (bot === undefined || method !== 'GET' || !/orders|trades/.test(path)) return false;
    const ids = response?.body.matchAll(/"client_order_id":"([^"]+)"/g) ?? [];
    return [...ids].some(([, id = '']) => {
      const order = bot.engine.ledger.known(id);
      return order !== undefined && isPast(order);
    });
  }),
  ending('a second daemon was refused', ({ secondDaemonsRefused }) => secondDaemonsRefused > 0),
  ending('a torn tail', ({ simulatedFaults }) => simulatedFaults.has('torn')),
  ending('a damaged journal was refused', ({ startFailures }) =>
    startFailures.some((text) => /LogCorruptError/.test(text)),
  ),
  ending('no room on the disk', ({ startFailures }) =>
    startFailures.some((text) => /ENOSPC/.test(text)),
  ),
  ending('a failed sync', ({ startFailures }) => startFailures.some((text) => /EIO/.test(text))),
  ending('six lives', ({ runCount }) => runCount >= 6),
  logged('halted', /halted/),
  logged(
    'a position moved by others',
    /without an order of ours|^(stop-loss|take-profit|liquidation) of /,
  ),
  logged('the feed went down and came back', /market data is down/),
];

/** Longer than any answer is waited for. */
const LATE_MS = 10_500;
