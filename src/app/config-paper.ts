import { z } from 'zod';
import type { Assumptions } from '../exchange/assumptions.js';
import { answersOf, UnknownAnswerError } from '../sandbox/answers.js';
import { block, choice, integer, scalar, unsignedFixed } from './config-fields.js';
import { didYouMean } from './suggestion.js';

/** The keys of the file that say how a simulated account is, in a paper run or a sandbox. */

const assume = z
  .record(z.string(), z.string({ error: 'expected an answer such as "mark"' }), {
    error: 'expected a map such as { exchange-stop-trigger: mark }',
  })
  .transform((given, context): Partial<Assumptions> => {
    try {
      const { assumptions, switches } = answersOf({ assume: given });
      if (Object.keys(switches).length === 0) return assumptions;
      context.addIssue('only the assumptions exchange-… are of an account (docs/assumptions.md)');
    } catch (error) {
      context.addIssue(unknownText(error));
    }
    return z.NEVER;
  });

/** Fees that a venue of this interface was seen to charge (supplement, part 12). */
const TAKER_FEE = '0.00059';
const MAKER_FEE = '0.00023';
const MOST_SLIPPAGE_BPS = 1_000;
const MOST_LATENCY_MS = 60_000;

/** Every key has a default: `paper:` may be left out. */
export const paperSchema = block({
  futures: block({
    USDT: unsignedFixed<'USDT'>().prefault('10000'),
    INR: unsignedFixed<'INR'>().prefault('1000000'),
  }).prefault({}),
  taker_fee: unsignedFixed<'ratio'>().prefault(TAKER_FEE),
  maker_fee: unsignedFixed<'ratio'>().prefault(MAKER_FEE),
  slippage_bps: integer(0, MOST_SLIPPAGE_BPS).prefault('5'),
  latency_ms: integer(0, MOST_LATENCY_MS).prefault('100'),
  limit_fill: choice(['through', 'touch']).prefault('through'),
  assume: assume.prefault({}),
});

export type RawPaper = z.output<typeof paperSchema>;

/** `none`, `field`, or names of quirks. */
const quirkNames = (text: string): 'none' | 'field' | readonly string[] =>
  text === 'none' || text === 'field' ? text : text.split(',').map((name) => name.trim());

export const quirksSchema = scalar(
  'none, field or names of quirks such as "sticky-partial,read-lag"',
  (text) => (text === '' ? undefined : quirkNames(text)),
)
  .or(z.array(z.string()))
  .superRefine((quirks, context) => {
    try {
      answersOf({ quirks });
    } catch (error) {
      context.addIssue(unknownText(error));
    }
  });

function unknownText(error: unknown): string {
  if (!(error instanceof UnknownAnswerError)) throw error;
  return `${error.message}${didYouMean(error.given, error.known)}`;
}
