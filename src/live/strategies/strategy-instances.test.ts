import { expect, it } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import type { VenueConfig } from '../../config/config-venue.js';
import { usdtPerUnit } from './strategy-instances.js';

const venue: Omit<VenueConfig, 'tradeCurrency'> = {
  endpoint: { kind: 'none' },
  inrRate: { value: fixedFromText('90'), haircutPct: 2 },
};

it('an INR wallet counts in sizes at its rate less the haircut', () => {
  expect(usdtPerUnit({ ...venue, tradeCurrency: 'INR' })).toBeCloseTo(1 / 91.8, 12);
});

it('a USDT wallet needs no rate', () => {
  expect(usdtPerUnit({ ...venue, tradeCurrency: 'USDT' })).toBeUndefined();
});
