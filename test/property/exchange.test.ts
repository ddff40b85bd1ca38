import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CURRENCIES } from '../../src/core/currency.js';
import { world } from './world-draws.js';
import { ExchangeLife } from './exchange-life.js';

/** More runs: `SLUICE_RUNS=20000 npx vitest run test/property/exchange.test.ts`; other draws: `SLUICE_SEED`. */
const RUNS = Number(process.env['SLUICE_RUNS'] ?? 1_000);
const SEED = Number(process.env['SLUICE_SEED'] ?? 20_250_505);

const REFUSABLE = [
  ...['place', 'cancel', 'refuse', 'amend', 'fill-part', 'protect', 'move-protection', 'margin'],
  ...['close-part', 'close', 'reverse', 'transfer', 'leverage'],
];

/** What a thousand lives must have seen. */
const SIGHTS: readonly string[] = [
  ...REFUSABLE.flatMap((kind) => [`${kind} granted`, `${kind} refused`]),
  ...CURRENCIES.flatMap((currency) => [
    `partial in ${currency}`,
    `closed in ${currency}`,
    `liquidated in ${currency}`,
  ]),
  ...['a flip', 'a fill as maker', 'a fill as taker'],
  ...['funding paid', 'funding received', 'funding beyond the balance'],
  ...['trade partially-filled', 'trade canceled', 'trade system-canceled'],
  ...['stop-loss', 'take-profit'].flatMap((role) => [`${role} filled`, `${role} system-canceled`]),
];

it(
  `keeps every invariant of money and state, and agrees with the naive ledger, in ${RUNS} lives`,
  () => {
    const seen = new Map<string, number>();
    const see = (sight: string): void => {
      seen.set(sight, (seen.get(sight) ?? 0) + 1);
    };
    fc.assert(
      fc.property(world, (draw) => {
        const life = new ExchangeLife(draw, see);
        for (const command of draw.commands) life.step(command);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // Lives in which nothing happens prove nothing.
    const missing = SIGHTS.filter((sight) => !seen.has(sight));
    expect(RUNS < 1_000 ? [] : missing).toEqual([]);
  },
  60_000 + RUNS * 60,
);
