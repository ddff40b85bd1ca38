import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertConditions, type AlertCondition } from './alert/alert-conditions.js';
import type { AlertFacts } from './alert/alert-facts.js';
import { ALERT_KINDS, type AlertKind } from './alert/alert-kind.js';
import { noticeText, type Notice } from './alert/notice.js';
import { NO_PAGES } from './alert/page-budget.js';
import { Notifier, type NotifierSettings } from './notifier.js';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 23, 12);
const SETTINGS: NotifierSettings = {
  account: 'main',
  mode: 'sandbox',
  session: 's',
  timeZone: 'UTC',
  quietHours: undefined,
  digestMinute: undefined,
  pageTimes: NO_PAGES,
};
const CALM: AlertFacts = {
  restrictions: [],
  isKeyRefused: false,
  haltReason: undefined,
  killLevel: undefined,
  flattenLeft: undefined,
  unproved: [],
  unprotected: [],
  feeds: [],
  failedStrategies: [],
};

const condition = (kind: AlertKind, scope = ''): AlertCondition => ({ kind, scope, text: scope });
const LATCHED = condition('latched_restriction', 'R22:BTCUSDT');

/** A notifier on a clock of whole seconds. */
class NotifierRig {
  readonly notifier: Notifier;
  readonly sent: (Notice & { readonly atS: number })[] = [];
  readonly startMs: number;
  #seconds = 0;

  constructor(settings: Partial<NotifierSettings> = {}, startMs = NOON) {
    this.startMs = startMs;
    this.notifier = new Notifier({ ...SETTINGS, ...settings });
  }

