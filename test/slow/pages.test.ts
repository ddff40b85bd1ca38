import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runPagedMonth } from '../longrun/pages/paged-month.js';

const SHARED_DATA = join(process.env['SLUICE_SHARED'] ?? '../shared', 'data');

it.skipIf(!existsSync(SHARED_DATA))(
  'a venue day of real candles with the disturbances of the field pages a person at most once (needs SLUICE_SHARED)',
  async () => {
    const options = { firstDay: 0, days: 1, seed: 1, speed: 20, disturbed: true };
    const result = await runPagedMonth({ data: SHARED_DATA, ...options });
    const pages = result.sent.filter(({ level }) => level === 'page');
    expect(pages.length, JSON.stringify(pages)).toBeLessThanOrEqual(1);
    expect(result.ordersFilled).toBeGreaterThan(20);
    expect(Object.values(result.episodes).some((count) => count > 0)).toBe(true);
    expect(result).toMatchObject({ unknown: 0, reconciled: true });
  },
  240_000,
);
