import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import {
  NOT_FOUND,
  no,
  placement,
  reportOf,
  unknown,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { OperatorCommand } from '../../core/events.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';

const LONG = positionRow('1');

function trading(positions: readonly PositionReport[] = []): EngineRig {
  const rig = new EngineRig();
  rig.startEngineWithAdopted(positions);
  rig.tick(60_000);
  return rig;
}
let commands = 0;
const sendCommand = (rig: EngineRig, command: OperatorCommand): void => {
  rig.handle({ kind: 'command', commandId: `c${++commands}`, command });
};
const stop = (policy: 'keep' | 'cancel-entries' | 'flatten'): OperatorCommand => ({
  kind: 'stop',
  policy,
});
const kill = (level: 'pause' | 'cancel' | 'flatten'): OperatorCommand => ({
  kind: 'kill',
  level,
  reason: 'by hand',
});
const order = (rig: EngineRig, key: number) => rig.engine.ledger.byKey(key);

/** A resting limit buy, and a resting reduction. */
function withResting(rig: EngineRig): EngineRig {
  rig.submit({ price: '50000' });
  rig.answer('place', placement('v1'));
  rig.submit({ price: '70000', side: 'sell', exit: true, ordinal: 1 });
  rig.answer('place', placement('v2'));
  return rig;
}
const canceled = (rig: EngineRig): unknown[] =>
  rig.sent.flatMap(({ request }) => (request.kind === 'cancel' ? [request.order] : []));
const exits = (rig: EngineRig) =>
  rig.sent.flatMap(({ request }) =>
    request.kind === 'place' && request.terms.reduceOnly ? [request.terms] : [],
  );

describe('a stop command', () => {
  it.each([
    { policy: 'keep', cancels: [] },
    { policy: 'cancel-entries', cancels: [{ orderId: 'v1' }] },
    { policy: 'flatten', cancels: [{ orderId: 'v1' }, { orderId: 'v2' }] },
  ] as const)('with $policy stops the strategies and cancels $cancels', ({ policy, cancels }) => {
    const rig = withResting(trading());
    sendCommand(rig, stop(policy));
    expect(rig.host.eventLog).toContain('stop');
    expect(canceled(rig)).toEqual(cancels);
    expect(rig.records.map(({ type }) => type)).toContain('command');
  });

  it('a stop refuses entries and lets exits leave', () => {
    const rig = trading([LONG]);
    sendCommand(rig, stop('keep'));
    expect(rig.submit()).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('STOPPING')?.count).toBe(1);
    expect(rig.submit({ side: 'sell', exit: true, ordinal: 1 })).toBe('accepted');
  });

  it('a stop drops a waiting entry, and lets one in flight end', () => {
    const rig = trading();
    rig.submit({ quantity: '1' });
    expect(order(rig, 0).state).toBe('sent');
    sendCommand(rig, stop('cancel-entries'));
    expect(rig.engine.isSettled).toBe(false);
    rig.answer('place', no('locked', 423));
    rig.pass(250);
    expect(order(rig, 0).state).toBe('rejected');
    expect(rig.pendingRequest('place')).toBeUndefined();
    expect(rig.engine.isSettled).toBe(true);
  });

  it('a stop under flatten closes later fills of an entry in flight', () => {
    const rig = trading([LONG]);
    rig.submit({ quantity: '2' });
    sendCommand(rig, stop('flatten'));
    expect(exits(rig).map(({ side, quantity }) => [side, quantity])).toEqual([['sell', d('1')]]);
    rig.answer('place', placement('v1'));
    rig.answerOrderQuery(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '2', average: '60000' })),
    );
    expect(exits(rig).map(({ quantity }) => quantity)).toEqual([d('1'), d('2')]);
  });
});

