import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { authenticationHeaders, Secret, SecretHolder } from './secret.js';

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

describe('a secret that can be replaced', () => {
  const NEXT = 'canary-8c1f-2';
  const holder = () => new SecretHolder(new Secret(CANARY));

  it('stands in the header from then on', () => {
    const secret = holder();
    expect(secret.replace(NEXT)).toBe(true);
    expect(authenticationHeaders(secret)).toEqual({ 'x-authentication': NEXT });
  });

  it('says when nothing changed', () => {
    expect(holder().replace(CANARY)).toBe(false);
  });

  it('keeps the one in use when the new text cannot be one', () => {
    const secret = holder();
    expect(() => secret.replace('a\nb')).toThrow(RangeError);
    expect(authenticationHeaders(secret)).toEqual({ 'x-authentication': CANARY });
  });

  it('takes the old and the new out of foreign words', () => {
    const secret = holder();
    secret.replace(NEXT);
    expect(secret.redact(`${NEXT} ${CANARY} x`)).toBe('[redacted] [redacted] x');
  });

  it.each([
    ['JSON', (secret: SecretHolder) => JSON.stringify({ secret })],
    ['a text', (secret: SecretHolder) => `${String(secret)}`],
    ['inspection', (secret: SecretHolder) => inspect({ secret }, { showHidden: true, depth: 9 })],
    ['a clone', (secret: SecretHolder) => inspect(structuredClone(secret))],
  ])('does not show in %s', (_, show) => {
    const secret = holder();
    secret.replace(NEXT);
    expect(show(secret)).not.toContain(CANARY);
  });
});
