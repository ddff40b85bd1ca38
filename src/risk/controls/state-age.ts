import { breach, missingData, type Breach, type Control } from '../control.js';

/**
 * R06: the state of orders, positions and wallet must be fresh. A market exit passes: the venue bounds it by
 * its own position.
 */
export const stateAge: Control = {
  id: 'R06',
  key: 'max_state_age_ms',
  clock: 'monotonic',
  class: 'reject',
  judge(evidence, limits) {
    if (evidence.isMarketExit) return undefined;
    const limit = evidence.isExit ? limits.maxStateAgeMs.exit : limits.maxStateAgeMs.entry;
    return (
      judgeAge('open orders', evidence.ordersAgeMs, limit) ??
      judgeAge('positions', evidence.positionsAgeMs, limit) ??
      judgeAge('wallet', evidence.walletAgeMs, limit)
    );
  },
  margins(evidence, limits) {
    if (evidence.isMarketExit) return [];
    const limit = String(evidence.isExit ? limits.maxStateAgeMs.exit : limits.maxStateAgeMs.entry);
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
  if (ageMs === undefined) return missingData(`state of ${what}`);
  if (ageMs <= limitMs) return undefined;
  return breach(
    () => `state of ${what} is ${ageMs} ms old, limit ${limitMs} ms`,
    () => ({ state: what, age_ms: String(ageMs), limit_ms: String(limitMs) }),
  );
}
