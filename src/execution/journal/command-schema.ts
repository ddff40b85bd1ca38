import { z } from 'zod';
import {
  clientOrderId,
  count,
  currency,
  decimal,
  milliseconds,
  money,
  price,
  quantity,
  terms,
  text,
} from './journal-values.js';

/** A command of the operator, as the journal holds it. */
export const command = z.discriminatedUnion('kind', [
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
  z.strictObject({
    kind: z.literal('resume'),
    symbol: z.exactOptional(text),
    reason: z.exactOptional(text),
  }),
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
  z.strictObject({
    kind: z.literal('stop-strategy'),
    strategy: text,
    close: z.boolean(),
    reason: text,
  }),
  z.strictObject({
    kind: z.literal('pause-strategy'),
    strategy: text,
    until: z.exactOptional(milliseconds),
    reason: text,
  }),
  z.strictObject({ kind: z.literal('resume-strategy'), strategy: text, reason: text }),
  z.strictObject({
    kind: z.literal('start-strategy'),
    strategy: text,
    run: z.exactOptional(count),
    use: z.exactOptional(text),
    params: z.exactOptional(text),
    reason: text,
  }),
]);
