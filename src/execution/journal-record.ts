import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CURRENCIES } from '../core/currency.js';
import { fixedFromText, textFromFixed, type Fixed } from '../core/fixed.js';
import { isClientOrderId } from '../core/ids.js';
import { decisionKey, type OrderIntent } from '../core/intent.js';
import { isInterval, type Interval } from '../core/interval.js';
import type { OrderTerms } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import { MODES, type Mode } from '../risk/mode.js';

/**
 * The journal's words: one JSON line a frame, version first, keys in the order written here, decimals
 * as text. A field or type that this version does not know refuses to be read, since a journal that
 * is half understood proves nothing (hazard J15).
 */
const VERSION = 1;

/** The bytes of a frame are not a record that this version can read. */
export class JournalRecordError extends Error {
  override readonly name = 'JournalRecordError';
}

/** Shortest decimal text ↔ `Fixed`, exact both ways. */
const decimal = <Unit extends string>() =>
  z.codec(z.string(), z.custom<Fixed<Unit>>(Number.isSafeInteger), {
    decode(text, context) {
      try {
        const value = fixedFromText<Unit>(text);
        if (textFromFixed(value) === text) return value;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
      context.issues.push({
        code: 'custom',
        input: text,
        message: `"${text}" is not a shortest decimal with up to 8 places`,
      });
      return z.NEVER;
    },
    encode: (value) => textFromFixed(value),
  });

const price = decimal<'price'>();
const quantity = decimal<'quantity'>();
const milliseconds = z.int();
const count = z.int().min(0);
const text = z.string();
const clientOrderId = z.string().refine(isClientOrderId, { error: 'is not a client order id' });
const currency = z.enum(CURRENCIES);
const side = z.enum(['buy', 'sell']);
const mode = z.enum(MODES as readonly [Mode, ...Mode[]]);
const interval = z.custom<Interval>((value) => typeof value === 'string' && isInterval(value));

/** Every code once: a new one does not compile until it is listed. */
const REJECTION_CODES: Readonly<Record<RejectionCode, true>> = {
  'invalid-currency': true,
  'invalid-trigger-type': true,
  'invalid-order-type': true,
  'limit-price-missing': true,
  'quantity-step': true,
  'quantity-range': true,
  'price-step': true,
  'price-range': true,
  'notional-below-minimum': true,
  'invalid-stop-loss': true,
  'invalid-take-profit': true,
  'leverage-not-set': true,
  'leverage-range': true,
  'insufficient-balance': true,
  'reduce-only-without-position': true,
  'reduce-only-same-side': true,
  'params-error': true,
  delisting: true,
  'asset-not-found': true,
  'client-order-id-exists': true,
  'invalid-client-order-id': true,
  locked: true,
  'rate-limited': true,
  'order-not-found': true,
  'order-not-open': true,
  'order-reference-missing': true,
  'position-not-found': true,
  'position-not-open': true,
  'position-not-in-sync': true,
  'protection-refused': true,
  'protection-order-missing': true,
  'insufficient-funds': true,
  'wallets-equal': true,
  'invalid-request': true,
  forbidden: true,
};
const rejectionCode = z.custom<RejectionCode>(
  (value) => typeof value === 'string' && Object.hasOwn(REJECTION_CODES, value),
);

const cause = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('candle'), symbol: text, interval, openTime: milliseconds }),
  z.strictObject({
    kind: z.literal('second'),
    symbol: text,
    price: z.enum(['last', 'mark']),
    openTime: milliseconds,
  }),
  z.strictObject({ kind: z.literal('mark-candle'), symbol: text, openTime: milliseconds }),
  z.strictObject({ kind: z.literal('fill'), orderId: text, fillId: text }),
  z.strictObject({ kind: z.literal('timer'), venueTime: milliseconds, key: text }),
  z.strictObject({ kind: z.literal('operator'), commandId: text }),
]);

const terms = z.strictObject({
  symbol: text,
  currency,
  side,
  type: z.enum(['market', 'limit']),
  quantity,
  price: z.exactOptional(price),
  reduceOnly: z.boolean(),
  stopLoss: z.exactOptional(price),
  takeProfit: z.exactOptional(price),
});

const command = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('stop'),
    policy: z.enum(['keep', 'cancel-entries', 'flatten']),
  }),
  z.strictObject({
    kind: z.literal('kill'),
    level: z.enum(['pause', 'cancel', 'flatten']),
    reason: text,
  }),
  z.strictObject({ kind: z.literal('order'), terms, validUntil: milliseconds }),
  z.strictObject({ kind: z.literal('cancel'), clientOrderId }),
  z.strictObject({
    kind: z.literal('amend'),
    clientOrderId,
    price,
    quantity,
    validUntil: milliseconds,
  }),
  z.strictObject({
    kind: z.literal('operation'),
    what: z.enum(['transfer', 'leverage']),
    phase: z.enum(['begun', 'done', 'refused', 'unproved']),
    text,
  }),
]);

/** `venueTime`: ms UTC at the venue when the record was made. */
const record = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({
    v: z.literal(VERSION),
    type: z.literal(type),
    venueTime: milliseconds,
    ...shape,
  });

