import { breach, unknown, type Breach, type Control } from '../control.js';

/**
 * R06: what we believe of orders, positions and wallet must be fresh. An exit at the market is bounded by
 * what the venue holds, not by what we believe.
 */
export const stateAge: Control = {
  id: 'R06',
  key: 'max_state_age_ms',
  clock: 'monotonic',
  judge(evidence, limits) {
    if (evidence.marketExit) return undefined;
    const limit = evidence.exit ? limits.maxStateAgeMs.exit : limits.maxStateAgeMs.entry;
    return (
      judgeAge('open orders', evidence.ordersAgeMs, limit) ??
      judgeAge('positions', evidence.positionsAgeMs, limit) ??
      judgeAge('wallet', evidence.walletAgeMs, limit)
    );
  },
  margins(evidence, limits) {
    if (evidence.marketExit) return [];
    const limit = String(evidence.exit ? limits.maxStateAgeMs.exit : limits.maxStateAgeMs.entry);
    const ages = [
      ['open_orders', evidence.ordersAgeMs],
      ['positions', evidence.positionsAgeMs],
      ['wallet', evidence.walletAgeMs],
    ] as const;
    return ages.flatMap(([part, age]) =>
      age === undefined
        ? []
        : [{ part, value: String(Math.ceil(age)), limit, unit: 'ms' as const }],
    );
  },
};

function judgeAge(what: string, ageMs: number | undefined, limitMs: number): Breach | undefined {
  if (ageMs === undefined) return unknown(`state of ${what}`);
  if (ageMs <= limitMs) return undefined;
  return breach(
    () => `state of ${what} is ${ageMs} ms old, limit ${limitMs} ms`,
    () => ({ state: what, age_ms: String(ageMs), limit_ms: String(limitMs) }),
  );
}
