import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { no, placement, yes } from '../../../test/support/rigs/protocol-rig.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import { positionRow } from '../../../test/support/builders/position-row.js';

const HOUR_MS = 3_600_000;

const restricted = (rig: EngineRig): boolean => rig.engine.facts.mode('BTCUSDT') === 'REDUCE_ONLY';
const reminders = (rig: EngineRig): readonly string[] =>
  rig.notes.map(({ text }) => text).filter((text) => text.includes('is delisted'));

describe('the rules of an instrument', () => {
  it('are read each hour of venue time, and apply from then on', () => {
    const rig = EngineRig.trading();
    rig.pass(HOUR_MS - 1_000);
    expect(rig.pendingRequest('read-instrument')).toBeUndefined();
    rig.pass(1_000);
    rig.answer('read-instrument', yes({ ...BTC, priceStep: d('5') }));
    expect(rig.engine.instruments.get('BTCUSDT')?.priceStep).toBe(d('5'));
    rig.pass(HOUR_MS);
    expect(rig.pendingRequest('read-instrument')).toBeDefined();
  });

  it.each([
    [
      'an unreadable answer',
      { kind: 'unknown', cause: 'HTTP 503', sent: true, status: 503 } as const,
    ],
    ['another refusal', no('invalid-request')],
  ])('stay as they are after %s', (_, outcome) => {
    const rig = EngineRig.trading();
    for (let hour = 0; hour < 3; hour += 1) {
      rig.pass(HOUR_MS);
      rig.answer('read-instrument', outcome);
    }
    expect(restricted(rig)).toBe(false);
    expect(rig.engine.instruments.get('BTCUSDT')).toEqual(BTC);
  });
});

describe('an instrument that the venue lists no more', () => {
  /** Two reads, a minute apart, do not find it. */
  function delisted(rig: EngineRig): void {
    rig.pass(HOUR_MS);
    rig.answer('read-instrument', no('asset-not-found'));
    expect(restricted(rig)).toBe(false);
    rig.pass(60_000);
    rig.answer('read-instrument', no('asset-not-found'));
  }

  it('is restricted to exits after two reads, and free once it is listed again', () => {
    const rig = EngineRig.trading();
    delisted(rig);
    expect(restricted(rig)).toBe(true);
    rig.pass(HOUR_MS);
    rig.answer('read-instrument', yes(BTC));
    expect(restricted(rig)).toBe(false);
    expect(reminders(rig), 'nothing is held').toEqual([]);
  });

  it('reminds of a held position each day under `hold`, and closes nothing', () => {
    const rig = new EngineRig({ onDelisting: { kind: 'hold' } });
    rig.startEngineWithAdopted([positionRow('1')]);
    rig.tick(60_000);
    delisted(rig);
    expect(reminders(rig)).toHaveLength(1);
    for (let hour = 0; hour < 48; hour += 1) {
      rig.pass(HOUR_MS);
      if (rig.pendingRequest('read-instrument') !== undefined)
        rig.answer('read-instrument', no('asset-not-found'));
    }
    expect(reminders(rig)).toHaveLength(3);
    expect(reminders(rig).at(-1)).toBe(
      'BTCUSDT is delisted, for 2 d 0 h, and a position of 1 is open. It stays open (on_delisting: hold): close it before the venue does',
    );
    expect(rig.pendingRequest('place')).toBeUndefined();
  });

  it('closes a held position a day later by default', () => {
    const rig = new EngineRig();
    rig.startEngineWithAdopted([positionRow('1')]);
    rig.tick(60_000);
    delisted(rig);
    rig.pass(24 * HOUR_MS - 1);
    expect(rig.pendingRequest('place')).toBeUndefined();
    rig.pass(1);
    expect(rig.pendingRequest('place')?.terms).toMatchObject({ reduceOnly: true, side: 'sell' });
  });

  it('closes a held position whole, whatever exits rest at a better price', () => {
    const rig = new EngineRig();
    rig.startEngineWithAdopted([positionRow('1')]);
    rig.tick(60_000);
    rig.submit({ side: 'sell', exit: true, quantity: '0.6', price: '61000' });
    rig.answer('place', placement());
    delisted(rig);
    rig.pass(24 * HOUR_MS);
    expect(rig.pendingRequest('place')?.terms).toMatchObject({ quantity: d('1'), type: 'market' });
  });
});
