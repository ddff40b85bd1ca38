import { expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { yes } from '../../../test/support/rigs/protocol-rig.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';

const trading = (): EngineRig => {
  const rig = EngineRig.trading({
    gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }),
  });
  rig.poll();
  return rig;
};
const polls = (rig: EngineRig, ms: number): void => {
  for (let passed = 0; passed < ms; passed += 2_000) {
    rig.pass(2_000);
    rig.tick(60_000);
    rig.poll();
  }
};
const notes = (rig: EngineRig) =>
  rig.notes.map(({ text }) => text).filter((text) => text.startsWith('leverage of'));

it('leverage is read again every five minutes', () => {
  const rig = trading();
  polls(rig, 290_000);
  expect(rig.pendingRequest('read-leverage')).toBeUndefined();
  polls(rig, 20_000);
  expect(rig.pendingRequest('read-leverage')).toMatchObject({
    symbol: BTC.symbol,
    currency: 'USDT',
  });
  rig.answer('read-leverage', yes(d('2')));
  polls(rig, 270_000);
  expect(rig.pendingRequest('read-leverage')).toBeUndefined();
  expect(notes(rig)).toEqual([]);
});

it('a leverage that a person changed holds entries, is reported once, and is not set back', () => {
  const rig = trading();
  polls(rig, 310_000);
  rig.answer('read-leverage', yes(d('5')));
  expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  expect([...rig.engine.counts.refusedBy.keys()]).toEqual(['R15']);
  polls(rig, 40_000);
  rig.answer('read-leverage', yes(d('5')));
  expect(rig.pendingRequest('set-leverage')).toBeUndefined();
  expect(notes(rig)).toEqual(['leverage of BTCUSDT is 5 at the venue and 2 in the config']);
  polls(rig, 40_000);
  rig.answer('read-leverage', yes(d('2')));
  expect(notes(rig)).toHaveLength(2);
  expect(rig.submit({ quantity: '0.001', ordinal: 1 })).toBe('accepted');
});
