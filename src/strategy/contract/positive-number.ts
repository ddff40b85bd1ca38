import { z } from 'zod';
import { isPlainDecimal } from '../../core/fixed/decimal.js';

const EXPECTED = 'expected a number above 0';

/** A setting above 0: a number or its plain decimal text. */
export const positiveNumber = z
  .union([z.number(), z.string().refine(isPlainDecimal, EXPECTED)], { error: EXPECTED })
  .transform(Number)
  .pipe(z.number({ error: EXPECTED }).positive(EXPECTED));
