import { textFromFixed } from '../../../../src/core/fixed/fixed.js';
import { isClientOrderId } from '../../../../src/core/ids.js';
import type { JournalLine } from '../journal-tap.js';
import type { Check, Sent } from '../watcher.js';
import { configOf } from '../sim-config.js';
import type { SimWorld } from '../world.js';

/** A clock that is learnt over the wire is off by a round trip, ms of this machine. */
const CLOCK_SLACK_MS = 25;

export const writeAhead: Check = {
  id: 'P6',
  name: 'WriteAhead',
  watch(world) {
    const attempts = new Map<string, number>();
    const sends = new Map<string, number>();
    return {
      onRecord(line) {
        const isAttempt = line.type === 'attempt' || line.type === 'fence';
        if (!isAttempt || line.clientOrderId === undefined) return undefined;
        attempts.set(line.clientOrderId, (attempts.get(line.clientOrderId) ?? 0) + 1);
        return world.intents.has(line.clientOrderId)
          ? undefined
          : `an attempt of ${line.clientOrderId} stands before its intent`;
      },
      onSend({ isPlace, clientOrderId = '', method, path }) {
        if (!isPlace) return undefined;
        if (!world.intents.has(clientOrderId))
          return `${method} ${path} of ${clientOrderId} left without a durable intent`;
        const sent = (sends.get(clientOrderId) ?? 0) + 1;
        sends.set(clientOrderId, sent);
        const journaled = attempts.get(clientOrderId) ?? 0;
        return sent > journaled
          ? `send ${sent} of ${clientOrderId} left with ${journaled} durable attempts`
          : undefined;
      },
    };
  },
};

export const noStaleSend: Check = {
  id: 'P10',
  name: 'NoStaleSend',
  watch: (world) => ({
    onSend(sent) {
      const intent = intentOf(world, sent);
      if (intent === undefined || world.isFence(sent)) return undefined;
      const slack = CLOCK_SLACK_MS * world.plan.factor;
      const lateBy = sent.venueMs - Number(intent['validUntil']);
      return lateBy > slack
        ? `${sent.clientOrderId} left ${lateBy} venue ms after it was valid`
        : undefined;
    },
  }),
};

/** What an account is read by. */
const ACCOUNT_LISTS = ['/futures/orders', '/futures/positions', '/futures/funds'];
/** From the last look at an order to its bytes: a pause of the process can fall in between. */
const READ_TO_SEND_MS = 2_000;
const LONGEST_PAUSE_MS = 20_000;

/** What opens leaves only on a young picture of the account, read by the very process (R05, J9). */
export const freshState: Check = {
  id: 'P10',
  name: 'FreshState',
  watch(world) {
    const limits = configOf(world.plan).riskSettings.limits.maxStateAgeMs;
    const pauses = ['sigstop', 'loop_block'].some((kind) => world.plan.kinds.has(kind));
    const slack = pauses ? LONGEST_PAUSE_MS : READ_TO_SEND_MS;
    /** When the newest answered read of each list began. */
    let read = new Map<string, number>();
    return {
      onProcessEnd() {
        read = new Map();
        return undefined;
      },
      onResponse({ method, path, query, at, response }) {
        const isRead = method === 'GET' && response?.status === 200 && /=USDT(?:&|$)/.test(query);
        const list = isRead && ACCOUNT_LISTS.find((end) => path.endsWith(end));
        if (list !== undefined && list !== false)
          read.set(list, Math.max(at, read.get(list) ?? at));
        return undefined;
      },
      onSend(sent) {
        const { at, clientOrderId } = sent;
        if (!opens(world, sent)) return undefined;
        for (const list of ACCOUNT_LISTS) {
          const since = read.get(list);
          if (since === undefined) return `${clientOrderId} left before ${list} was read`;
          if (at - since > limits.entry + slack)
            return `${clientOrderId} left ${at - since} ms after ${list} was read`;
        }
        return undefined;
      },
    };
  },
};

/** What was decided together with a stricter mode may share its write. */
const ONE_WRITE_MS = 50;

