import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../test/support/rigs/engine-rig.js';
import { rowOf } from '../../test/support/rigs/operation-rig.js';
import { yes } from '../../test/support/rigs/protocol-rig.js';
import { d } from '../../test/support/builders/risk-case.js';
import type { AccountSnapshot } from '../core/account.js';
import { createGate } from '../risk/gate.js';
import { DEFAULT_LIMITS } from '../risk/limits/risk-limits.js';

type Part = AccountSnapshot['kind'];

/** A start with a position of ours. */
function starting(): EngineRig {
  const rig = new EngineRig({ gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }) });
  const command = { kind: 'adopt', what: 'BTCUSDT' } as const;
  rig.handle({ kind: 'command', commandId: 'known', command });
  return rig;
}

/** One round of polls, of which some fail. */
function poll(rig: EngineRig, failing: readonly Part[] = []): void {
  const currency = 'USDT' as const;
  const { monotonic: startedAt } = rig;
  const wallet = { currency, balance: d<'USDT'>('10000'), locked: d<'USDT'>('0') };
  const snapshots: readonly AccountSnapshot[] = [
    { kind: 'wallet', currency, startedAt, wallet },
    { kind: 'open-orders', currency, startedAt, orders: [] },
    { kind: 'positions', currency, startedAt, positions: [rowOf()] },
  ];
  for (const each of snapshots) if (!failing.includes(each.kind)) rig.snapshot(each);
  rig.pass(400);
  while (rig.pendingRequest('read-positions') !== undefined)
    rig.answer('read-positions', yes([rowOf()]));
}

const isStarted = (rig: EngineRig): boolean => rig.host.eventLog.includes('start');

describe('a start with an open position', () => {
  it.each([
    { part: 'wallet', text: 'the wallet of the account cannot be read' },
    { part: 'open-orders', text: 'the open orders of the account cannot be read' },
  ] as const)('waits 10 s for $part, then exits leave and entries wait', ({ part, text }) => {
    const rig = starting();
    rig.begin();
    poll(rig, [part]);
    expect(rig.engine.missingStartFact).toBe(text);
    rig.pass(9_000);
    poll(rig, [part]);
    expect(isStarted(rig)).toBe(false);
    rig.pass(1_000);
    poll(rig, [part]);
    expect([isStarted(rig), rig.engine.missingStartFact]).toEqual([true, undefined]);
    rig.tick(60_000);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused-for-now');
    expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true, leg: 1 })).toBe('accepted');
  });

  it('nothing leaves while the positions cannot be read', () => {
    const rig = starting();
    rig.begin();
    for (let round = 0; round < 10; round += 1) {
      poll(rig, ['positions']);
      rig.pass(5_000);
    }
    expect([isStarted(rig), rig.engine.mode]).toEqual([false, 'RECONCILING']);
  });

  it('its strategies wait for a warm-up that is read late, and a flatten does not', () => {
    const rig = starting();
    rig.begin();
    rig.handle({ kind: 'warm-up', isPending: true });
    for (let round = 0; round < 4; round += 1) {
      poll(rig);
      rig.pass(5_000);
    }
    expect([isStarted(rig), rig.engine.mode]).toEqual([false, 'TRADING']);
    expect(rig.engine.missingStartFact).toBe('the candles of the warm-up are not read yet');
    rig.handle({ kind: 'warm-up', isPending: false });
    expect(isStarted(rig)).toBe(true);
  });

  it('a flatten is carried out before the warm-up is over', () => {
    const rig = starting();
    rig.begin();
    rig.handle({ kind: 'warm-up', isPending: true });
    poll(rig);
    const command = { kind: 'kill', level: 'flatten', reason: 'test' } as const;
    rig.handle({ kind: 'command', commandId: 'k1', command });
    expect(rig.pendingRequest('place')).toMatchObject({
      terms: { symbol: 'BTCUSDT', side: 'sell', reduceOnly: true },
    });
  });
});

it('a start without a position waits for the wallet', () => {
  const rig = new EngineRig();
  rig.begin();
  const currency = 'USDT' as const;
  for (let round = 0; round < 10; round += 1) {
    const { monotonic: startedAt } = rig;
    rig.snapshot({ kind: 'open-orders', currency, startedAt, orders: [] });
    rig.snapshot({ kind: 'positions', currency, startedAt, positions: [] });
    rig.pass(5_000);
    while (rig.pendingRequest('read-positions') !== undefined)
      rig.answer('read-positions', yes([]));
  }
  expect([isStarted(rig), rig.engine.mode]).toEqual([false, 'RECONCILING']);
  rig.poll();
  expect(isStarted(rig)).toBe(true);
});
