import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../core/events.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';
import type { Restriction } from '../../risk/restrictions.js';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { rowOf } from '../../../test/support/rigs/operation-rig.js';
import { no, placement, yes } from '../../../test/support/rigs/protocol-rig.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';

const gate = () => createGate({ preset: 'standard', limits: DEFAULT_LIMITS });

let commands = 0;
function send(rig: EngineRig, command: OperatorCommand): void {
  commands += 1;
  rig.handle({ kind: 'command', commandId: `c${commands}`, command });
}
const hasNote = (rig: EngineRig, text: RegExp): boolean =>
  rig.notes.some((note) => text.test(note.text));

/** Restrictions of controls reach the engine by its parts; here a recovered one stands for them. */
function latched(restriction: Omit<Restriction, 'class'>): EngineRig {
  const recovered = {
    ...recover([], 'rig'),
    restrictions: [{ ...restriction, class: 'latching' as const }],
  };
  return EngineRig.trading({ gate: gate(), recovered });
}

/** One poll, and the reads that the command asked for. */
function reconcile(rig: EngineRig, positions: Parameters<EngineRig['poll']>[0] = []): void {
  rig.pass(2_000);
  while (rig.pendingRequest('read-positions') !== undefined)
    rig.answer('read-positions', yes(positions));
  while (rig.pendingRequest('read-open-orders') !== undefined)
    rig.answer('read-open-orders', yes([]));
  rig.poll(positions);
}

describe('the command resume', () => {
  it('without a symbol it ends the latched restrictions of the account after a reconciliation', () => {
    const rig = latched({ control: 'R19', to: 'REDUCE_ONLY', cause: 'day loss' });
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    send(rig, { kind: 'resume' });
    expect(rig.engine.mode).toBe('RECONCILING');
    reconcile(rig);
    expect(rig.engine.mode).toBe('TRADING');
    const again = EngineRig.trading({ gate: gate(), recovered: recover(rig.records, 'rig') });
    expect(again.engine.mode, 'a restart does not bring it back').toBe('TRADING');
  });

  it('without a symbol it leaves the restrictions of symbols, and the reverse', () => {
    const rig = latched({
      control: 'R24',
      symbol: 'BTCUSDT',
      to: 'REDUCE_ONLY',
      cause: 'rejections',
    });
    send(rig, { kind: 'resume' });
    expect(rig.engine.restrictions).toHaveLength(1);
    expect(hasNote(rig, /^resume: nothing is latched$/)).toBe(true);
    expect(rig.submit()).toBe('refused');
    send(rig, { kind: 'resume', symbol: 'BTCUSDT' });
    expect(rig.engine.restrictions).toEqual([]);
    expect(rig.host.eventLog).toContain('resume BTCUSDT');
    rig.tick(60_000);
    rig.poll();
    expect(rig.submit({ ordinal: 1 })).toBe('accepted');
  });

  it('it ends the kill switch, after a reconciliation', () => {
    const rig = EngineRig.trading({ gate: gate() });
    send(rig, { kind: 'kill', level: 'cancel', reason: 'test' });
    expect(rig.engine.mode).toBe('CANCEL_ONLY');
    send(rig, { kind: 'resume', symbol: 'BTCUSDT' });
    expect(rig.engine.killLevel, 'of a symbol').toBe('cancel');
    send(rig, { kind: 'resume' });
    expect([rig.engine.killLevel, rig.engine.mode]).toEqual([undefined, 'RECONCILING']);
    expect(rig.submit({ ordinal: 1 })).toBe('refused-for-now');
    reconcile(rig);
    expect(rig.engine.mode).toBe('TRADING');
    rig.tick(60_000);
    expect(rig.submit({ ordinal: 2 })).toBe('accepted');
  });

  it.each([
    {
      what: 'a symbol stays under a kill switch',
      to: (rig: EngineRig) => {
        send(rig, { kind: 'kill', level: 'pause', reason: 'test' });
      },
      symbol: 'BTCUSDT',
      text: /kill switch stands \(pause\).*sluice resume$/,
    },
    {
      what: 'positions disagree',
      to: (rig: EngineRig) => {
        rig.pass(2_000);
        rig.poll([rowOf({ quantity: '0.002' })]);
      },
      text: /do not equal ours/,
    },
    {
      what: 'the key is refused',
      to: (rig: EngineRig) => {
        rig.handle({ kind: 'access', refused: true, cause: '401' });
      },
      text: /refuses the key/,
    },
    {
      what: 'the run ends',
      to: (rig: EngineRig) => {
        rig.handle({ kind: 'journal-failed', reason: 'no space' });
      },
      text: /the journal cannot be written.*start again/,
    },
  ])('it is refused with the remedy while $what', ({ to, symbol, text }) => {
    const scope = symbol !== undefined && { symbol };
    const rig = latched({ control: 'R24', ...scope, to: 'REDUCE_ONLY', cause: 'rejections' });
    to(rig);
    expect(rig.engine.resumeObjection({ ...scope })).toMatch(text);
    send(rig, { kind: 'resume', ...scope });
    expect(rig.engine.restrictions).toHaveLength(1);
    expect(hasNote(rig, /^resume.* is refused: /)).toBe(true);
  });

  it('a command before the account is reconciled waits for it', () => {
    const recovered = {
      ...recover([], 'rig'),
      restrictions: [
        { control: 'R19', to: 'REDUCE_ONLY', class: 'latching', cause: 'day loss' } as const,
      ],
    };
    const rig = new EngineRig({ gate: gate(), recovered });
    send(rig, { kind: 'resume' });
    rig.startEngine();
    expect(rig.engine.restrictions).toEqual([]);
    reconcile(rig);
    expect(rig.engine.mode).toBe('TRADING');
  });

  it.each(['pause', 'cancel'] as const)(
    'a command that waits for the reconciliation is void after a later kill with level %s',
    (level) => {
      const rig = new EngineRig({ gate: gate(), recovered: recover([], 'rig') });
      send(rig, { kind: 'kill', level: 'pause', reason: 'before the start' });
      send(rig, { kind: 'resume' });
      send(rig, { kind: 'kill', level, reason: 'a person has thought again' });
      rig.startEngine();
      reconcile(rig);
      expect(rig.engine.killLevel).toBe(level);
      expect(rig.submit()).toBe('refused');
      expect(hasNote(rig, /^resume: is withdrawn by a later kill$/)).toBe(true);
      send(rig, { kind: 'resume' });
      expect(rig.engine.killLevel, 'after one more resume').toBeUndefined();
    },
  );

  it('a symbol whose leverage was refused resumes once the venue accepts it', () => {
    const rig = new EngineRig({ gate: gate() });
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('3')));
    rig.answer('set-leverage', no('leverage-range'));
    reconcile(rig);
    reconcile(rig);
    expect(rig.engine.restrictions).toMatchObject([{ control: 'R15', class: 'latching' }]);
    send(rig, { kind: 'resume', symbol: 'BTCUSDT' });
    rig.answer('read-leverage', yes(d('3')));
    rig.answer('set-leverage', no('leverage-range'));
    expect(hasNote(rig, /^resume BTCUSDT: is refused: .*strategies\[\]\.leverage/)).toBe(true);
    expect(rig.engine.restrictions).toHaveLength(1);
    send(rig, { kind: 'resume', symbol: 'BTCUSDT' });
    rig.answer('read-leverage', yes(d('2')));
    expect(rig.engine.restrictions).toEqual([]);
  });
});

