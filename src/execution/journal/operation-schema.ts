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
const symbolFields = { symbol: text, currency };

/** The target of an operation. */
export const operationPlan = z.discriminatedUnion('kind', [
  /** New price and quantity of a resting order; `from…`: its last proved ones. */
  z.strictObject({
    kind: z.literal('amend'),
    clientOrderId,
    fromPrice: price,
    fromQuantity: quantity,
    price,
    quantity,
  }),
  z.strictObject({ kind: z.literal('protect'), ...symbolFields, slot, price }),
  /** `change`: above 0 adds margin, below 0 removes it. */
  z.strictObject({ kind: z.literal('margin'), ...symbolFields, change: money }),
  z.strictObject({ kind: z.literal('leverage'), ...symbolFields, leverage: decimal<'ratio'>() }),
  z.strictObject({
    kind: z.literal('transfer'),
    currency,
    direction: z.enum(['deposit', 'withdraw']),
    amount: money,
  }),
]);

/** One request, with the state of the venue right before it where a proof needs it. */
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
  /** `known`: ids of rows with the same direction and amount from before the request. */
  z.strictObject({
    kind: z.literal('transfer'),
    known: z.array(text),
    balance: money,
    withdrawable: money,
  }),
]);

/** Ends of operations; the state table of each kind lists which it can reach. */
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
