import { expect, test } from 'vitest';
import type { AccountMessage } from '../venue/venue.js';
import { isKeyRefusal, KeyWatch } from './key-watch.js';

const failed = (status?: number): AccountMessage => ({
  kind: 'poll-failed',
  what: 'read-wallet USDT',
  cause: 'no',
  ...(status !== undefined && { status }),
});

function seenUntil(messages: readonly AccountMessage[], phase: 'starting' | 'running'): number {
  const watch = new KeyWatch();
  return messages.findIndex((message) => watch.see(message, phase));
}

test('a key is refused when a whole round of polls says so at the start, later when four do', () => {
  const refusals = Array.from({ length: 20 }, (_, at) => failed(at % 2 === 0 ? 401 : 403));
  expect(seenUntil(refusals, 'starting')).toBe(2);
  expect(seenUntil(refusals, 'running')).toBe(11);
});

test.each([failed(500), failed(429), failed()])(
  'any other answer begins the count again: %o',
  (other) => {
    const messages = [failed(401), failed(401), other, failed(401), failed(401)];
    expect(seenUntil(messages, 'starting')).toBe(-1);
  },
);

test('only what HTTP says of keys counts', () => {
  expect([401, 403].every(isKeyRefusal)).toBe(true);
  expect([undefined, 200, 400, 404, 429, 500].some(isKeyRefusal)).toBe(false);
});
