import { expect, it } from 'vitest';
import { EngineRig } from '../../test/support/rigs/engine-rig.js';
import { placement, unknown } from '../../test/support/rigs/protocol-rig.js';
import type { EngineEventBody } from '../core/events.js';

const access = (refused: boolean): EngineEventBody => ({
  kind: 'access',
  refused,
  cause: 'HTTP 401',
});

/** Polls some time after the key is accepted again, so that the reads are new. */
const pollAgain = (rig: EngineRig): void => {
  rig.pass(2_000);
  rig.poll();
};

it('no entry is placed while the venue refuses the key, and the control KEY says so', () => {
  const rig = EngineRig.trading();
  rig.handle(access(true));
  expect(rig.engine.mode).toBe('REDUCE_ONLY');
  expect(rig.submit()).toBe('refused-for-now');
  expect(rig.engine.counts.refusedBy.get('KEY')?.lastText).toBe('the venue refuses the key');
  expect(rig.pendingRequest('place')).toBeUndefined();
  expect(rig.engine.isReconciled).toBe(false);
});

it('an exit waits until the key is accepted and the account was read again', () => {
  const rig = EngineRig.trading();
  rig.handle(access(true));
  expect(rig.submit({ exit: true })).toBe('accepted');
  rig.pass(10_000);
  expect(rig.pendingRequest('place')).toBeUndefined();
  rig.handle(access(false));
  expect(rig.engine.mode).toBe('RECONCILING');
  rig.poll([], [], rig.monotonic - 1_000);
  expect(rig.engine.mode, 'a read that began before is no proof').toBe('RECONCILING');
  expect(rig.pendingRequest('place')).toBeUndefined();
  pollAgain(rig);
  expect(rig.engine.mode).toBe('TRADING');
  expect(rig.pendingRequest('place')).toMatchObject({ terms: { reduceOnly: true } });
});

it('orders in flight are queried before anything is placed again', () => {
  const rig = EngineRig.trading();
  rig.submit();
  rig.answer('place', unknown(401));
  rig.handle(access(true));
  rig.answerOrderQuery(unknown(401));
  rig.handle(access(false));
  pollAgain(rig);
  expect(rig.engine.mode).toBe('RECONCILING');
  rig.answerOrderNotFound();
  pollAgain(rig);
  expect(rig.engine.mode, 'a query of that very moment proves nothing').toBe('RECONCILING');
  rig.answerOrderNotFound();
  pollAgain(rig);
  expect(rig.engine.mode).toBe('TRADING');
  expect(rig.pendingRequest('place'), 'the same bytes once more').toBeDefined();
  rig.answer('place', placement());
  expect(rig.engine.counts.ordersPlaced).toBe(1);
});

it('a refused key does not end a pause of the operator', () => {
  const rig = EngineRig.trading();
  rig.handle({
    kind: 'command',
    commandId: 'c1',
    command: { kind: 'kill', level: 'pause', reason: 'hand' },
  });
  rig.handle(access(true));
  rig.handle(access(false));
  pollAgain(rig);
  expect(rig.engine.mode).toBe('REDUCE_ONLY');
});

it('repeated reports of a refusal count once', () => {
  const rig = EngineRig.trading();
  rig.handle(access(true));
  rig.handle(access(true));
  expect(rig.engine.counts.keyRefusals).toBe(1);
});