describe('adopting a symbol while the bot runs', () => {
  it('its hold ends without a restart, the position is ours, and a later growth holds it again', () => {
    const rig = EngineRig.trading({ gate: gate() });
    const grow = (quantity: string) => {
      for (let poll = 0; poll < 10; poll += 1) {
        rig.pass(2_000);
        rig.tick(60_000);
        rig.poll([rowOf({ quantity })]);
      }
    };
    grow('0.002');
    expect(rig.engine.halts.reason('BTCUSDT')).toBeDefined();
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
    send(rig, { kind: 'adopt', what: 'BTCUSDT' });
    expect(rig.engine.restrictions).toEqual([]);
    expect(rig.engine.positions.ownQuantity('BTCUSDT', 'USDT')).toBe(d('0.002'));
    expect(rig.submit({ quantity: '0.001', ordinal: 1, price: '59000' })).toBe('accepted');
    grow('0.006');
    expect(rig.engine.halts.reason('BTCUSDT')).toBeDefined();
  });
});

describe('exits under a latched restriction', () => {
  it.each(['REDUCE_ONLY', 'CANCEL_ONLY', 'HALTED'] as const)(
    'a reduction and a flatten leave in %s, an entry does not',
    (to) => {
      const recovered = {
        ...recover([], 'rig'),
        restrictions: [{ control: 'R21', to, class: 'latching', cause: 'drawdown' } as const],
      };
      const rig = new EngineRig({ gate: gate(), recovered });
      rig.startEngineWithAdopted([rowOf({ quantity: '0.002' })]);
      rig.tick(60_000);
      expect(rig.engine.mode).toBe(to);
      expect(rig.submit({ quantity: '0.001' })).toBe('refused');
      expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true, ordinal: 1 })).toBe(
        'accepted',
      );
      expect(rig.pendingRequest('place')).toMatchObject({ terms: { reduceOnly: true } });
      rig.answer('place', placement());
      send(rig, { kind: 'kill', level: 'flatten', reason: 'test' });
      expect(rig.pendingRequest('place')).toMatchObject({ terms: { reduceOnly: true } });
    },
  );
});
