import { z } from 'zod';
import {
  clientOrderId,
  currency,
  decimal,
  money,
  price,
  quantity,
  text,
} from './journal-values.js';

const slot = z.enum(['stopLoss', 'takeProfit']);
const lane = { symbol: text, currency };

/** What is wanted, without how to get there. */
export const operationPlan = z.discriminatedUnion('kind', [
  /** Another price and quantity for a resting order; `from…` are those it is known to have. */
  z.strictObject({
    kind: z.literal('amend'),
    clientOrderId,
    fromPrice: price,
    fromQuantity: quantity,
    price,
    quantity,
  }),
  z.strictObject({ kind: z.literal('protect'), ...lane, slot, price }),
  /** Above 0 adds, below 0 gives back. */
  z.strictObject({ kind: z.literal('margin'), ...lane, change: money }),
  z.strictObject({ kind: z.literal('leverage'), ...lane, leverage: decimal<'ratio'>() }),
  z.strictObject({
    kind: z.literal('transfer'),
    currency,
    direction: z.enum(['deposit', 'withdraw']),
    amount: money,
  }),
]);

/** One request, and what stood at the venue right before it where that is needed as evidence. */
export const operationStep = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('amend'), orderId: text }),
  z.strictObject({
    kind: z.literal('set-leg'),
    positionId: text,
    clientOrderId,
    generation: z.int().min(1),
  }),
  z.strictObject({ kind: z.literal('move-leg'), positionId: text, orderId: text, from: price }),
  z.strictObject({ kind: z.literal('cancel-leg'), orderId: text }),
  z.strictObject({
    kind: z.literal('change-margin'),
    quantity,
    positionId: text,
    initialMargin: money,
    balance: money,
    locked: money,
  }),
  z.strictObject({ kind: z.literal('set-leverage') }),
  /** `known`: rows of the same direction and amount that were there before. */
  z.strictObject({
    kind: z.literal('transfer'),
    known: z.array(text),
    balance: money,
    withdrawable: money,
  }),
]);

/** How an operation can end; which of them it can is in the table of its kind. */
export const OPERATION_ENDS = [
  'applied',
  'fenced',
  'live',
  'gone',
  'done',
  'set',
  'contested',
  'refused',
  'unproved',
  'dropped',
] as const;
