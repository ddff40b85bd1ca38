import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { placement } from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import type { OperatorCommand } from '../../core/events.js';
import { recover } from '../../execution/recovery/recovery.js';

const trading = (positions: Parameters<EngineRig['startEngineWithAdopted']>[0] = []): EngineRig => {
  const rig = new EngineRig();
  rig.startEngineWithAdopted(positions);
  rig.tick(60_000);
  return rig;
};
let commands = 0;
const send = (rig: EngineRig, command: OperatorCommand): void => {
  rig.handle({ kind: 'command', commandId: `s${++commands}`, command });
};
const stop = (close = false): OperatorCommand => ({
  kind: 'stop-strategy',
  strategy: 'cross',
  close,
  reason: 'by hand',
});
const pause = (until?: number): OperatorCommand => ({
  kind: 'pause-strategy',
  strategy: 'cross',
  ...(until !== undefined && { until }),
  reason: 'news',
});
const resume: OperatorCommand = { kind: 'resume-strategy', strategy: 'cross', reason: 'calm' };
const switches = (rig: EngineRig) => rig.records.filter(({ type }) => type === 'strategy');
const requests = (rig: EngineRig, kind: string) =>
  rig.sent.filter(({ request }) => request.kind === kind);

describe('a pause of one strategy', () => {
  it('refuses its entries with the reason, lets its exits leave, and ends with a resume', () => {
    const rig = trading([positionRow('1')]);
    send(rig, pause());
    expect(rig.submit()).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('PAUSED')?.lastText).toBe(
      'cross is paused until `sluice resume`: news',
    );
    expect(rig.submit({ side: 'sell', exit: true, ordinal: 1 })).toBe('accepted');
    send(rig, resume);
    expect(rig.engine.switchOf('cross').isPaused).toBe(false);
  });

  it.each([
    { early: 1, isPaused: true },
    { early: 0, isPaused: false },
  ])('%j: its end is at its venue time', ({ early, isPaused }) => {
    const rig = trading();
    send(rig, pause(rig.venueTime + 5_000));
    rig.pass(5_000 - early);
    rig.handle({ kind: 'feed', up: true, reason: 'any event' });
    expect(rig.engine.switchOf('cross').isPaused).toBe(isPaused);
  });

  it('a repeated pause or resume journals no second change', () => {
    const rig = trading();
    send(rig, resume);
    expect(switches(rig)).toHaveLength(0);
    send(rig, pause());
    send(rig, pause());
    expect(switches(rig)).toHaveLength(1);
    send(rig, resume);
    send(rig, resume);
    expect(switches(rig)).toHaveLength(2);
  });
});

describe('a stop of one strategy', () => {
  it('tells it, cancels its entries, and leaves its reductions', () => {
    const rig = trading();
    rig.submit({ price: '50000' });
    rig.answer('place', placement('v1'));
    rig.submit({ price: '70000', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    send(rig, stop());
    expect(rig.host.eventLog).toContain('stop');
    expect(requests(rig, 'cancel').map(({ request }) => request)).toMatchObject([
      { order: { orderId: 'v1' } },
    ]);
    expect(rig.engine.switchOf('cross')).toEqual({
      isStopped: true,
      isClosing: false,
      isPaused: false,
      cause: 'by hand',
    });
    send(rig, stop());
    expect(switches(rig)).toHaveLength(1);
    expect(requests(rig, 'cancel')).toHaveLength(1);
  });

  it('refuses an entry that its code still asks for', () => {
    const rig = trading();
    send(rig, stop());
    expect(rig.submit()).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('PAUSED')?.lastText).toBe('cross is stopped: by hand');
  });

  it('an unknown id changes nothing and says so', () => {
    const rig = trading();
    send(rig, { kind: 'stop-strategy', strategy: 'nobody', close: true, reason: 'x' });
    expect(switches(rig)).toHaveLength(0);
    expect(rig.notes.at(-1)?.text).toBe('nobody: no such strategy is configured');
  });

  it('stands over a restart: the next engine does not start the strategy', () => {
    const before = trading();
    send(before, stop());
    const records = [
      { type: 'header', venueTime: 0, account: 'rig', venue: 'here' } as const,
      ...before.records,
    ];
    const rig = EngineRig.trading({ recovered: recover(records, 'rig') });
    expect(rig.host.eventLog[0]).toBe('stop');
    expect(rig.engine.switchOf('cross').isStopped).toBe(true);
  });
});
