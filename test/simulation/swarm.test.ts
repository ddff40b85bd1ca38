import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CHECKS } from './swarm/checks/table.js';
import { readCorpus } from './swarm/corpus.js';
import { NATURES } from './swarm/hostile-trader.js';
import { planOf } from './swarm/plan.js';
import { runSeed } from './swarm/run-seed.js';

const CORPUS = readCorpus(fileURLToPath(new URL('./swarm/corpus.json', import.meta.url)));
/** CI runs hundreds more by `npm run sim`. */
const SEEDS = 20;
const TEST_MS = 120_000;

describe('the swarm simulation', () => {
  it('judges by the invariants of part 3 that belong to orders, journal and reconciliation', () => {
    expect([...new Set(CHECKS.map(({ id }) => id))]).toEqual(
      [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 29, 30, 31, 32, 34, 35, 36,
      ].map((number) => `P${number}`),
    );
  });

  it('draws at least three kinds of fault and ten minutes, and the same for the same seed', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const { kinds, minutes, rules } = planOf(seed);
      expect(kinds.size).toBeGreaterThanOrEqual(3);
      expect(minutes).toBeGreaterThanOrEqual(10);
      expect(planOf(seed).rules).toEqual(rules);
    }
  });

  it('draws hostile strategies, presets and kills for two seeds in five', () => {
    const plans = Array.from({ length: 500 }, (_, seed) => planOf(seed + 1));
    const hostile = plans.flatMap(({ hostility }) => hostility ?? []);
    expect(hostile.length / plans.length).toBeGreaterThan(0.3);
    expect(hostile.length / plans.length).toBeLessThan(0.5);
    expect(new Set(hostile.map(({ preset }) => preset))).toEqual(new Set(['standard', 'cautious']));
    expect(new Set(hostile.map(({ natureOf }) => natureOf('one')))).toEqual(new Set(NATURES));
    expect(new Set(hostile.map(({ kills }) => kills)).size).toBe(4);
    expect(planOf(1, { without: ['hostility'] }).hostility).toBeUndefined();
  });

  it('leaves a kind of fault out without changing what the others do', () => {
    const { kinds, rules } = planOf(7);
    const [excludedKind = ''] = kinds;
    const reduction = planOf(7, { without: [excludedKind] });
    expect([...reduction.kinds]).toEqual([...kinds].filter((kind) => kind !== excludedKind));
    expect(rules).toEqual(expect.arrayContaining([...reduction.rules]));
  });

  it.each(CORPUS)(
    'holds for seed $seed of the corpus ($was)',
    async ({ seed, reduction }) => {
      const { violation } = await runSeed(seed, { reduction });
      expect(violation).toBeUndefined();
    },
    TEST_MS,
  );

  it.each(Array.from({ length: SEEDS / 10 }, (_, index) => 1 + 10 * index))(
    'holds for ten seeds from %i on',
    async (from) => {
      for (let seed = from; seed < from + 10; seed += 1) {
        const { violation } = await runSeed(seed);
        expect(violation, `npm run sim -- --seed ${seed} --trace`).toBeUndefined();
      }
    },
    TEST_MS,
  );

  it(
    'runs a seed the same way twice, to the last byte',
    async () => {
      for (const seed of [11, 12, 13]) {
        const first = await runSeed(seed);
        const second = await runSeed(seed);
        expect(second.hash).toBe(first.hash);
        expect(second.requests).toBe(first.requests);
        expect(first.requests).toBeGreaterThan(50);
      }
    },
    TEST_MS,
  );

  it(
    'lasts ten venue minutes and twenty intents, and finds what it is told to look for',
    async () => {
      const { minutes, intents, reached } = await runSeed(3);
      expect(minutes).toBeGreaterThanOrEqual(10);
      expect(intents).toBeGreaterThanOrEqual(20);
      expect(reached.length).toBeGreaterThan(0);
    },
    TEST_MS,
  );
});
