import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import { no, unknown, unsent, yes } from '../../../test/harness/protocol-rig.js';
import { storyOf } from '../../../test/harness/story.js';
import type { Ratio } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { Outcome } from '../../core/request.js';
import type { LeverageWish } from './setting-leverage.js';
import { scaledOf } from '../../../test/harness/scaled.js';

const times = (text: string): Ratio => d<'ratio'>(text);
const WISH: LeverageWish = { symbol: 'BTCUSDT', currency: 'USDT', leverage: times('3') };
const NOT_SET = no('leverage-not-set');
const PERSON: Cause = { kind: 'operator', commandId: 'c1' };

/** Leverage 3 is wanted; what it is told is kept in `news`. */
function wanted(cause?: Cause) {
  const rig = new OperationRig();
  const news: string[] = [];
  const story = storyOf(rig);
  rig.leverage.want(
    WISH,
    {
      read: (leverage) =>
        news.push(`read ${leverage === undefined ? 'none' : scaledOf(leverage) / 1e8}`),
      set: () => news.push('set'),
      failed: (reason) => news.push(`failed: ${reason}`),
    },
    cause,
  );
  rig.grant();
  const read = (outcome: Outcome<Ratio>): void => {
    rig.passUntil('read-leverage');
    rig.answer('read-leverage', outcome);
    rig.grant();
  };
  const set = (outcome: Outcome<Ratio>): void => {
    rig.passUntil('set-leverage');
    rig.answer('set-leverage', outcome);
    rig.grant();
  };
  return { rig, news, story, read, set };
}

describe('leverage', () => {
  it('that is there already is not set, and nothing is journaled', () => {
    const { news, story, read } = wanted();
    read(yes(times('3')));
    expect(news).toEqual(['read 3', 'set']);
    expect(story).toEqual(['0 send read-leverage as verify']);
  });

  it.each([
    { before: NOT_SET, named: 'none' },
    { before: yes(times('5')), named: '5' },
  ])('that is $named is set and read back (A33)', ({ before, named }) => {
    const { news, story, read, set } = wanted();
    read(before);
    set(yes(times('3')));
    read(yes(times('3')));
    expect(news).toEqual([`read ${named}`, 'read 3', 'set']);
    expect(story).toEqual([
      '0 send read-leverage as verify',
      '0 operation {"plan":{"kind":"leverage","symbol":"BTCUSDT","currency":"USDT","leverage":"3"}}',
      '0 operation-attempt {"attempt":1,"step":{"kind":"set-leverage"}}',
      '0 send set-leverage 3 as place',
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      '0 send read-leverage as verify',
      '0 operation-ended {"end":"set","evidence":"a read shows 3"}',
    ]);
  });

  it('that a person asked for has its answer in the journal, also where nothing is sent', () => {
    const { story, read } = wanted(PERSON);
    read(yes(times('3')));
    expect(story).toEqual([
      '0 operation {"cause":{"kind":"operator","commandId":"c1"},' +
        '"plan":{"kind":"leverage","symbol":"BTCUSDT","currency":"USDT","leverage":"3"}}',
      '0 send read-leverage as verify',
      '0 operation-ended {"end":"set","evidence":"a read shows 3"}',
    ]);
  });

  it('that cannot be read is read again and again, later each time, and not set', () => {
    const { rig, news, story, read } = wanted();
    for (const outcome of [unknown(), no('rate-limited', 429), unsent]) read(outcome);
    rig.passUntil('read-leverage');
    expect(story.map((line) => line.split(' as ')[0])).toEqual([
      '0 send read-leverage',
      '250 send read-leverage',
      '750 send read-leverage',
      '1750 send read-leverage',
    ]);
    expect(news).toEqual([]);
  });

  it.each([unknown(), unsent, no('locked', 423), no('rate-limited', 429)])(
    'whose set has no clear yes is read, and set again after a pause where it does not show',
    (outcome) => {
      const { rig, news, read, set } = wanted();
      read(NOT_SET);
      set(outcome);
      const since = rig.stamp.monotonic;
      read(NOT_SET);
      expect(rig.sends('set-leverage'), 'at once').toBe(1);
      set(yes(times('3')));
      expect(rig.stamp.monotonic - since).toBe(500);
      read(yes(times('3')));
      expect(news.at(-1)).toBe('set');
      expect(rig.lastEnd).toBe('set');
    },
  );

  it('whose set has no clear answer is not set again when a read shows it (F4)', () => {
    const { rig, news, read, set } = wanted();
    read(NOT_SET);
    set(unknown());
    read(yes(times('3')));
    expect(rig.sends('set-leverage')).toBe(1);
    expect(news.at(-1)).toBe('set');
  });

  it('that the venue refuses has failed, with the words of the venue', () => {
    const { rig, news, read, set } = wanted();
    read(NOT_SET);
    set(no('leverage-range'));
    const reason = 'the venue refuses leverage 3 on BTCUSDT: leverage-range';
    expect(news).toEqual(['read none', `failed: ${reason}`]);
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: reason }]);
    rig.pass(60_000);
    expect(rig.sends('set-leverage')).toBe(1);
  });

  it('that five sets do not change is given up: somebody else sets it too', () => {
    const { rig, news, read, set } = wanted();
    for (let sets = 1; sets <= 5; sets += 1) {
      read(yes(times('7')));
      set(yes(times('3')));
    }
    expect(news).not.toContain(expect.stringContaining('failed'));
    read(yes(times('7')));
    const reason = 'leverage of BTCUSDT does not stay at 3: who else sets it?';
    expect(news.at(-1)).toBe(`failed: ${reason}`);
    expect(rig.operationEnds).toEqual([{ end: 'contested', evidence: reason }]);
    expect(rig.sends('set-leverage')).toBe(5);
  });

  it('is set still after sets without a clear answer, however many', () => {
    const { rig, news, read, set } = wanted();
    for (let sets = 1; sets <= 7; sets += 1) {
      read(NOT_SET);
      set(unknown());
    }
    read(yes(times('3')));
    expect(news.at(-1)).toBe('set');
    expect(rig.sends('set-leverage')).toBe(7);
  });

  it('is not set while the world says no', () => {
    const { rig, news, read } = wanted();
    rig.holdOperations = 'halted';
    read(NOT_SET);
    expect(news).toEqual(['read none', 'failed: halted']);
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'halted' }]);
    expect(rig.sends('set-leverage')).toBe(0);
  });

  it('waits for its lane: an order on the wire, or a margin that is not proved', () => {
    const { rig, read } = wanted();
    const other = {};
    rig.lanes.hold('BTCUSDT/USDT', other);
    read(NOT_SET);
    expect(rig.sends('set-leverage')).toBe(0);
    rig.lanes.release('BTCUSDT/USDT', other);
    rig.grant();
    expect(rig.sends('set-leverage')).toBe(1);
  });

  it('that an earlier life was setting is over: who wants it says so at every start', () => {
    const { rig, read } = wanted();
    read(NOT_SET);
    const next = OperationRig.revived(rig.records, rig.stamp);
    next.leverage.resume();
    expect(next.operationEnds).toEqual([
      { end: 'dropped', evidence: 'left by an earlier life: what holds is read anew' },
    ]);
    expect(next.slots).toEqual([]);
  });
});
