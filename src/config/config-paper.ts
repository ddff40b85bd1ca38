import { z } from 'zod';
import type { Assumptions } from '../exchange/assumptions.js';
import { resolveBehavior, UnknownBehaviorError } from '../sandbox/behavior/behavior-choices.js';
import { block, choice, integer, scalar, unsignedFixed } from './config-fields.js';
import { didYouMean } from '../core/suggestion.js';

/** The keys that describe a simulated account, for a paper run or a sandbox. */

const assume = z
  .record(z.string(), z.string({ error: 'expected an answer such as "mark"' }), {
    error: 'expected a map such as { exchange-stop-trigger: mark }',
  })
  .transform((given, context): Partial<Assumptions> => {
    try {
      const { assumptions, switches } = resolveBehavior({ assume: given });
      if (Object.keys(switches).length === 0) return assumptions;
      context.addIssue('only the assumptions exchange-… apply to an account (docs/assumptions.md)');
    } catch (error) {
      context.addIssue(unknownAnswerText(error));
    }
    return z.NEVER;
  });

/** Fees observed at a venue of this interface (supplement: fees). */
const TAKER_FEE = '0.00059';
const MAKER_FEE = '0.00023';
const MAX_SLIPPAGE_BPS = 1_000;
const MAX_LATENCY_MS = 60_000;

/** Every key has a default, so `paper:` is optional. */
export const paperSchema = block({
  futures: block({
    USDT: unsignedFixed<'USDT'>().prefault('10000'),
    INR: unsignedFixed<'INR'>().prefault('1000000'),
  }).prefault({}),
  taker_fee: unsignedFixed<'ratio'>().prefault(TAKER_FEE),
  maker_fee: unsignedFixed<'ratio'>().prefault(MAKER_FEE),
  slippage_bps: integer(0, MAX_SLIPPAGE_BPS).prefault('5'),
  latency_ms: integer(0, MAX_LATENCY_MS).prefault('100'),
  limit_fill: choice(['through', 'touch']).prefault('through'),
  assume: assume.prefault({}),
});

export type RawPaper = z.output<typeof paperSchema>;

/** `none`, `field`, or quirk names with commas between. */
const quirkNames = (text: string): 'none' | 'field' | readonly string[] =>
  text === 'none' || text === 'field' ? text : text.split(',').map((name) => name.trim());

export const quirksSchema = scalar(
  'none, field or names of quirks such as "sticky-partial,read-lag"',
  (text) => (text === '' ? undefined : quirkNames(text)),
)
  .or(z.array(z.string()))
  .superRefine((quirks, context) => {
    try {
      resolveBehavior({ quirks });
    } catch (error) {
      context.addIssue(unknownAnswerText(error));
    }
  });

function unknownAnswerText(error: unknown): string {
  if (!(error instanceof UnknownBehaviorError)) throw error;
  return `${error.message}${didYouMean(error.given, error.known)}`;
}