describe('a flatten command', () => {
  it('a flatten closes each position with one reduce-only market order', () => {
    const rig = trading([{ ...LONG, side: 'short', quantity: d('2') }]);
    sendCommand(rig, stop('flatten'));
    rig.pass(5_000);
    expect(exits(rig)).toHaveLength(1);
    expect(exits(rig)[0]).toMatchObject({ side: 'buy', type: 'market', quantity: d('2') });
    rig.answer('place', placement('v1'));
    rig.answerOrderQuery(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '2', average: '60000' })),
    );
    rig.pass(30_000);
    expect(rig.engine.ledger.all).toHaveLength(1);
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(0);
    expect(rig.host.eventLog, 'the symbol’s strategy is notified').toContain('moved BTCUSDT');
  });

  it('a flatten retries a refused order under another id', () => {
    const rig = trading([LONG]);
    sendCommand(rig, stop('flatten'));
    rig.answer('place', no('insufficient-balance'));
    rig.pass(2_000);
    expect(exits(rig)).toHaveLength(1);
    expect(order(rig, 1).clientOrderId).not.toBe(order(rig, 0).clientOrderId);
  });

  it('a flatten does not repeat an exit with an unclear outcome', () => {
    const rig = trading([LONG]);
    sendCommand(rig, stop('flatten'));
    rig.answer('place', unknown());
    rig.pass(30_000);
    expect(rig.engine.ledger.all).toHaveLength(1);
  });

  it('a flatten splits an exit above the maximum market quantity', () => {
    const rig = trading([{ ...LONG, quantity: d('200') }]);
    sendCommand(rig, stop('flatten'));
    expect(exits(rig)[0]?.quantity).toBe(d('150'));
    rig.answer('place', placement('v1'));
    rig.answerOrderQuery(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '150', average: '60000' })),
    );
    expect(order(rig, 1).terms.quantity).toBe(d('50'));
  });

  it('a flatten leaves external positions', () => {
    const rig = trading([{ ...LONG, symbol: 'DOGEUSDT' }]);
    sendCommand(rig, stop('flatten'));
    expect(exits(rig)).toEqual([]);
  });
});

describe('the kill switch', () => {
  /** An engine with a judging gate and a current account. */
  function judged(): EngineRig {
    const limits = { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) };
    const rig = new EngineRig({ gate: createGate({ preset: 'standard', limits }) });
    rig.startEngineWithAdopted([LONG]);
    rig.poll([LONG]);
    rig.tick(60_000, 60_000);
    return rig;
  }

  it.each([
    { level: 'pause', mode: 'REDUCE_ONLY', cancels: 0, flattens: 0 },
    { level: 'cancel', mode: 'CANCEL_ONLY', cancels: 2, flattens: 0 },
    { level: 'flatten', mode: 'REDUCE_ONLY', cancels: 2, flattens: 1 },
  ] as const)('at $level leads to $mode', ({ level, mode, cancels, flattens }) => {
    const rig = withResting(trading([{ ...LONG, quantity: d('2') }]));
    sendCommand(rig, kill(level));
    expect(rig.engine.mode).toBe(mode);
    expect(rig.engine.killLevel).toBe(level);
    expect(canceled(rig)).toHaveLength(cancels);
    expect(exits(rig).filter(({ type }) => type === 'market')).toHaveLength(flattens);
    expect(rig.host.eventLog, 'strategies are not stopped').not.toContain('stop');
  });

  it('a kill command is journaled before its effects', () => {
    const rig = trading([LONG]);
    const before = rig.records.length;
    sendCommand(rig, kill('flatten'));
    const types = rig.records.slice(before).map((record) => record.type);
    expect(types.slice(0, 2)).toEqual(['command', 'mode']);
    expect(types).toContain('intent');
  });

  it('the kill level flatten lets its exits pass the gate, and nothing else', () => {
    const rig = judged();
    sendCommand(rig, kill('flatten'));
    expect(exits(rig)).toHaveLength(1);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  });

  it('the kill level flatten after cancel lets exits leave again, after a reconciliation', () => {
    const rig = judged();
    sendCommand(rig, kill('cancel'));
    expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true })).toBe('refused');
    sendCommand(rig, kill('flatten'));
    expect(exits(rig)).toEqual([]);
    rig.pass(1);
    rig.poll([LONG]);
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    expect(exits(rig)).toHaveLength(1);
  });

  it('a pause does not weaken the kill switch', () => {
    const rig = trading();
    sendCommand(rig, kill('cancel'));
    sendCommand(rig, kill('pause'));
    expect(rig.engine.killLevel).toBe('cancel');
    expect(rig.engine.mode).toBe('CANCEL_ONLY');
  });

  it('the kill level cancel lets a flatten finish, and nothing else', () => {
    const rig = judged();
    sendCommand(rig, kill('flatten'));
    rig.answer('place', no('insufficient-balance'));
    sendCommand(rig, kill('cancel'));
    expect(rig.engine.killLevel).toBe('flatten');
    rig.pass(10_000);
    expect(exits(rig)).toHaveLength(1);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  });

  it('the kill switch cancels possibly sent orders, and reserves their exposure until the proof', () => {
    const rig = trading();
    rig.submit({ quantity: '1', price: '50000' });
    rig.answer('place', unknown());
    sendCommand(rig, kill('cancel'));
    rig.answer('cancel', NOT_FOUND);
    rig.answerOrderNotFound();
    expect(order(rig, 0).state).toBe('quarantined');
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
  });
});
