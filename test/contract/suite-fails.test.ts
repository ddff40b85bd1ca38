import { describe, expect, it } from 'vitest';
import { ALL_CASES } from './all-cases.js';
import type { Case } from './case-registry.js';
import { responseOf } from './http-driver.js';
import { serveTarget } from './in-process.js';
import { Suite } from './suite.js';
import type { RawResponse, VenueDriver } from './venue-under-test.js';

const SHORT = ALL_CASES.filter((test) => !test.long);
const caseById = (id: string): Case => {
  const found = SHORT.find((test) => test.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
};

/** A venue that deviates from the documents, and the case that detects it. */
const VENUES: readonly (readonly [id: string, options: Parameters<typeof serveTarget>[0]])[] = [
  ['R15.1', { switches: { detailByClientId: 'not-found' } }],
  ['E403.1', { switches: { aggregationText: 'prefixed' } }],
  ['E407.1', { switches: { unknownKlineSymbol: 'empty-data' } }],
  ['R26.1', { switches: { closeReplyPositionId: 'foreign' } }],
  ['E316.1', { limits: true, switches: { rateLimitBody: 'empty' } }],
  ['L14.1', { switches: { idleClose: 'never' } }],
  ['W01.2', { switches: { kline1s: 'second' } }],
];

describe('a venue that does otherwise', () => {
  it.each(VENUES)('fails %s with %o', async (id, options) => {
    const suite = new Suite(await serveTarget(options));
    const result = await suite.run(caseById(id));
    await suite.close();
    expect(result.kind).toBe('failed');
  });
});

type Change = (answer: RawResponse) => RawResponse;

const withText = (answer: RawResponse, text: string): RawResponse =>
  responseOf(answer.status, answer.headers, text);
const onFailures =
  (change: Change): Change =>
  (answer) =>
    answer.status >= 400 ? change(answer) : answer;

const CHANGES: readonly (readonly [what: string, rows: RegExp, change: Change])[] = [
  [
    'another error text',
    /^E[1-4]/,
    onFailures((answer) => withText(answer, answer.text.replaceAll('"text":"', '"text":"no: '))),
  ],
  [
    'another status',
    /^E[1-4]/,
    onFailures((answer) =>
      responseOf(answer.status === 400 ? 422 : 400, answer.headers, answer.text),
    ),
  ],
  [
    'success in a failure',
    /^E[1-4]/,
    onFailures((answer) =>
      withText(answer, answer.text.replace('"success":false', '"success":true')),
    ),
  ],
  [
    'a code that is a text',
    /^E[1-4]/,
    onFailures((answer) => withText(answer, answer.text.replace(/"code":[^,}]+/, '"code":"x"'))),
  ],
  [
    'JSON numbers as texts',
    /^F0[12678]|^F09|^F14/,
    (answer) =>
      withText(answer, answer.text.replace(/([:,[])(-?\d+(?:\.\d+)?)(?=[,}\]])/g, '$1"$2"')),
  ],
  [
    'texts as JSON numbers',
    /^F0[3]|^F1[0-25]/,
    (answer) => withText(answer, answer.text.replace(/:"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"/g, ':$1')),
  ],
  [
    'times in milliseconds',
    /^F0[4679]|^F1[01]/,
    (answer) => withText(answer, answer.text.replaceAll(/:(\d\d)(?:\.\d+)?Z"/g, ':$1.5Z"')),
  ],
];

/** Rows whose cases test an absence, or do not read such values. */
const UNTOUCHED: Readonly<Record<string, readonly string[]>> = {
  'another error text': ['E217.2'],
  'another status': ['E217.2'],
  'success in a failure': ['E217.2'],
  'a code that is a text': ['E217.2'],
  'JSON numbers as texts': ['F08.3'],
  'texts as JSON numbers': ['F10.4'],
  'times in milliseconds': ['F10.3', 'F10.4'],
};

describe('an answer that is changed on its way', () => {
  it.each(CHANGES)('%s fails every case of %s', async (what, rows, change) => {
    const changing = (plain: VenueDriver): VenueDriver => ({
      call: async (request) => change(await plain.call(request)),
    });
    const suites = {
      plain: new Suite(await serveTarget(), changing),
      limits: new Suite(await serveTarget({ limits: true }), changing),
    };
    const passed: string[] = [];
    for (const test of SHORT.filter(({ row }) => rows.test(row))) {
      const result = await suites[test.limits ? 'limits' : 'plain'].run(test);
      if (result.kind !== 'failed') passed.push(test.id);
    }
    await Promise.all(Object.values(suites).map((suite) => suite.close()));
    expect(passed).toEqual(UNTOUCHED[what] ?? []);
  });
});
