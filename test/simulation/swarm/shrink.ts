import { planOf, type SeedReduction } from './plan.js';
import type { Pool } from './pool.js';

/** The same check still fails. */
async function stillFails(
  pool: Pool,
  seed: number,
  check: string,
  reduction: SeedReduction,
): Promise<boolean> {
  let failed = false;
  await pool.run([{ seed, reduction }], ({ violation }) => {
    failed = violation?.check === check;
  });
  return failed;
}

/** Leaves out of a seed what it fails without: kinds of fault one by one, then its length. */
export async function shrink(
  pool: Pool,
  seed: number,
  check: string,
  reduction: SeedReduction,
): Promise<SeedReduction> {
  let small = reduction;
  for (const kind of [
    'operator',
    'hostility',
    'assumptions',
    'quirks',
    ...planOf(seed, reduction).kinds,
  ]) {
    const smaller = { ...small, without: [...(small.without ?? []), kind] };
    if (await stillFails(pool, seed, check, smaller)) small = smaller;
  }
  const whole = planOf(seed, small).minutes;
  for (let minutes = 1; minutes < whole; minutes = Math.ceil(minutes * 1.6)) {
    const shorter = { ...small, minutes };
    if (await stillFails(pool, seed, check, shorter)) return shorter;
  }
  return small;
}
