import { z } from 'zod';
import {
  isSizeAmount,
  kindsAmong,
  LIMIT_POLICIES,
  MAX_RISK_PCT,
  SIZE_KINDS,
  sizeOfKind,
  type Size,
} from './sizing.js';

const amount = z
  .union([z.string(), z.number()], { error: 'expected a plain decimal such as "250"' })
  .transform(String)
  .refine(isSizeAmount, {
    error: 'expected a plain decimal above 0 such as "250"',
  });

/**
 * `{ notional: "250" }`, `{ quantity: "0.01" }`, `{ equity_pct: 10 }`, `{ risk_pct: 0.5 }` or
 * `{ volatility_pct: 20, lookback: 100, max_equity_pct: 100 }`; each with `on_limit: cap` or `refuse`.
 */
export const sizeSchema = z
  .strictObject({
    on_limit: z
      .enum(LIMIT_POLICIES, { error: `expected ${LIMIT_POLICIES.join(' or ')}` })
      .optional(),
    quantity: amount.optional(),
    notional: amount.optional(),
    equity_pct: amount.optional(),
    risk_pct: amount.refine((text) => Number(text) <= MAX_RISK_PCT, 'at most 100').optional(),
    volatility_pct: amount.optional(),
    lookback: amount
      .refine(
        (text) => Number.isSafeInteger(Number(text)) && Number(text) >= 2,
        'a whole number from 2',
      )
      .optional(),
    max_equity_pct: amount.optional(),
  })
  .transform(({ on_limit: onLimit, ...given }, context): Size => {
    const policy = onLimit !== undefined && { onLimit };
    const kinds = kindsAmong(given);
    const kind = kinds[0];
    const text = kind === undefined ? undefined : given[kind];
    if (kinds.length !== 1 || kind === undefined || text === undefined) {
      context.addIssue({
        code: 'custom',
        message: `expected exactly one of ${SIZE_KINDS.join(', ')}`,
      });
      return z.NEVER;
    }
    const surplus = (['lookback', 'max_equity_pct'] as const).find(
      (key) => given[key] !== undefined,
    );
    if (kind !== 'volatility_pct' && surplus !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [surplus],
        message: 'goes with volatility_pct only',
      });
      return z.NEVER;
    }
    try {
      return {
        ...sizeOfKind(kind, text),
        ...(kind === 'volatility_pct' && detailsOf(given)),
        ...policy,
      };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue({ code: 'custom', path: ['quantity'], message: error.message });
      return z.NEVER;
    }
  });

/** Those of `volatility_pct` that are given. */
const detailsOf = ({ lookback, max_equity_pct: maxEquityPct }: Details) => ({
  ...(lookback !== undefined && { lookback: Number(lookback) }),
  ...(maxEquityPct !== undefined && { maxEquityPct: Number(maxEquityPct) }),
});

interface Details {
  readonly lookback?: string | undefined;
  readonly max_equity_pct?: string | undefined;
}
