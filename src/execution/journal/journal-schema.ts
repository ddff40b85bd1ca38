import { z } from 'zod';
import {
  clientOrderId,
  count,
  currency,
  decimal,
  interval,
  milliseconds,
  mode,
  money,
  price,
  quantity,
  rejectionCode,
  side,
  text,
} from './journal-values.js';
import { OPERATION_ENDS, operationPlan, operationStep } from './operation-schema.js';

/**
 * The shapes of the journal's records, keys in the order in which they are written. A type or a field
 * that is added needs no new version while an older Sluice may refuse what it does not know.
 */
export const JOURNAL_VERSION = 2;

const cause = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('candle'), symbol: text, interval, openTime: milliseconds }),
  z.strictObject({ kind: z.literal('round'), interval, closeTime: milliseconds }),
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

export const terms = z.strictObject({
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
    kind: z.literal('resolve'),
    clientOrderId,
    as: z.enum(['never-landed']),
  }),
  z.strictObject({ kind: z.literal('adopt'), what: text }),
  z.strictObject({ kind: z.literal('drop-flatten') }),
  z.strictObject({ kind: z.literal('resume'), symbol: text }),
  z.strictObject({
    kind: z.literal('amend'),
    clientOrderId,
    price,
    quantity,
    validUntil: milliseconds,
    inPlace: z.exactOptional(z.boolean()),
  }),
  z.strictObject({
    kind: z.literal('transfer'),
    currency,
    direction: z.enum(['deposit', 'withdraw']),
    amount: money,
    force: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('set-leverage'),
    symbol: text,
    currency,
    leverage: decimal<'ratio'>(),
  }),
  z.strictObject({
    kind: z.literal('margin'),
    symbol: text,
    currency,
    change: money,
    reduce: z.boolean(),
    force: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('protect'),
    symbol: text,
    currency,
    stopLoss: z.exactOptional(price),
    takeProfit: z.exactOptional(price),
  }),
  z.strictObject({
    kind: z.literal('operation'),
    what: z.enum(['transfer', 'leverage']),
    phase: z.enum(['begun', 'done', 'refused', 'unproved']),
    text,
  }),
]);

/** The answer to one attempt, of an order or of the fence under its id. */
const attemptOutcome = {
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
};

/** Durable state of a strategy under a key of its own: JSON text in the shape of its version. */
const kept = z.strictObject({
  key: text,
  version: count,
  value: text,
  /** Candles that are in it: series → newest time. Absent where nothing is known of it. */
  seen: z.exactOptional(z.record(text, milliseconds)),
});

/** `venueTime`: ms UTC at the venue when the record was made. */
const record = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({
    v: z.literal(JOURNAL_VERSION),
    type: z.literal(type),
    venueTime: milliseconds,
    ...shape,
  });

export const journalRecord = z.discriminatedUnion('type', [
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
    /** What the strategy kept with the decision. */
    kept: z.exactOptional(kept),
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
  /** What a strategy kept in a step that no intent took it along from. */
  record('state', { strategyId: text, kept }),
  /** Durable before its bytes may leave. Attempts count from 1. */
  record('attempt', { clientOrderId, attempt: count, generation: count }),
  record('outcome', attemptOutcome),
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
  /**
   * Another instruction for an order that may be at the venue, durable before anything follows from it:
   * `withdraw` (never sent again, by no later life) or `cancel` (the same, and taken back at the venue).
   */
  record('instruction', {
    clientOrderId,
    instruction: z.enum(['withdraw', 'cancel']),
    reason: text,
  }),
  /** A harmless order under the id of one that never landed: durable before its bytes may leave. */
  record('fence', { clientOrderId, attempt: count, terms }),
  /** `yes`: the fence has the id at the venue, so that the original can never land. */
  record('fence-outcome', attemptOutcome),
  /** Never sent, and never to be. */
  record('dropped', { clientOrderId, reason: text }),
  /** The id can never become an order; `evidence` says what was read to prove it. */
  record('burned', { clientOrderId, evidence: text }),
  record('mode', { symbol: z.exactOptional(text), from: mode, to: mode, cause: text }),
  record('command', { commandId: text, command }),
  /**
   * A flatten from its wish to its end: `flat` is proved, `withdrawn` a person's word. One that is
   * `wanted` goes on in the next life. `commandId`: of the command that its exits have their ids from.
   */
  record('flatten', {
    commandId: text,
    state: z.enum(['wanted', 'flat', 'withdrawn']),
    text,
  }),
  record('leverage', {
    symbol: text,
    currency,
    leverage: decimal<'ratio'>(),
    source: z.enum(['configured', 'set', 'read']),
  }),
  /** What is believed from here on for another cause than our own fills. `quantity` is signed. */
  record('position', {
    symbol: text,
    currency,
    quantity,
    /** What of it no order of ours explains; absent: nothing. */
    foreign: z.exactOptional(quantity),
    cause: text,
  }),
  /**
   * An order that has ended, in one record: what a compaction keeps of all that was said of it.
   * `venueTime`: of its last fill, else of its intent.
   */
  record('past', {
    clientOrderId,
    generation: count,
    strategyId: text,
    cause,
    ordinal: count,
    leg: count,
    terms,
    referencePrice: price,
    decidedAt: milliseconds,
    validUntil: milliseconds,
    state: z.enum(['filled', 'canceled', 'rejected', 'dropped', 'burned']),
    attempts: count,
    unknownSeen: z.boolean(),
    conflictSeen: z.boolean(),
    wanted: z.boolean(),
    orderId: z.exactOptional(text),
    positionId: z.exactOptional(text),
    filledQuantity: quantity,
    averagePrice: z.exactOptional(price),
    /** Terms of the fence that had its id at the venue in its place. */
    fence: z.exactOptional(terms),
  }),
  /**
   * What is to be changed and is neither a place nor a cancel: amendment, protection, margin, leverage,
   * transfer. Durable before its first attempt.
   */
  record('operation', {
    operationId: text,
    cause: z.exactOptional(cause),
    plan: operationPlan,
  }),
  /** Durable before its bytes may leave: what leaves, and what stood before it. From 1. */
  record('operation-attempt', { operationId: text, attempt: count, step: operationStep }),
  record('operation-outcome', {
    operationId: text,
    attempt: count,
    outcome: z.enum(['yes', 'no', 'unknown']),
    code: z.exactOptional(rejectionCode),
    status: z.exactOptional(count),
    sent: z.exactOptional(z.boolean()),
    text: z.exactOptional(text),
    cause: z.exactOptional(text),
  }),
  /** Nothing more is done for it; `evidence` says what proved the end, or why there is none. */
  record('operation-ended', { operationId: text, end: z.enum(OPERATION_ENDS), evidence: text }),
  /** An order at the venue with our namespace that this journal did not send; it halts until it is adopted. */
  record('stray', { clientOrderId: text, orderId: text }),
  /** Every order of the currency that the venue made before `judgedUntil` was compared with this journal. */
  record('history', { currency, judgedUntil: milliseconds }),
  /** From here on the reserve is written, and events are no longer recorded. Nothing is placed. */
  record('rescue', { cause: text }),
  record('note', {
    level: z.enum(['info', 'warn', 'error']),
    text,
    clientOrderId: z.exactOptional(clientOrderId),
  }),
]);