  /** Steps once a second for so long. */
  hold(seconds: number, ...conditions: readonly AlertCondition[]): this {
    for (const until = this.#seconds + seconds; this.#seconds < until; this.#seconds += 1) {
      const ms = this.#seconds * 1_000;
      const time = { utcMs: this.startMs + ms, monotonic: ms };
      for (const notice of this.notifier.step(conditions, time, () => 'equity 10,000'))
        this.sent.push({ ...notice, atS: this.#seconds });
    }
    return this;
  }

  get log(): readonly string[] {
    return this.sent.map(
      ({ atS, level, items }) =>
        `${atS} ${level} ${items.map(({ state, key }) => `${state} ${key}`).join(', ')}`,
    );
  }
}

describe('a page', () => {
  it('is raised once, resolved 10 s after its cause has ended, and the resolve is silent', () => {
    const rig = new NotifierRig().hold(60, LATCHED).hold(60);
    expect(rig.log).toEqual([
      '0 page raised latched_restriction:R22:BTCUSDT',
      '70 message resolved latched_restriction:R22:BTCUSDT',
    ]);
    expect(rig.sent.map(({ silent }) => silent)).toEqual([false, true]);
  });

  it('is repeated after 5, 15, 35 and 75 minutes until it is acknowledged', () => {
    const rig = new NotifierRig().hold(80 * 60, LATCHED);
    expect(rig.sent.map(({ atS, items }) => [atS / 60, items[0]?.state])).toEqual([
      [0, 'raised'],
      [5, 'repeated'],
      [15, 'repeated'],
      // The fourth page within the hour collapses, a minute later.
      [36, 'repeated'],
      [75, 'repeated'],
    ]);
    expect(rig.notifier.acknowledge()).toEqual(['latched_restriction:R22:BTCUSDT']);
    expect(rig.notifier.acknowledge()).toEqual([]);
    rig.hold(24 * 60 * 60, LATCHED);
    expect(rig.sent).toHaveLength(5);
    rig.hold(20);
    expect(rig.sent.at(-1)?.items[0]?.state).toBe('resolved');
  });

  it('a cause that flaps within seconds is one alert, and a return counts after five minutes', () => {
    const rig = new NotifierRig().hold(5, LATCHED).hold(8).hold(5, LATCHED).hold(20);
    rig.hold(300, LATCHED);
    expect(rig.log).toEqual([
      '0 page raised latched_restriction:R22:BTCUSDT',
      '28 message resolved latched_restriction:R22:BTCUSDT',
      '300 page raised latched_restriction:R22:BTCUSDT',
    ]);
    expect(rig.sent[2]?.items[0]?.count).toBe(2);
  });

  it('of one cause on three symbols is one page, and so is each of its repetitions', () => {
    const [a, b, c] = ['A', 'B', 'C'].map((scope) => condition('feed_dead', scope));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three conditions');
    const rig = new NotifierRig().hold(60, a, b).hold(20 * 60, a, b, c);
    expect(rig.sent.map(({ atS, items }) => [atS, items.length])).toEqual([
      [0, 2],
      [60, 1],
      [300, 3],
      [960, 3],
    ]);
  });

  it('the fourth of an hour waits a minute and collapses the others', () => {
    const all = Array.from({ length: 9 }, (_, at) => condition('unproved_order', `S${at}`));
    const rig = new NotifierRig();
    for (const seconds of [1, 2, 3, 4, 5, 6, 7, 8]) rig.hold(1, ...all.slice(0, seconds));
    rig.hold(112, ...all);
    expect(rig.sent.map(({ atS, items }) => [atS, items.length])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [63, 6],
    ]);
    expect(noticeText(rig.sent[3] as Notice)).toMatch(
      /^PAGE · main \(sandbox\): 6 alerts\norder w/,
    );
  });

  it('a crash loop is no storm: the pages of earlier runs count', () => {
    let pageTimes = NO_PAGES;
    let pages = 0;
    for (let run = 0; run < 60; run += 1) {
      const rig = new NotifierRig({ pageTimes }, NOON + run * 60_000);
      pages += rig.hold(30, LATCHED).sent.filter(({ level }) => level === 'page').length;
      ({ pageTimes } = rig.notifier);
    }
    expect(pages).toBe(3);
  });

  it('one that ends before it could leave is a message and wakes no person', () => {
    const three = ['A', 'B', 'C'].map((scope) => condition('unproved_order', scope));
    const rig = new NotifierRig()
      .hold(1, ...three.slice(0, 1))
      .hold(1, ...three.slice(0, 2))
      .hold(8, ...three)
      .hold(20, ...three, LATCHED)
      .hold(60, ...three);
    expect(rig.log.slice(3)).toEqual(['40 message resolved latched_restriction:R22:BTCUSDT']);
  });
});

describe('quiet hours', () => {
  const quiet = { fromMinute: 22 * 60, toMinute: 7 * 60 };

  it('hold messages until their end in the local zone, and spare pages', () => {
    // 22:30 in Kolkata, which is UTC+5:30.
    const start = Date.UTC(2026, 10, 23, 17);
    const rig = new NotifierRig({ quietHours: quiet, timeZone: 'Asia/Kolkata' }, start);
    rig.hold(60, condition('kill_switch'), LATCHED).hold(9 * 3_600, condition('kill_switch'));
    const inHours = rig.log.map((line) =>
      line.replace(/^\d+/, (s) => (Number(s) / 3_600).toFixed(1)),
    );
    expect(inHours).toEqual([
      '0.0 page raised latched_restriction:R22:BTCUSDT',
      '0.0 message resolved latched_restriction:R22:BTCUSDT',
      '8.5 message raised kill_switch',
    ]);
  });

  it('the local hour follows daylight saving', () => {
    // 6:59 and 7:00 in Berlin on both sides of 29 March 2026.
    for (const start of [Date.UTC(2026, 2, 28, 5, 59), Date.UTC(2026, 2, 29, 4, 59)]) {
      const rig = new NotifierRig({ quietHours: quiet, timeZone: 'Europe/Berlin' }, start);
      expect(rig.hold(180, condition('kill_switch')).log).toEqual([
        '60 message raised kill_switch',
      ]);
    }
  });
});

describe('messages and the digest', () => {
  it('events of one key collapse with a count, at most one message in 30 s', () => {
    const rig = new NotifierRig();
    for (let second = 0; second < 60; second += 1) {
      for (let at = 0; at < 100; at += 1)
        rig.notifier.record({ kind: 'error', scope: '', text: 'no disk' }, NOON);
      rig.hold(1);
    }
    expect(rig.sent.map(({ atS, items }) => [atS, items.map(({ count }) => count)])).toEqual([
      [0, [100]],
      [30, [3_000]],
    ]);
  });

  it('the digest comes once a day with the alerts of the day, and not at a start after its hour', () => {
    const rig = new NotifierRig({ digestMinute: 8 * 60 });
    for (let at = 0; at < 3; at += 1)
      rig.notifier.record({ kind: 'warning', scope: '', text: 'slow' }, NOON);
    rig.hold(60, LATCHED).hold(3 * 24 * 3_600);
    const digests = rig.sent.filter(({ level }) => level === 'digest');
    expect(digests.map(({ atS }) => atS / 3_600)).toEqual([20, 44, 68]);
    expect(noticeText(digests[0] as Notice)).toBe(
      'digest · main (sandbox): 3 alerts\ndaily summary: equity 10,000\nwarnings: slow (3 times)\nentries stop until a person resumes: R22:BTCUSDT',
    );
  });
});

describe('the conditions of the facts', () => {
  it('a bot at work has none: fills, stops that fire, refusals and positions are no facts of an alert', () => {
    const feeds = [{ symbol: 'BTCUSDT', ageMs: 60_000, quantity: '1', stop: undefined }];
    const unproved = [{ symbol: 'BTCUSDT', text: 'entry', forMs: 60_000 }];
    expect(alertConditions({ ...CALM, feeds, unproved })).toEqual([]);
  });

  it.each<[string, Partial<AlertFacts>, readonly string[]]>([
    [
      'an order unproved for more than 60 s',
      { unproved: [{ symbol: 'A', text: 'x', forMs: 60_001 }] },
      ['page unproved_order'],
    ],
    [
      'a dead feed with a position that has no stop at the venue',
      { feeds: [{ symbol: 'A', ageMs: 60_001, quantity: '1', stop: undefined }] },
      ['page feed_dead'],
    ],
    [
      'a dead feed with a stop at the venue, for 15 min at most',
      { feeds: [{ symbol: 'A', ageMs: 900_000, quantity: '1', stop: '90' }] },
      ['message feed_down'],
    ],
    [
      'the same for longer',
      { feeds: [{ symbol: 'A', ageMs: 900_001, quantity: '1', stop: '90' }] },
      ['message feed_down', 'page feed_dead'],
    ],
    [
      'two dead feeds of one lost connection, a second apart',
      {
        feeds: [
          { symbol: 'A', ageMs: 900_001, quantity: '1', stop: '90' },
          { symbol: 'B', ageMs: 899_000, quantity: '1', stop: '90' },
        ],
      },
      ['message feed_down', 'page feed_dead', 'message feed_down', 'page feed_dead'],
    ],
    [
      'a dead feed without a position',
      { feeds: [{ symbol: 'A', ageMs: 60_001, quantity: undefined, stop: undefined }] },
      ['message feed_down'],
    ],
    [
      'a feed that has not begun',
      { feeds: [{ symbol: 'A', ageMs: undefined, quantity: '1', stop: undefined }] },
      [],
    ],
    ['a refused key', { isKeyRefused: true }, ['page key_refused']],
    ['a halt', { haltReason: 'x' }, ['page halted']],
    [
      'a latched restriction',
      { restrictions: [{ control: 'R22', symbol: 'A', isLatched: true, text: '' }] },
      ['page latched_restriction'],
    ],
    [
      'a self-clearing one',
      { restrictions: [{ control: 'R25', symbol: undefined, isLatched: false, text: '' }] },
      ['message restriction'],
    ],
    [
      'a missing stop',
      { unprotected: [{ symbol: 'A', quantity: '1', stop: undefined, lossAtStop: undefined }] },
      ['page unprotected_position'],
    ],
    ['the kill switch', { killLevel: 'pause' }, ['message kill_switch']],
  ])('%s', (_, facts, expected) => {
    const found = alertConditions({ ...CALM, ...facts });
    expect(found.map(({ kind }) => `${ALERT_KINDS[kind].level} ${kind}`)).toEqual(expected);
  });

  it('a failed strategy names its position, its stop and the loss at the stop', () => {
    const positions = [{ symbol: 'SOLUSDT', quantity: '1.7', stop: '138.67', lossAtStop: '4.74' }];
    const failedStrategies = [{ id: 'trend', error: 'x is not a function', positions }];
    expect(alertConditions({ ...CALM, failedStrategies })[0]?.text).toBe(
      'trend: x is not a function. Position 1.7 SOLUSDT, stop 138.67, loss at the stop 4.74 USDT',
    );
  });
});

const KINDS = Object.keys(ALERT_KINDS) as readonly AlertKind[];
/** Stretches of time with the alerts that hold in them. */
const lives = fc.array(
  fc.record({
    seconds: fc.integer({ min: 1, max: 2_000 }),
    conditions: fc.uniqueArray(
      fc.record({ kind: fc.constantFrom(...KINDS), scope: fc.constantFrom('A', 'B', 'C', 'D') }),
      { maxLength: 12, selector: ({ kind, scope }) => `${kind}:${scope}` },
    ),
    acknowledge: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

function live(
  stretches: ReturnType<typeof lives.generate>['value'],
  settings: Partial<NotifierSettings>,
) {
  const rig = new NotifierRig(settings);
  for (const { seconds, conditions, acknowledge } of stretches) {
    rig.hold(seconds, ...conditions.map(({ kind, scope }) => condition(kind, scope)));
    if (acknowledge) rig.notifier.acknowledge();
  }
  return rig;
}

describe('whatever happens', () => {
  it('no hour has more than three pages and one collapsed one', () => {
    fc.assert(
      fc.property(lives, (stretches) => {
        const pages = live(stretches, {}).sent.filter(({ level }) => level === 'page');
        for (const { atS } of pages)
          expect(
            pages.filter((each) => each.atS >= atS && each.atS < atS + 3_600).length,
          ).toBeLessThanOrEqual(4);
      }),
      { numRuns: 60 },
    );
  });

  it('quiet hours change no page, and let no message but the end of a page pass', () => {
    fc.assert(
      fc.property(lives, (stretches) => {
        const pagesOf = ({ sent }: NotifierRig) =>
          sent.filter(({ level }) => level === 'page').map(({ atS, items }) => [atS, items]);
        const quiet = live(stretches, { quietHours: { fromMinute: 0, toMinute: 1_439 } });
        expect(pagesOf(quiet)).toEqual(pagesOf(live(stretches, {})));
        for (const { level, items } of quiet.sent) {
          if (level !== 'message') continue;
          for (const { kind, state } of items)
            expect([ALERT_KINDS[kind].level, state]).toEqual(['page', 'resolved']);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('a page that still holds after an hour and a minute has left, and ids are unique', () => {
    fc.assert(
      fc.property(lives, (stretches) => {
        const rig = live(stretches, {}).hold(3_700, LATCHED);
        expect(
          rig.sent.some(
            ({ level, items }) =>
              level === 'page' &&
              items.some(({ key }) => key === 'latched_restriction:R22:BTCUSDT'),
          ),
        ).toBe(true);
        expect(new Set(rig.sent.map(({ id }) => id)).size).toBe(rig.sent.length);
      }),
      { numRuns: 40 },
    );
  });

  it('the same steps give the same notices', () => {
    fc.assert(
      fc.property(lives, (stretches) => {
        expect(live(stretches, {}).sent).toEqual(live(stretches, {}).sent);
      }),
      { numRuns: 20 },
    );
  });
});

it('an hour is an hour: the pages of a day are bounded', () => {
  const all = Array.from({ length: 50 }, (_, at) => condition('unproved_order', `S${at}`));
  const rig = new NotifierRig().hold((24 * HOUR) / 1_000, ...all);
  expect(rig.sent.length).toBeLessThanOrEqual(24 * 4);
});
