import { describe, expect, it } from 'vitest';
import { fixedFromText, textFromFixed } from '../../core/fixed/fixed.js';
import { entrySchema, marketableLimit } from './entry-style.js';
import { testInstrument } from '../../testing/instrument.js';

const instrument = testInstrument({ priceStep: fixedFromText('0.1') });

describe('marketableLimit', () => {
  it.each([
    ['buy', 60_000, 10, '60060'],
    ['sell', 60_000, 10, '59940'],
    ['buy', 60_001.3, 10, '60061.3'],
    ['sell', 60_001.3, 10, '59941.3'],
    ['buy', 100, 0.5, '100'],
    ['sell', 100, 0.5, '100'],
  ] as const)('%s at %d ± %d bps is %s, never beyond the bound', (side, last, bps, expected) => {
    expect(textFromFixed(marketableLimit(side, last, bps, instrument))).toBe(expected);
  });
});

describe('the entry setting', () => {
  it('the entry setting accepts both styles', () => {
    expect(entrySchema.parse('market')).toEqual({ kind: 'market' });
    expect(entrySchema.parse({ marketable_limit: { bps: '10', ttl_ms: 5000 } })).toEqual({
      kind: 'marketable-limit',
      bps: 10,
      ttlMs: 5_000,
    });
  });

  it.each([
    ['limit'],
    [{ marketable_limit: { bps: 10 } }],
    [{ marketable_limit: { bps: 0, ttl_ms: 5 } }],
    [{ marketable_limit: { bps: 1, ttl_ms: 0.5 } }],
    [{ marketable_limit: { bps: 1, ttl_ms: 5, tll: 1 } }],
  ])('the entry setting refuses %o with its reason', (given) => {
    expect(entrySchema.safeParse(given).error?.message).toMatch(
      /expected market, or marketable_limit|Unrecognized key.*tll/,
    );
  });
});
