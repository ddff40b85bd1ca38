import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import {
  NOT_FOUND,
  no,
  placement,
  reportOf,
  unknown,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { d } from '../../../test/harness/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { Command } from '../../core/events.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits.js';

const LONG = positionRow('1');

function trading(positions: readonly PositionReport[] = []): EngineRig {
  const rig = new EngineRig();
  rig.beginWith(positions);
  rig.tick(60_000);
  return rig;
}
let commands = 0;
const say = (rig: EngineRig, command: Command): void => {
  rig.happen({ kind: 'command', commandId: `c${++commands}`, command });
};
const stop = (policy: 'keep' | 'cancel-entries' | 'flatten'): Command => ({ kind: 'stop', policy });
const kill = (level: 'pause' | 'cancel' | 'flatten'): Command => ({
  kind: 'kill',
  level,
  reason: 'by hand',
});
const order = (rig: EngineRig, key: number) => rig.engine.ledger.byKey(key);

/** A limit buy that rests, and one that reduces. */
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

describe('a stop', () => {
  it.each([
    { policy: 'keep', cancels: [] },
    { policy: 'cancel-entries', cancels: [{ orderId: 'v1' }] },
    { policy: 'flatten', cancels: [{ orderId: 'v1' }, { orderId: 'v2' }] },
  ] as const)('with $policy stops the strategies and cancels $cancels', ({ policy, cancels }) => {
    const rig = withResting(trading());
    say(rig, stop(policy));
    expect(rig.host.heard).toContain('stop');
    expect(canceled(rig)).toEqual(cancels);
    expect(rig.records.map(({ type }) => type)).toContain('command');
  });

  it('refuses what opens and lets exits out', () => {
    const rig = trading([LONG]);
    say(rig, stop('keep'));
    expect(rig.submit()).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('STOPPING')?.count).toBe(1);
    expect(rig.submit({ side: 'sell', exit: true, ordinal: 1 })).toBe('accepted');
  });

  it('drops an entry that waits, and lets one that is on its way come to its end', () => {
    const rig = trading();
    rig.submit({ quantity: '1' });
    expect(order(rig, 0).state).toBe('sent');
    say(rig, stop('cancel-entries'));
    expect(rig.engine.settled).toBe(false);
    rig.answer('place', no('locked', 423));
    rig.pass(250);
    expect(order(rig, 0).state).toBe('rejected');
    expect(rig.waiting('place')).toBeUndefined();
    expect(rig.engine.settled).toBe(true);
  });

  it('closes under flatten what an entry on its way fills afterwards', () => {
    const rig = trading([LONG]);
    rig.submit({ quantity: '2' });
    say(rig, stop('flatten'));
    expect(exits(rig).map(({ side, quantity }) => [side, quantity])).toEqual([['sell', d('1')]]);
    rig.answer('place', placement('v1'));
    rig.look(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '2', average: '60000' })),
    );
    expect(exits(rig).map(({ quantity }) => quantity)).toEqual([d('1'), d('2')]);
  });
});

describe('a flattening', () => {
  it('closes each position by one reduce-only market order, and no more', () => {
    const rig = trading([{ ...LONG, side: 'short', quantity: d('2') }]);
    say(rig, stop('flatten'));
    rig.pass(5_000);
    expect(exits(rig)).toHaveLength(1);
    expect(exits(rig)[0]).toMatchObject({ side: 'buy', type: 'market', quantity: d('2') });
    rig.answer('place', placement('v1'));
    rig.look(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '2', average: '60000' })),
    );
    rig.pass(30_000);
    expect(rig.engine.ledger.all).toHaveLength(1);
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(0);
    expect(rig.host.heard, 'whoever trades the symbol hears of it').toContain('moved BTCUSDT');
  });

  it('tries again when its order is refused, under another id', () => {
    const rig = trading([LONG]);
    say(rig, stop('flatten'));
    rig.answer('place', no('insufficient-balance'));
    rig.pass(2_000);
    expect(exits(rig)).toHaveLength(1);
    expect(order(rig, 1).clientOrderId).not.toBe(order(rig, 0).clientOrderId);
  });

  it('does not double an exit whose outcome is not clear', () => {
    const rig = trading([LONG]);
    say(rig, stop('flatten'));
    rig.answer('place', unknown());
    rig.pass(30_000);
    expect(rig.engine.ledger.all).toHaveLength(1);
  });

  it('cuts what one market order may not hold, and goes on with the rest', () => {
    const rig = trading([{ ...LONG, quantity: d('200') }]);
    say(rig, stop('flatten'));
    expect(exits(rig)[0]?.quantity).toBe(d('150'));
    rig.answer('place', placement('v1'));
    rig.look(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '150', average: '60000' })),
    );
    expect(order(rig, 1).terms.quantity).toBe(d('50'));
  });

  it('leaves what no strategy of ours trades', () => {
    const rig = trading([{ ...LONG, symbol: 'DOGEUSDT' }]);
    say(rig, stop('flatten'));
    expect(exits(rig)).toEqual([]);
  });
});

describe('the kill switch', () => {
  /** Under a gate that judges, with an account that is fresh. */
  function judged(): EngineRig {
    const limits = { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) };
    const rig = new EngineRig({ gate: createGate({ preset: 'standard', limits }) });
    rig.beginWith([LONG]);
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
    say(rig, kill(level));
    expect(rig.engine.mode).toBe(mode);
    expect(rig.engine.killLevel).toBe(level);
    expect(canceled(rig)).toHaveLength(cancels);
    expect(exits(rig).filter(({ type }) => type === 'market')).toHaveLength(flattens);
    expect(rig.host.heard, 'strategies go on to be heard').not.toContain('stop');
  });

  it('is journaled before what it does', () => {
    const rig = trading([LONG]);
    const before = rig.records.length;
    say(rig, kill('flatten'));
    const types = rig.records.slice(before).map((record) => record.type);
    expect(types.slice(0, 2)).toEqual(['command', 'mode']);
    expect(types).toContain('intent');
  });

  it('at flatten lets its exits through the gate, and nothing else', () => {
    const rig = judged();
    say(rig, kill('flatten'));
    expect(exits(rig)).toHaveLength(1);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  });

  it('at flatten after cancel lets exits out again, by way of a reconciliation', () => {
    const rig = judged();
    say(rig, kill('cancel'));
    expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true })).toBe('refused');
    say(rig, kill('flatten'));
    expect(exits(rig)).toEqual([]);
    rig.pass(1);
    rig.poll([LONG]);
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    expect(exits(rig)).toHaveLength(1);
  });

  it('is not weakened by a pause', () => {
    const rig = trading();
    say(rig, kill('cancel'));
    say(rig, kill('pause'));
    expect(rig.engine.killLevel).toBe('cancel');
    expect(rig.engine.mode).toBe('CANCEL_ONLY');
  });

  it('at cancel leaves a flatten to its end, and lets nothing else out', () => {
    const rig = judged();
    say(rig, kill('flatten'));
    rig.answer('place', no('insufficient-balance'));
    say(rig, kill('cancel'));
    expect(rig.engine.killLevel).toBe('flatten');
    rig.pass(10_000);
    expect(exits(rig)).toHaveLength(1);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  });

  it('cancels what may have left, and keeps it reserved until that is proved', () => {
    const rig = trading();
    rig.submit({ quantity: '1', price: '50000' });
    rig.answer('place', unknown());
    say(rig, kill('cancel'));
    rig.answer('cancel', NOT_FOUND);
    rig.miss();
    expect(order(rig, 0).state).toBe('quarantined');
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
  });
});
