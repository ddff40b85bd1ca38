import { z } from 'zod';
import { CONTROL_IDS } from '../../risk/control-id.js';
import { command } from './command-schema.js';
import {
  clientOrderId,
  count,
  currency,
  decimal,
  interval,
  kept,
  milliseconds,
  mode,
  money,
  price,
  quantity,
  rejectionCode,
  terms,
  text,
} from './journal-values.js';
import { ownership } from './ownership-schema.js';
import { OPERATION_ENDS, operationPlan, operationStep } from './operation-schema.js';

/**
 * Schemas of the journal's records, keys in the order in which they are written. A new type or
 * field needs no new version, since an older Sluice may refuse what it does not know.
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

/** Outcome of one attempt, of an order or of the fence under its id. */
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

/** `venueTime`: ms UTC at the venue when the record was made. */
const record = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({
    v: z.literal(JOURNAL_VERSION),
    type: z.literal(type),
    venueTime: milliseconds,
    ...shape,
  });

export const journalRecord = z.discriminatedUnion('type', [
  /** First record of every journal. `instance` distinguishes two sandboxes at one address. */
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
    /** Durable state that is stored with the decision. */
    kept: z.exactOptional(kept),
  }),
  /** `control` on an approval: a limit that preset `research` records and does not enforce. */
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
  /** Durable state that no intent carried. */
  record('state', { strategyId: text, kept }),
  /** Durable before its bytes may leave. Attempts count from 1. */
  record('attempt', { clientOrderId, attempt: count, generation: count }),
  record('outcome', attemptOutcome),
  /** A report of the venue on an order of ours. `final`: nothing can follow. */
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
   * A changed instruction for an order that may be at the venue, durable before anything follows
   * from it: `withdraw` (no run sends it again) or `cancel` (withdrawn, and canceled at the venue).
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
  record('dropped', { clientOrderId, reason: text }),
  /** The id can never become an order; `evidence` names the reads that prove it. */
  record('burned', { clientOrderId, evidence: text }),
  /**
   * A change of the mode, of the account or of a symbol. With `control`, that control's restriction
   * began, became stricter, or ended (`restriction` is TRADING); `from` and `to` may then be equal.
   */
  record('mode', {
    symbol: z.exactOptional(text),
    from: mode,
    to: mode,
    cause: text,
    control: z.exactOptional(z.enum(CONTROL_IDS)),
    class: z.exactOptional(z.enum(['self-clearing', 'latching'])),
    restriction: z.exactOptional(mode),
  }),
  record('command', { commandId: text, command }),
  /**
   * State of a flatten: `wanted` until `flat` is proved or the operator has `withdrawn` it. The
   * next run resumes a `wanted` one. `commandId`: the command from which its exits have their
   * client order ids.
   */
  record('flatten', {
    commandId: text,
    state: z.enum(['wanted', 'flat', 'withdrawn']),
    text,
  }),
  /**
   * Stop and pause of a strategy by a person, after a change: the newest record of a strategy counts.
   * `closing`: its positions are being closed. `pausedUntil`: venue ms.
   */
  record('strategy', {
    strategyId: text,
    isStopped: z.boolean(),
    isClosing: z.boolean(),
    isPaused: z.boolean(),
    pausedUntil: z.exactOptional(milliseconds),
    cause: text,
    /** Of an id that is not configured: the symbols to close. */
    symbols: z.exactOptional(z.array(text)),
  }),
  record('ownership', ownership),
  record('leverage', {
    symbol: text,
    currency,
    leverage: decimal<'ratio'>(),
    source: z.enum(['configured', 'set', 'read']),
  }),
  /** A tracked position after a change that is not our own fill. `quantity` is signed. */
  record('position', {
    symbol: text,
    currency,
    quantity,
    /** Part that no order of ours explains; absent: none. */
    foreign: z.exactOptional(quantity),
    cause: text,
  }),
  /**
   * An ended order in one record: what a compaction keeps of it. `venueTime`: of its last fill,
   * else of its intent.
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
    /** Venue ms of its last fill; absent: nothing filled, or a version before it wrote the record. */
    filledAt: z.exactOptional(milliseconds),
    /** Terms of the fence that the venue has under its id. */
    fence: z.exactOptional(terms),
  }),
  /**
   * An operation: amendment, protective order, margin, leverage or transfer. Durable before its
   * first attempt.
   */
  record('operation', {
    operationId: text,
    cause: z.exactOptional(cause),
    plan: operationPlan,
  }),
  /** One request of an operation, durable before its bytes may leave. Attempts count from 1. */
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
  /** The end of an operation; `evidence` proves it, or says why there is no proof. */
  record('operation-ended', { operationId: text, end: z.enum(OPERATION_ENDS), evidence: text }),
  /**
   * An order of our namespace at the venue that this journal did not send. Trading halts until it
   * is adopted.
   */
  record('stray', { clientOrderId: text, orderId: text }),
  /**
   * Every order of the currency that the venue made before `judgedUntil` was compared with this
   * journal.
   */
  record('history', { currency, judgedUntil: milliseconds }),
  /** Counters of losses after a change (src/risk/loss/loss-ledger.ts). Amounts are in `currency`. */
  record('losses', {
    currency,
    /** Start of the venue day. */
    day: milliseconds,
    dayStart: money,
    highWater: money,
    deposits: money,
    turnover: decimal<'USDT'>(),
    orders: count,
    losingCloses: count,
    /** Of earlier versions; no control reads it. */
    stopOuts: z.exactOptional(count),
    pausedUntil: z.exactOptional(milliseconds),
    latched: z.exactOptional(z.array(z.enum(CONTROL_IDS))),
    /** Balance and locked margin as last explained, and the venue time of that read. */
    wallet: money,
    walletAt: milliseconds,
    transferIds: z.exactOptional(z.array(text)),
  }),
  /**
   * The journal failed: from here on only the reserved disk space is written, events are no longer
   * recorded, and nothing is placed.
   */
  record('rescue', { cause: text }),
  record('note', {
    level: z.enum(['info', 'warn', 'error']),
    text,
    clientOrderId: z.exactOptional(clientOrderId),
  }),
]);
