import { expect, it } from 'vitest';
import { EngineRig } from '../../test/harness/engine-rig.js';
import { placement, unknown } from '../../test/harness/protocol-rig.js';
import type { Happening } from '../core/events.js';

const access = (refused: boolean): Happening => ({ kind: 'access', refused, cause: 'HTTP 401' });

/** Polls a while after the key is good again, so that what they read is new. */
const seeAgain = (rig: EngineRig): void => {
  rig.pass(2_000);
  rig.poll();
};

it('places no entry while the venue refuses the key, and says so by name', () => {
  const rig = EngineRig.trading();
  rig.happen(access(true));
  expect(rig.engine.mode).toBe('REDUCE_ONLY');
  expect(rig.submit()).toBe('refused-for-now');
  expect(rig.engine.counts.refusedBy.get('KEY')?.lastText).toBe('the venue refuses the key');
  expect(rig.waiting('place')).toBeUndefined();
  expect(rig.engine.reconciled).toBe(false);
});

it('lets an exit wait until the key is accepted and the account was read again', () => {
  const rig = EngineRig.trading();
  rig.happen(access(true));
  expect(rig.submit({ exit: true })).toBe('accepted');
  rig.pass(10_000);
  expect(rig.waiting('place')).toBeUndefined();
  rig.happen(access(false));
  expect(rig.engine.mode).toBe('RECONCILING');
  rig.poll([], [], rig.monotonic - 1_000);
  expect(rig.engine.mode, 'a read that began before is no proof').toBe('RECONCILING');
  expect(rig.waiting('place')).toBeUndefined();
  seeAgain(rig);
  expect(rig.engine.mode).toBe('TRADING');
  expect(rig.waiting('place')).toMatchObject({ terms: { reduceOnly: true } });
});

it('looks for what was in flight before it places again', () => {
  const rig = EngineRig.trading();
  rig.submit();
  rig.answer('place', unknown(401));
  rig.happen(access(true));
  rig.look(unknown(401));
  rig.happen(access(false));
  seeAgain(rig);
  expect(rig.engine.mode).toBe('RECONCILING');
  rig.miss();
  seeAgain(rig);
  expect(rig.engine.mode, 'a look of that very moment proves nothing').toBe('RECONCILING');
  rig.miss();
  seeAgain(rig);
  expect(rig.engine.mode).toBe('TRADING');
  expect(rig.waiting('place'), 'the same bytes once more').toBeDefined();
  rig.answer('place', placement());
  expect(rig.engine.counts.ordersPlaced).toBe(1);
});

it('keeps a pause of the operator, which only a person ends', () => {
  const rig = EngineRig.trading();
  rig.happen({
    kind: 'command',
    commandId: 'c1',
    command: { kind: 'kill', level: 'pause', reason: 'hand' },
  });
  rig.happen(access(true));
  rig.happen(access(false));
  seeAgain(rig);
  expect(rig.engine.mode).toBe('REDUCE_ONLY');
});

it('counts a refusal once, however often it is told', () => {
  const rig = EngineRig.trading();
  rig.happen(access(true));
  rig.happen(access(true));
  expect(rig.engine.counts.keyRefusals).toBe(1);
});