/** Nothing that opens leaves while the account is in a mode that lets nothing open, by its own journal. */
export const modeHolds: Check = {
  id: 'P23',
  name: 'ModeHolds',
  watch(world) {
    let closedAt: number | undefined;
    return {
      onProcessEnd() {
        closedAt ??= world.time.monotonicMs();
        return undefined;
      },
      onRecord({ type, ...line }) {
        if (type !== 'mode' || line['symbol'] !== undefined) return undefined;
        if (line['to'] === 'TRADING') closedAt = undefined;
        else closedAt ??= world.time.monotonicMs();
        return undefined;
      },
      onSend(sent) {
        const { at, clientOrderId } = sent;
        if (!opens(world, sent) || closedAt === undefined) return undefined;
        return at > closedAt + ONE_WRITE_MS
          ? `${clientOrderId} left ${at - closedAt} ms after a mode that lets nothing open`
          : undefined;
      },
    };
  },
};

/** What opens leaves only once the venue has told of every order that an earlier life left (J9, G12). */
export const earlierFirst: Check = {
  id: 'P10',
  name: 'EarlierFirst',
  watch(world) {
    /** Of all lives, by what the journal says: may still trade, or nobody knows. */
    const open = new Set<string>();
    const unclear = new Set<string>();
    let unreported = new Set<string>();
    const markReported = (matched: (clientOrderId: string) => boolean): undefined => {
      for (const id of unreported) if (matched(id)) unreported.delete(id);
      return undefined;
    };
    return {
      onRecord(line) {
        const { type, clientOrderId = '' } = line;
        if (type === 'outcome' && line['outcome'] === 'unknown' && line['sent'] !== false)
          unclear.add(clientOrderId);
        if (isOpening(line)) open.add(clientOrderId);
        else if (isClosing(line, unclear.has(clientOrderId))) {
          open.delete(clientOrderId);
          // Told to the life before, whose journal was durable a moment before it died.
          unreported.delete(clientOrderId);
        }
        return undefined;
      },
      onProcessEnd() {
        unreported = new Set(open);
        return undefined;
      },
      onResponse({ method, path, clientOrderId, response, query }) {
        const { status, body = '' } = response ?? {};
        const isReport =
          method === 'GET' && (status === 200 || (status === 404 && body[0] === '{'));
        if (!isReport || unreported.size === 0) return undefined;
        if (clientOrderId !== undefined) return markReported((id) => id === clientOrderId);
        const shown = (id: string): boolean => {
          const orderId = world.order(id)?.orderId;
          return body.includes(id) || (orderId !== undefined && query.includes(orderId));
        };
        return /\/orders(?:\/|$)/.test(path) ? markReported(shown) : undefined;
      },
      onSend(sent) {
        const { clientOrderId } = sent;
        if (!opens(world, sent)) return undefined;
        const [first] = unreported;
        return first === undefined
          ? undefined
          : `${clientOrderId} left before the venue had told of ${first}, of an earlier life`;
      },
    };
  },
};

const isOpening = ({ type, ...line }: JournalLine): boolean =>
  type === 'attempt' || (type === 'update' && line['final'] !== true);

/** Nothing of it can trade any more; a no after an unclear attempt proves nothing. */
function isClosing({ type, ...line }: JournalLine, wasUnclear: boolean): boolean {
  if (type === 'update') return line['final'] === true;
  if (type === 'dropped' || type === 'burned') return true;
  if (type !== 'outcome' || wasUnclear) return false;
  if (line['outcome'] === 'unknown') return line['sent'] === false;
  return line['outcome'] === 'no' && line['code'] !== 'client-order-id-exists';
}

const PLAIN = /^-?\d+(?:\.\d+)?$/;

/** Every decimal on the wire is the journal's, written plainly. */
export const noFloat: Check = {
  id: 'P12',
  name: 'NoFloat',
  watch: (world) => ({
    onSend(sent) {
      if (sent.body === '') return undefined;
      const body = JSON.parse(sent.body) as Readonly<Record<string, unknown>>;
      for (const [name, value] of Object.entries(body)) {
        if (typeof value === 'number') return `${sent.path} has the number ${name}=${value}`;
        const isDecimal = /quantity|price|margin|amount|leverage/.test(name);
        if (isDecimal && typeof value === 'string' && /\d/.test(value) && !PLAIN.test(value))
          return `${sent.path} has ${name}=${value}`;
      }
      return differsFrom(world.isFence(sent) ? fenceOf(world, sent) : termsOf(world, sent), body);
    },
  }),
};