const journalRecord = z.discriminatedUnion('type', [
  /** First of every journal: whose it is. `instance` tells two sandboxes at one address apart. */
  record('header', { account: text, venue: text, instance: z.exactOptional(text) }),
  /** Durable before its first attempt. `reserved` is its worst-case notional, USDT. */
  record('intent', {
    clientOrderId,
    generation: count,
    strategyId: text,
    cause,
    ordinal: count,
    decisionKey: text,
    leg: count,
    terms,
    referencePrice: price,
    decidedAt: milliseconds,
    validUntil: milliseconds,
    payloadHash: text,
    reserved: decimal<'USDT'>(),
  }),
  /** `control` on an approval: what `research` would have refused by. */
  record('verdict', {
    clientOrderId: z.exactOptional(clientOrderId),
    strategyId: text,
    decisionKey: text,
    leg: count,
    phase: z.enum(['decide', 'send']),
    ok: z.boolean(),
    control: z.exactOptional(text),
    key: z.exactOptional(text),
    text,
    values: z.record(text, text),
  }),
  /** Durable before its bytes may leave. Attempts count from 1. */
  record('attempt', { clientOrderId, attempt: count, generation: count }),
  record('outcome', {
    clientOrderId,
    attempt: count,
    outcome: z.enum(['yes', 'no', 'unknown']),
    orderId: z.exactOptional(text),
    positionId: z.exactOptional(text),
    code: z.exactOptional(rejectionCode),
    status: z.exactOptional(count),
    sent: z.exactOptional(z.boolean()),
    text: z.exactOptional(text),
    cause: z.exactOptional(text),
  }),
  /** What the venue said of an order of ours. `final`: nothing can follow. */
  record('update', {
    clientOrderId,
    orderId: z.exactOptional(text),
    status: z.enum([
      'created',
      'partially-filled',
      'filled',
      'canceled',
      'system-canceled',
      'unrecognised',
    ]),
    filledQuantity: quantity,
    averagePrice: z.exactOptional(price),
    final: z.boolean(),
    reason: z.exactOptional(text),
  }),
  /** Never sent, and never to be. */
  record('dropped', { clientOrderId, reason: text }),
  /** The id can never become an order; `evidence` says what was read to prove it. */
  record('burned', { clientOrderId, evidence: text }),
  record('mode', { symbol: z.exactOptional(text), from: mode, to: mode, cause: text }),
  record('command', { commandId: text, command }),
  record('leverage', {
    symbol: text,
    currency,
    leverage: decimal<'ratio'>(),
    source: z.enum(['configured', 'set', 'read']),
  }),
  record('note', {
    level: z.enum(['info', 'warn', 'error']),
    text,
    clientOrderId: z.exactOptional(clientOrderId),
  }),
]);

type Versioned = z.output<typeof journalRecord>;
type WithoutVersion<R> = R extends unknown ? Omit<R, 'v'> : never;

export type JournalRecord = WithoutVersion<Versioned>;
export type JournalRecordType = JournalRecord['type'];
export type JournalRecordOf<Type extends JournalRecordType> = Extract<
  JournalRecord,
  { readonly type: Type }
>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws ZodError when the record is not one: a broken promise of the caller */
export function encodeJournalRecord(value: JournalRecord): Uint8Array {
  const versioned = { v: VERSION, ...sorted(value) } as Versioned;
  return encoder.encode(`${JSON.stringify(z.encode(journalRecord, versioned))}\n`);
}

/** @throws JournalRecordError naming the field, or the version that can read it */
export function decodeJournalRecord(bytes: Uint8Array): JournalRecord {
  const raw = parseLine(bytes);
  const version = typeof raw === 'object' && raw !== null && 'v' in raw ? raw.v : undefined;
  if (version !== VERSION) {
    throw new JournalRecordError(
      `Journal record of version ${JSON.stringify(version)}; this version reads ${VERSION}`,
    );
  }
  const parsed = z.safeDecode(journalRecord, raw as z.input<typeof journalRecord>);
  if (!parsed.success) {
    throw new JournalRecordError(`Journal record: ${z.prettifyError(parsed.error)}`, {
      cause: parsed.error,
    });
  }
  const { v: _version, ...value } = parsed.data;
  assertOneDecision(value);
  return value;
}

/** The intent as it was judged: what a restart goes on with. */
export function intentOfRecord(value: JournalRecordOf<'intent'>): OrderIntent {
  const { strategyId, ordinal, leg, referencePrice, decidedAt, validUntil } = value;
  return {
    strategyId,
    cause: value.cause,
    ordinal,
    leg,
    terms: value.terms,
    referencePrice,
    decidedAt,
    validUntil,
  };
}

/** SHA-256, hex, of what the venue is asked for under an id: equal ids must have equal payloads. */
export function payloadHashOf(id: string, value: OrderTerms): string {
  const payload = JSON.stringify([id, z.encode(terms, value)]);
  return createHash('sha256').update(payload, 'utf8').digest('hex');
}

/** A verdict's values come in any order; the bytes must not tell. */
function sorted(value: JournalRecord): JournalRecord {
  if (value.type !== 'verdict') return value;
  const keys = Object.keys(value.values).sort();
  return {
    ...value,
    values: Object.fromEntries(keys.map((key) => [key, value.values[key] ?? ''])),
  };
}

function parseLine(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new JournalRecordError('Journal record is not a line of JSON', { cause });
  }
}

function assertOneDecision(value: JournalRecord): void {
  if (value.type !== 'intent') return;
  const expected = decisionKey(value.cause, value.ordinal);
  if (value.decisionKey === expected) return;
  throw new JournalRecordError(
    `Journal record: decision key ${value.decisionKey} does not belong to its cause, ${expected}`,
  );
}
