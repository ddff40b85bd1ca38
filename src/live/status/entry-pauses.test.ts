import { expect, it } from 'vitest';
import { factsOf } from '../../../test/support/builders/risk-case.js';
import { PRESET_LIMITS } from '../../risk/limits/risk-limits.js';
import type { PresetName } from '../../risk/preset.js';
import { entryPauses } from './entry-pauses.js';

const NOW = factsOf({}).venueTime;
const pauses = (
  losses: { pausedUntil?: number; orders?: number },
  preset: PresetName = 'cautious',
) =>
  entryPauses({
    currency: 'USDT',
    facts: factsOf({ losses }),
    limits: PRESET_LIMITS.cautious,
    preset,
  });

it('a losing streak is named with the end of its pause', () => {
  const until = NOW + 60_000;
  expect(pauses({ pausedUntil: until })).toEqual([
    `R26: 5 positions in a row closed at a loss: entries pause until ${new Date(until).toISOString()}`,
  ]);
  expect(pauses({ pausedUntil: NOW })).toEqual([]);
});

it('the last order of the venue day is named with the next midnight UTC', () => {
  const most = PRESET_LIMITS.cautious.loss.maxDayOrders;
  expect(pauses({ orders: most - 1 })).toEqual([]);
  expect(pauses({ orders: most })).toEqual([
    expect.stringMatching(
      new RegExp(`^R40: ${most} of ${most} orders .* entries pause until .*T00:00:00.000Z$`),
    ),
  ]);
});

it('a preset without limits pauses nothing', () => {
  expect(pauses({ pausedUntil: NOW + 60_000, orders: 1e6 }, 'research')).toEqual([]);
});
