import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../test/harness/engine-rig.js';
import { positionRow } from '../../test/harness/position-row.js';
import { CONFLICT, no } from '../../test/harness/protocol-rig.js';
import { anIntent, type IntentCase } from '../../test/harness/risk-case.js';
import { createGate } from '../risk/gate.js';
import { DEFAULT_LIMITS } from '../risk/limits.js';
import { defaultEntryAgeMs } from './entry-age.js';

/** A decision of a strategy now. @returns the engine's answer */
function decide(rig: EngineRig, of: IntentCase = {}): string {
  const { venueTime, monotonic, host } = rig;
  rig.engine.at(venueTime, monotonic);
  const validUntil = venueTime + 600_000;
  const said = host.world.submit({ ...anIntent(of), validUntil, decidedMonotonic: monotonic });
  rig.pass(0);
  rig.happen({ kind: 'timer', key: 'nobody waits for it' });
  return said;
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

  it('drops and logs one that is older when its slot comes', () => {
    const rig = EngineRig.trading();
    decide(rig);
    rig.answer('place', no('rate-limited', 429));
    for (let times = 0; order(rig).state !== 'rejected' && times < 10; times += 1) {
      rig.pass(2_000);
      if (rig.waiting('place') !== undefined) rig.answer('place', no('rate-limited', 429));
    }
    expect(order(rig).endReason).toMatch(/^R27: its decision is \d+ ms old, limit 3000 ms/);
    expect(rig.notes.at(-1)).toMatchObject({
      level: 'warn',
      text: expect.stringContaining('max_entry_age_ms'),
    });
  });

  it('is max_entry_age_ms of the risk block where that is given', () => {
    const rig = EngineRig.trading({ gate: withLimit(10) });
    rig.engine.at(rig.venueTime, rig.monotonic);
    const intent = { ...anIntent(), validUntil: rig.venueTime + 60_000 };
    const at = (ageMs: number) => ({ ...intent, decidedMonotonic: rig.monotonic - ageMs });
    expect(rig.host.world.submit(at(11))).toBe('refused');
    expect([...rig.engine.counts.refusedBy.keys()]).toEqual(['R27']);
    expect(rig.host.world.submit(at(10))).toBe('accepted');
  });

  it('is none of an exit', () => {
    const rig = new EngineRig({ gate: withLimit(10) });
    rig.beginWith([positionRow('1')]);
    rig.tick(60_000);
    rig.engine.at(rig.venueTime, rig.monotonic);
    const exit = anIntent({ side: 'sell', quantity: '1', exit: true });
    const decidedMonotonic = rig.monotonic - 3_600_000;
    const validUntil = rig.venueTime + 60_000;
    expect(rig.host.world.submit({ ...exit, decidedMonotonic, validUntil })).toBe('accepted');
  });
});

describe('an exit that was given up on and is not proved', () => {
  function unproved(): EngineRig {
    const rig = new EngineRig();
    rig.beginWith([positionRow('1')]);
    rig.tick(60_000);
    rig.submit({ side: 'sell', quantity: '1', exit: true }, 3_600_000);
    rig.answer('place', CONFLICT);
    while (order(rig).state === 'verifying') rig.miss();
    expect(order(rig).state).toBe('quarantined');
    return rig;
  }

  it('holds back the entries of its symbol, for now, and says which it is', () => {
    const rig = unproved();
    expect(rig.submit({ quantity: '1', ordinal: 1 })).toBe('refused-for-now');
    const { lastText } = rig.engine.counts.refusedBy.get('UNPROVED') ?? { lastText: '' };
    expect(lastText).toContain(`exit ${order(rig).clientOrderId} of BTCUSDT`);
    expect(rig.records.at(-1)).toMatchObject({ type: 'verdict', control: 'UNPROVED' });
  });

  it('lets another exit leave beside it', () => {
    const rig = unproved();
    const exit = { side: 'sell', quantity: '1', exit: true, ordinal: 2 } as const;
    expect(rig.submit(exit)).toBe('accepted');
    expect(rig.waiting('place')?.terms.reduceOnly).toBe(true);
  });

  it('lets entries leave again when a person says that it never landed', () => {
    const rig = unproved();
    const { clientOrderId } = order(rig);
    const command = { kind: 'resolve', clientOrderId, as: 'never-landed' } as const;
    rig.happen({ kind: 'command', commandId: 'c1', command });
    expect(rig.submit({ quantity: '1', ordinal: 1 })).toBe('accepted');
  });
});
