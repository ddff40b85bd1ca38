import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CURRENCIES } from '../../src/core/currency.js';
import { scenarioArbitrary } from './scenario-arbitrary.js';
import { ExchangeRun } from './exchange-run.js';

/** For more runs: `SLUICE_RUNS=20000 npx vitest run test/property/exchange.test.ts`. For other draws: `SLUICE_SEED`. */
const RUNS = Number(process.env['SLUICE_RUNS'] ?? 400);
const SEED = Number(process.env['SLUICE_SEED'] ?? 20_250_505);

const REFUSABLE = [
  ...['place', 'cancel', 'refuse', 'amend', 'fill-part', 'protect', 'move-protection', 'margin'],
  ...['close-part', 'close', 'reverse', 'transfer', 'leverage'],
];

/** The branches that these runs must reach. */
const EXPECTED_BRANCHES: readonly string[] = [
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
  `the exchange satisfies every invariant and agrees with the naive ledger in ${RUNS} runs`,
  () => {
    const reachedBranches = new Map<string, number>();
    const markReached = (branch: string): void => {
      reachedBranches.set(branch, (reachedBranches.get(branch) ?? 0) + 1);
    };
    fc.assert(
      fc.property(scenarioArbitrary, (draw) => {
        const exchangeRun = new ExchangeRun(draw, markReached);
        for (const command of draw.commands) exchangeRun.step(command);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // Runs without events prove nothing.
    const missing = EXPECTED_BRANCHES.filter((branch) => !reachedBranches.has(branch));
    expect(RUNS < 400 ? [] : missing).toEqual([]);
  },
  // 400 runs take 8 s on idle cores, and a minute beside other work.
  600_000 + RUNS * 60,
);
