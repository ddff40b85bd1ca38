import { describe, expect, test } from 'vitest';
import { isKeyRefusal, KeyWatch, type KeyedAnswer } from './key-watch.js';

const read = (status?: number): KeyedAnswer => ({ kind: 'read', status });
const change = (status?: number): KeyedAnswer => ({ kind: 'change', status });

function seenUntil(answers: readonly KeyedAnswer[], phase: 'starting' | 'running'): number {
  const watch = new KeyWatch();
  return answers.findIndex((answer) => watch.see(answer, phase));
}

test('a key is refused when a whole round of polls says so at the start, later when four do', () => {
  const refusals = Array.from({ length: 20 }, (_, at) => read(at % 2 === 0 ? 401 : 403));
  expect(seenUntil(refusals, 'starting')).toBe(2);
  expect(seenUntil(refusals, 'running')).toBe(11);
});

test.each([500, 429, undefined])('any other answer begins the count again: %s', (status) => {
  const answers = [read(401), read(401), read(status), read(401), read(401)];
  expect(seenUntil(answers, 'starting')).toBe(-1);
});

describe('changes', () => {
  test('that are refused three times are enough, whatever is read between them', () => {
    const answers = [change(403), read(), change(403), read(), change(401)];
    expect(seenUntil(answers, 'running')).toBe(4);
  });

  test('begin the count again with one that is answered otherwise', () => {
    const answers = [change(403), change(403), change(400), change(403), change(403)];
    expect(seenUntil(answers, 'running')).toBe(-1);
  });
});

test('what was counted is forgotten when asked', () => {
  const watch = new KeyWatch();
  watch.see(change(401), 'starting');
  watch.see(change(401), 'starting');
  watch.forget();
  expect(watch.see(change(401), 'starting')).toBe(false);
});

test('only what HTTP says of keys counts', () => {
  expect([401, 403].every(isKeyRefusal)).toBe(true);
  expect([undefined, 200, 400, 404, 429, 500].some(isKeyRefusal)).toBe(false);
});
