import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixed, fixedFromText, textFromFixed } from '../../core/fixed/fixed.js';
import { z } from 'zod';
import {
  clientOrderId,
  currency,
  decimal,
  decimalOf,
  interval,
  mode,
  rejectionCode,
  side,
} from './journal-values.js';

describe('decimal of the journal', () => {
  it('a decimal of any size is read exactly', () => {
    const size = fc.constantFrom(1, 10, 1e4, 1e8, 1e12);
    fc.assert(
      fc.property(fc.maxSafeInteger(), size, (large, divisor) => {
        const value = fixed(Math.trunc(large / divisor));
        expect(decimalOf(textFromFixed(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each([
    '',
    '.5',
    '5.',
    '1.50',
    '1.0',
    '01',
    '-0',
    '+1',
    '1e3',
    ' 1',
    '0.0000000000000000001',
    'x',
    '9999999999999999999999999999999',
  ])('a decimal is not read from %j', (text) => {
    expect(decimalOf(text)).toBeUndefined();
  });

  it('a short decimal has the value that the general parser gives', () => {
    const digits = fc.stringMatching(/^\d{1,8}(\.\d{1,9})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const value = decimalOf(text);
        if (value !== undefined) expect(value).toBe(fixedFromText(text));
      }),
    );
  });
});

describe('value of a record', () => {
  const CODES = `invalid-currency invalid-trigger-type invalid-order-type limit-price-missing
    quantity-step quantity-range price-step price-range notional-below-minimum invalid-stop-loss
    invalid-take-profit leverage-not-set leverage-range insufficient-balance
    reduce-only-without-position reduce-only-same-side params-error delisting asset-not-found
    client-order-id-exists invalid-client-order-id locked rate-limited order-not-found
    order-not-open order-reference-missing position-not-found position-not-open
    position-not-in-sync protection-refused protection-order-missing insufficient-funds
    wallets-equal invalid-request forbidden observed`.split(/\s+/);

  it.each<{
    what: string;
    schema: z.ZodType;
    taken: readonly unknown[];
    refused: readonly unknown[];
  }>([
    {
      what: 'a reason of the venue',
      schema: rejectionCode,
      taken: CODES,
      refused: ['', 'locked ', 'constructor', '__proto__', 7, null],
    },
    {
      what: 'an interval',
      schema: interval,
      taken: ['1m', '1h', '1d'],
      refused: ['', '61s', 60, null],
    },
    { what: 'a side', schema: side, taken: ['buy', 'sell'], refused: ['LONG', ''] },
    { what: 'a currency', schema: currency, taken: ['USDT', 'INR'], refused: ['usdt', 'BTC'] },
    {
      what: 'a mode',
      schema: mode,
      taken: ['STARTING', 'RECONCILING', 'TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY', 'HALTED'],
      refused: ['PAUSED', ''],
    },
  ])('$what accepts its own values only', ({ schema, taken, refused }) => {
    const reads = (value: unknown): boolean => schema.safeParse(value).success;
    expect(taken.filter((value) => !reads(value))).toEqual([]);
    expect(refused.filter(reads)).toEqual([]);
  });

  it('a client order id is refused with a message if it is none', () => {
    const read = clientOrderId.safeParse('no id, surely not');
    expect(read.error?.issues[0]?.message).toBe('is not a client order id');
  });

  it('a decimal that is not the shortest text is refused with a message', () => {
    const schema = decimal<'price'>();
    expect(z.decode(schema, '1.5')).toBe(150_000_000);
    expect(z.encode(schema, fixed(150_000_000))).toBe('1.5');
    const read = schema.safeParse('1.50');
    expect(read.error?.issues[0]).toMatchObject({
      code: 'custom',
      message: '"1.50" is not a shortest decimal with up to 18 places',
    });
    expect(() => z.encode(schema, 0.5 as never), 'half of 1e-8').toThrow();
  });
});
