import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { authenticationHeaders, Secret } from './secret.js';

const CANARY = 'canary-8c1f';

describe('the secret', () => {
  const secret = new Secret(CANARY);

  it('stands in its header, and in that alone', () => {
    expect(authenticationHeaders(secret)).toEqual({ 'x-authentication': CANARY });
  });

  it.each([
    ['JSON', () => JSON.stringify({ options: { secret } })],
    ['a text', () => `${String(secret)}`],
    ['inspection', () => inspect({ secret }, { showHidden: true, depth: 9 })],
    ['a clone', () => inspect(structuredClone(secret))],
    ['its keys', () => JSON.stringify(Reflect.ownKeys(secret).map(String))],
  ])('does not show in %s', (_, show) => {
    expect(show()).not.toContain(CANARY);
  });

  it('takes itself out of foreign words', () => {
    expect(secret.redact(`echo ${CANARY}, ${CANARY}`)).toBe('echo [redacted], [redacted]');
  });

  it.each(['', ' ', 'a b', 'a\r\nx: y', 'a\n', 'é', 'x'.repeat(4_097)])(
    'refuses %j without repeating it',
    (text) => {
      expect(() => new Secret(text)).toThrow(/^The API secret must be 1 to 4096 visible/);
    },
  );
});
