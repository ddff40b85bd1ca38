import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { CONFLICT, no } from '../../../test/support/rigs/protocol-rig.js';
import { intentOf, type IntentCase } from '../../../test/support/builders/risk-case.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';
import { defaultEntryAgeMs } from './order-checks.js';

/** A decision of a strategy now. @returns the engine's answer */
function decide(rig: EngineRig, of: IntentCase = {}): string {
  const { venueTime, monotonic, host } = rig;
  rig.engine.setTime(venueTime, monotonic);
  const validUntil = venueTime + 600_000;
  const result = host.world.submit({ ...intentOf(of), validUntil, decidedMonotonic: monotonic });
  rig.pass(0);
  rig.handle({ kind: 'timer', key: 'unused' });
  return result;
}

const order = (rig: EngineRig, key = 0) => rig.engine.ledger.byKey(key);
const withLimit = (maxEntryAgeMs: number) =>
  createGate({ preset: 'none', limits: { ...DEFAULT_LIMITS, maxEntryAgeMs } });

describe('the age of an entry (R27)', () => {
  it.each([
    { interval: '1m', ms: 3_000 },
    { interval: '5m', ms: 15_000 },
    { interval: '15m', ms: 45_000 },
    { interval: '1h', ms: 60_000 },
    { interval: '1d', ms: 60_000 },
  ] as const)('is at most $ms ms where the strategy is on $interval', ({ interval, ms }) => {
    expect(defaultEntryAgeMs(interval)).toBe(ms);
  });

  it('an entry that is too old when its permit is granted is dropped and logged', () => {
    const rig = EngineRig.trading();
    decide(rig);
    rig.answer('place', no('rate-limited', 429));
    for (let times = 0; order(rig).state !== 'rejected' && times < 10; times += 1) {
      rig.pass(2_000);
      if (rig.pendingRequest('place') !== undefined) rig.answer('place', no('rate-limited', 429));
    }
    expect(order(rig).endReason).toMatch(/^R27: its decision is \d+ ms old, limit 3000 ms/);
    expect(rig.notes.at(-1)).toMatchObject({
      level: 'warn',
      text: expect.stringContaining('max_entry_age_ms'),
    });
  });

  it('max_entry_age_ms of the risk block overrides the default age', () => {
    const rig = EngineRig.trading({ gate: withLimit(10) });
    rig.engine.setTime(rig.venueTime, rig.monotonic);
    const intent = { ...intentOf(), validUntil: rig.venueTime + 60_000 };
    const at = (ageMs: number) => ({ ...intent, decidedMonotonic: rig.monotonic - ageMs });
    expect(rig.host.world.submit(at(11))).toBe('refused');
    expect([...rig.engine.counts.refusedBy.keys()]).toEqual(['R27']);
    expect(rig.host.world.submit(at(10))).toBe('accepted');
  });

  it('an exit has no age limit', () => {
    const rig = new EngineRig({ gate: withLimit(10) });
    rig.startEngineWithAdopted([positionRow('1')]);
    rig.tick(60_000);
    rig.engine.setTime(rig.venueTime, rig.monotonic);
    const exit = intentOf({ side: 'sell', quantity: '1', exit: true });
    const decidedMonotonic = rig.monotonic - 3_600_000;
    const validUntil = rig.venueTime + 60_000;
    expect(rig.host.world.submit({ ...exit, decidedMonotonic, validUntil })).toBe('accepted');
  });
});

describe('an abandoned, unproved exit', () => {
  function unproved(): EngineRig {
    const rig = new EngineRig();
    rig.startEngineWithAdopted([positionRow('1')]);
    rig.tick(60_000);
    rig.submit({ side: 'sell', quantity: '1', exit: true }, 3_600_000);
    rig.answer('place', CONFLICT);
    while (order(rig).state === 'verifying') rig.answerOrderNotFound();
    expect(order(rig).state).toBe('quarantined');
    return rig;
  }

  it('it holds the entries of its symbol for now, and the reason names it', () => {
    const rig = unproved();
    expect(rig.submit({ quantity: '1', ordinal: 1 })).toBe('refused-for-now');
    const { lastText } = rig.engine.counts.refusedBy.get('UNPROVED') ?? { lastText: '' };
    expect(lastText).toContain(`exit ${order(rig).clientOrderId} of BTCUSDT`);
    expect(rig.records.at(-1)).toMatchObject({ type: 'verdict', control: 'UNPROVED' });
  });

  it('it lets another exit leave', () => {
    const rig = unproved();
    const exit = { side: 'sell', quantity: '1', exit: true, ordinal: 2 } as const;
    expect(rig.submit(exit)).toBe('accepted');
    expect(rig.pendingRequest('place')?.terms.reduceOnly).toBe(true);
  });

  it('entries leave again when a person resolves it as never landed', () => {
    const rig = unproved();
    const { clientOrderId } = order(rig);
    const command = { kind: 'resolve', clientOrderId, as: 'never-landed' } as const;
    rig.handle({ kind: 'command', commandId: 'c1', command });
    expect(rig.submit({ quantity: '1', ordinal: 1 })).toBe('accepted');
  });
});