type Fields = Readonly<Record<string, unknown>>;
const fenceOf = (world: SimWorld, { clientOrderId = '' }: Sent): Fields | undefined =>
  world.fences.get(clientOrderId);
const termsOf = (world: SimWorld, sent: Sent): Fields | undefined =>
  intentOf(world, sent)?.['terms'] as Fields | undefined;

function differsFrom(terms: Fields | undefined, body: Fields): string | undefined {
  if (terms === undefined) return undefined;
  const pairs = [
    ['quantity', 'quantity'],
    ['order_price', 'price'],
    ['stoploss_price', 'stopLoss'],
    ['takeprofit_price', 'takeProfit'],
    ['reduce_only', 'reduceOnly'],
    ['trade_currency', 'currency'],
  ] as const;
  for (const [onWire, inJournal] of pairs) {
    if (body[onWire] !== terms[inJournal])
      return `${onWire} is ${String(body[onWire])} on the wire, ${String(terms[inJournal])} in the journal`;
  }
  return undefined;
}

export const idHygiene: Check = {
  id: 'P29',
  name: 'IdHygiene',
  watch(world) {
    const bodies = new Map<string, string>();
    return {
      onSend(sent) {
        const { isPlace, clientOrderId = '', body } = sent;
        if (!isPlace) return undefined;
        if (!isClientOrderId(clientOrderId)) return `a place has the id "${clientOrderId}"`;
        const which = world.isFence(sent) ? `fence of ${clientOrderId}` : clientOrderId;
        const known = bodies.get(which);
        bodies.set(which, body);
        return known !== undefined && known !== body
          ? `${clientOrderId} was sent as ${known} and as ${body}`
          : undefined;
      },
    };
  },
};

/** Of the limit, for a candle of a minute; from the last look to the bytes; and a pause of the process. */
const ENTRY_AGE_MS = 3_000;

/** An entry leaves soon after its decision, and never in a later life. An order by hand has its own time. */
export const entriesAge: Check = {
  id: 'P36',
  name: 'EntriesAge',
  watch(world) {
    const decided = new Map<string, { readonly at: number; readonly runNumber: number }>();
    const pauses = ['sigstop', 'loop_block'].some((kind) => world.plan.kinds.has(kind));
    const limit = ENTRY_AGE_MS + (pauses ? LONGEST_PAUSE_MS : READ_TO_SEND_MS);
    return {
      onRecord({ type, clientOrderId = '', ...line }) {
        const isManual = String(line['strategyId']) === 'operator';
        const at = isManual ? Number.POSITIVE_INFINITY : world.time.monotonicMs();
        if (type === 'intent') decided.set(clientOrderId, { at, runNumber: world.runCount });
        return undefined;
      },
      onSend(sent) {
        const { clientOrderId = '', at } = sent;
        const decision = decided.get(clientOrderId);
        if (
          !opens(world, sent) ||
          decision === undefined ||
          decision.at === Number.POSITIVE_INFINITY
        )
          return undefined;
        if (decision.runNumber !== world.runCount)
          return `${clientOrderId} left in life ${world.runCount}, and was decided in ${decision.runNumber}`;
        const age = at - decision.at;
        return age > limit ? `${clientOrderId} left ${age} ms after its decision` : undefined;
      },
    };
  },
};

/** An order that was withdrawn, or is to be canceled, is never sent again, by no later life either. */
export const withdrawnStays: Check = {
  id: 'P34',
  name: 'WithdrawnStays',
  watch(world) {
    const withdrawn = new Map<string, string>();
    return {
      onRecord({ type, clientOrderId = '', ...line }) {
        if (type === 'instruction') withdrawn.set(clientOrderId, String(line['reason']));
        if (type === 'dropped') withdrawn.set(clientOrderId, 'it was dropped');
        return undefined;
      },
      onSend(sent) {
        const { isPlace, clientOrderId = '' } = sent;
        if (!isPlace || world.isFence(sent)) return undefined;
        const reason = withdrawn.get(clientOrderId);
        return reason === undefined ? undefined : `${clientOrderId} left after this: ${reason}`;
      },
    };
  },
};

