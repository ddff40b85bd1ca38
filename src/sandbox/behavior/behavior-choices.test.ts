import { describe, expect, test } from 'vitest';
import { ASSUMPTIONS, DEFAULT_ASSUMPTIONS } from '../../exchange/assumptions.js';
import { resolveBehavior, UnknownBehaviorError } from './behavior-choices.js';
import { FIELD_QUIRKS, QUIRKS } from './quirks.js';
import { DEFAULT_BEHAVIOR_FLAGS, type BehaviorFlags } from './behavior-flags.js';
import { parseVenueProfile, venueProfileText, type VenueProfile } from './venue-profile.js';
import { WIRE_ASSUMPTIONS } from './wire-assumptions.js';

const PROFILE: VenueProfile = {
  version: 1,
  venue: 'https://api.example.com',
  probed_at: '2026-01-05T10:00:00Z',
  assumptions: { 'wire-list-cap': '100', 'exchange-stop-trigger': 'mark' },
  quirks: ['sticky-partial'],
  notes: [],
};

describe('behavior tables', () => {
  test('no assumption and no quirk appears twice', () => {
    const ids = [...ASSUMPTIONS, ...WIRE_ASSUMPTIONS].map(({ id }) => id);
    const names = QUIRKS.map(({ name }) => name);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(names).size).toBe(names.length);
  });

  test('the table defaults equal the sandbox defaults', () => {
    for (const { field, default: answer } of WIRE_ASSUMPTIONS) {
      expect([field, answer]).toEqual([field, DEFAULT_BEHAVIOR_FLAGS[field]]);
    }
  });

  test('every switch has an id or a quirk, and two answers that differ', () => {
    const changed = new Set<string>(WIRE_ASSUMPTIONS.map(({ field }) => field));
    for (const quirk of QUIRKS)
      for (const key of Object.keys(quirk.switches ?? {})) changed.add(key);
    expect([...changed].sort()).toEqual(Object.keys(DEFAULT_BEHAVIOR_FLAGS).sort());
    for (const { default: answer, other } of WIRE_ASSUMPTIONS) expect(other).not.toBe(answer);
  });

  test.each(QUIRKS)('quirk $name changes something', ({ switches, assumptions, faults }) => {
    const sets = Object.entries({ ...switches, ...assumptions });
    const defaults: Partial<BehaviorFlags> = { ...DEFAULT_ASSUMPTIONS, ...DEFAULT_BEHAVIOR_FLAGS };
    for (const [key, value] of sets) {
      expect(value).not.toBe(defaults[key as keyof BehaviorFlags]);
    }
    expect(sets.length + (faults?.length ?? 0)).toBeGreaterThan(0);
  });
});

describe('behavior choices', () => {
  test('an empty choice changes nothing', () => {
    const none = { assumptions: {}, switches: {}, faults: [], quirks: [] };
    expect(resolveBehavior({})).toEqual(none);
    expect(resolveBehavior({ quirks: 'none' })).toEqual(none);
  });

  test('`field` turns on the observed quirks, and no two of them set the same switch', () => {
    expect(resolveBehavior({ quirks: 'field' }).quirks).toEqual(FIELD_QUIRKS);
    const settings = QUIRKS.filter(({ inField }) => inField).flatMap(({ switches, assumptions }) =>
      Object.keys({ ...switches, ...assumptions }),
    );
    expect(new Set(settings).size).toBe(settings.length);
  });

  test('quirks may be a list, including those that consist of faults', () => {
    const { quirks, switches, faults } = resolveBehavior({
      quirks: ['json-pong', 'async-refusal'],
    });
    expect(quirks).toEqual(['json-pong', 'async-refusal']);
    expect(switches).toEqual({ jsonPing: 'pong' });
    expect(faults.map(({ name }) => name)).toEqual(['async_refuse']);
  });

  test('a profile is applied first, quirks override it, and single answers override both', () => {
    const answers = resolveBehavior({
      profile: PROFILE,
      quirks: ['unknown-symbol-empty'],
      assume: { 'wire-list-cap': '500', 'exchange-partial-cancel-status': 'canceled' },
    });
    expect(answers.quirks).toEqual(['sticky-partial', 'unknown-symbol-empty']);
    expect(answers.switches).toEqual({ listCap: 500, unknownKlineSymbol: 'empty-data' });
    expect(answers.assumptions).toEqual({ stopTrigger: 'mark', partialCancelStatus: 'canceled' });
  });

  test.each([
    [{ quirks: ['sticky'] }, 'the quirk "sticky" is not known'],
    [{ assume: { 'wire-list': '5' } }, 'the assumption "wire-list" is not known'],
    [{ assume: { 'wire-json-ping': 'yes' } }, 'the answer to wire-json-ping "yes" is not known'],
  ])('an unknown name is refused: %j', (choice, message) => {
    expect(() => resolveBehavior(choice)).toThrow(UnknownBehaviorError);
    expect(() => resolveBehavior(choice)).toThrow(message);
  });
});

describe('venue profile', () => {
  test('a profile is parsed from its own text', () => {
    expect(parseVenueProfile(venueProfileText(PROFILE))).toEqual(PROFILE);
  });

  test.each([
    ['{', 'is not JSON'],
    [JSON.stringify({ ...PROFILE, version: 2 }), 'version: expected 1'],
    [JSON.stringify({ ...PROFILE, probed_at: 'May' }), 'probed_at: expected a time such as'],
    [JSON.stringify({ ...PROFILE, assumptions: { a: 5 } }), 'assumptions.a: expected the answer'],
    [JSON.stringify({ ...PROFILE, extra: 1 }), 'extra'],
    ['[]', 'the profile'],
  ])('a profile that is %s is refused: %s', (text, message) => {
    expect(() => parseVenueProfile(text)).toThrow(message);
  });
});
