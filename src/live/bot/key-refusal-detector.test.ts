import { describe, expect, test } from 'vitest';
import {
  isKeyRefusal,
  KeyRefusalDetector,
  type AuthenticatedResponse,
} from './key-refusal-detector.js';

const read = (status?: number): AuthenticatedResponse => ({ kind: 'read', status });
const change = (status?: number): AuthenticatedResponse => ({ kind: 'change', status });

function seenUntil(
  answers: readonly AuthenticatedResponse[],
  phase: 'starting' | 'running',
): number {
  const detector = new KeyRefusalDetector();
  return answers.findIndex((answer) => detector.observe(answer, phase));
}

test('a key counts as refused after one round of polls at the start, and after four rounds later', () => {
  const refusals = Array.from({ length: 20 }, (_, at) => read(at % 2 === 0 ? 401 : 403));
  expect(seenUntil(refusals, 'starting')).toBe(2);
  expect(seenUntil(refusals, 'running')).toBe(11);
});

test.each([500, 429, undefined])('any other answer restarts the count: %s', (status) => {
  const answers = [read(401), read(401), read(status), read(401), read(401)];
  expect(seenUntil(answers, 'starting')).toBe(-1);
});

describe('changes by a refused key', () => {
  test('three refused changes suffice, whatever is read between them', () => {
    const answers = [change(403), read(), change(403), read(), change(401)];
    expect(seenUntil(answers, 'running')).toBe(4);
  });

  test('a change with another answer restarts their count', () => {
    const answers = [change(403), change(403), change(400), change(403), change(403)];
    expect(seenUntil(answers, 'running')).toBe(-1);
  });
});

test('a reset restarts the counts', () => {
  const watch = new KeyRefusalDetector();
  watch.observe(change(401), 'starting');
  watch.observe(change(401), 'starting');
  watch.reset();
  expect(watch.observe(change(401), 'starting')).toBe(false);
});

test('only the HTTP statuses 401 and 403 count', () => {
  expect([401, 403].every(isKeyRefusal)).toBe(true);
  expect([undefined, 200, 400, 404, 429, 500].some(isKeyRefusal)).toBe(false);
});
