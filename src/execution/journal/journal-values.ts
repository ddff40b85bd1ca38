import { z } from 'zod';
import { CURRENCIES } from '../../core/currency.js';
import {
  fixed,
  fixedFromText,
  isFixed,
  textFromFixed,
  type Fixed,
} from '../../core/fixed/fixed.js';
import { isClientOrderId } from '../../core/ids.js';
import { isInterval, type Interval } from '../../core/interval.js';
import type { RefusalCode } from '../../core/rejection.js';
import { MODES, type Mode } from '../../risk/mode.js';

/** Schemas of the values in journal records. */

/** The common case, few enough digits for an exact integer, and already the shortest text. */
const SHORT_DECIMAL = /^(0|[1-9]\d{0,6})(?:\.(\d{0,7}[1-9]))?$/;
const PLACES = 8;

/** The value of a shortest decimal text with up to 18 places; undefined for any other text. */
export function decimalOf(text: string): Fixed | undefined {
  const usual = SHORT_DECIMAL.exec(text);
  if (usual !== null) {
    const [, whole = '', places = ''] = usual;
    return fixed(Number(whole + places.padEnd(PLACES, '0')));
  }
  try {
    const value = fixedFromText(text);
    return textFromFixed(value) === text ? value : undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const decimals = new WeakSet<z.ZodType>();
export const isDecimal = (schema: z.ZodType): boolean => decimals.has(schema);

/** Shortest decimal text ↔ `Fixed`, exact both ways. */
export function decimal<Unit extends string>() {
  const codec = z.codec(z.string(), z.custom<Fixed<Unit>>(isFixed), {
    decode(text, context) {
      const value = decimalOf(text);
      if (value !== undefined) return value as Fixed<Unit>;
      context.issues.push({
        code: 'custom',
        input: text,
        message: `"${text}" is not a shortest decimal with up to 18 places`,
      });
      return z.NEVER;
    },
    encode: (value) => textFromFixed(value),
  });
  decimals.add(codec);
  return codec;
}

export const price = decimal<'price'>();
export const quantity = decimal<'quantity'>();
/** Money in the currency of its record. */
export const money = decimal<'USDT' | 'INR'>();
export const milliseconds = z.int();
export const count = z.int().min(0);
export const text = z.string();
export const clientOrderId = z
  .string()
  .refine(isClientOrderId, { error: 'is not a client order id' });
export const currency = z.enum(CURRENCIES);
export const side = z.enum(['buy', 'sell']);
export const mode = z.enum(MODES as readonly [Mode, ...Mode[]]);
export const interval = z.custom<Interval>(
  (value) => typeof value === 'string' && isInterval(value),
);

/** Terms of an order. */
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

/** Durable state of a strategy: JSON text in the shape of its version. */
export const kept = z.strictObject({
  key: text,
  version: count,
  value: text,
  /** Candles that the state includes: series → newest time. Absent where unknown. */
  seen: z.exactOptional(z.record(text, milliseconds)),
});

/** A new code does not compile until it is listed here. */
const REJECTION_CODES: Readonly<Record<RefusalCode, true>> = {
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
  observed: true,
};
export const rejectionCode = z.custom<RefusalCode>(
  (value) =>
    typeof value === 'string' &&
    (REJECTION_CODES as Readonly<Record<string, unknown>>)[value] === true,
);