export const causeChain: Check = {
  id: 'P30',
  name: 'CauseChain',
  watch(world) {
    const approved = new Set<string>();
    return {
      onRecord(line) {
        if (line.type === 'verdict' && line['ok'] === true && line.clientOrderId !== undefined)
          approved.add(line.clientOrderId);
        return undefined;
      },
      onSend(sent) {
        const intent = intentOf(world, sent);
        if (!sent.isPlace) return undefined;
        if (intent === undefined) return `${sent.clientOrderId} has no intent`;
        if (intent['decisionKey'] === '') return `${sent.clientOrderId} has no decision`;
        return approved.has(sent.clientOrderId ?? '')
          ? undefined
          : `${sent.clientOrderId} left without a durable verdict`;
      },
    };
  },
};

/** Operations that have no id of their own: sent again, they would be done again. */
const SINGLE = /\/(?:close|reverse|add-margin|transfer|transfers\/inr)$/;

export const singleShot: Check = {
  id: 'P27',
  name: 'SingleShot',
  watch() {
    let sends = 0;
    let attempts = 0;
    return {
      onRecord(line) {
        if (line.type === 'operation-attempt') attempts += 1;
        return undefined;
      },
      onSend({ method, path }) {
        if (method !== 'POST' || !SINGLE.test(path)) return undefined;
        sends += 1;
        return sends > attempts ? `${path} left without a durable attempt of its own` : undefined;
      },
    };
  },
};

/** Lists that each currency has of its own. */
const OF_A_CURRENCY =
  /\/futures\/(?:orders|orders\/history|positions|positions\/history|fee\/history|funds|transactions)$/;

export const currencyIsolation: Check = {
  id: 'P31',
  name: 'CurrencyIsolation',
  watch(world) {
    const { exchange } = world.sandbox;
    const start = exchange.equity('INR');
    return {
      onSend({ method, path, query }) {
        const named = /(?:^|&)(?:trade_)?currency=(?:USDT|INR)(?:&|$)/.test(query);
        return method === 'GET' && OF_A_CURRENCY.test(path) && !named
          ? `${path}?${query} names no currency`
          : undefined;
      },
      onRunEnd: () =>
        exchange.equity('INR') === start
          ? undefined
          : `INR moved from ${textFromFixed(start)} to ${textFromFixed(exchange.equity('INR'))}`,
    };
  },
};

export const noSecretLeak: Check = {
  id: 'P21',
  name: 'SecretSilence',
  watch: (world) => ({
    onRunEnd() {
      const { secret } = world.sandbox;
      const encodedSecrets = [
        secret,
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('hex'),
        encodeURIComponent(secret),
      ];
      const containsSecret = (text: string): boolean =>
        encodedSecrets.some((encodedSecret) => text.includes(encodedSecret));
      const line = world.log.find(({ text }) => containsSecret(text));
      if (line !== undefined) return `the log has it: ${line.text}`;
      const sent = world.requests.find(({ path, query, body }) =>
        containsSecret(`${path}?${query} ${body}`),
      );
      if (sent !== undefined) return `request ${sent.sequence} has it`;
      const file = world.files.paths().find((path) => {
        const bytes = Buffer.from((world.files.peek(path) ?? new Uint8Array()).buffer);
        return encodedSecrets.some((encodedSecret) => bytes.includes(encodedSecret));
      });
      return file === undefined ? undefined : `${file} has it`;
    },
  }),
};

/** It may put something on. A fence rests where no market comes, and is canceled. */
const opens = (world: SimWorld, sent: Sent): boolean =>
  sent.isPlace && sent.body.includes('"reduce_only":false') && !world.isFence(sent);

const intentOf = (world: SimWorld, sent: Sent): JournalLine | undefined =>
  sent.isPlace && sent.clientOrderId !== undefined
    ? world.intents.get(sent.clientOrderId)
    : undefined;
