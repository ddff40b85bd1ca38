import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { authenticationHeaders, Secret, SecretHolder } from './secret.js';

const CANARY = 'canary-8c1f';

describe('the secret', () => {
  const secret = new Secret(CANARY);

  it('the secret is in its header only', () => {
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

  it('the secret is redacted from external texts', () => {
    expect(secret.redact(`echo ${CANARY}, ${CANARY}`)).toBe('echo [redacted], [redacted]');
  });

  it.each(['', ' ', 'a b', 'a\r\nx: y', 'a\n', 'é', 'x'.repeat(4_097)])(
    'the text %j is refused without being repeated',
    (text) => {
      expect(() => new Secret(text)).toThrow(/^The API secret must be 1 to 4096 visible/);
    },
  );
});

describe('a replaceable secret', () => {
  const NEXT = 'canary-8c1f-2';
  const holder = () => new SecretHolder(new Secret(CANARY));

  it('the new secret is in the header from then on', () => {
    const secret = holder();
    expect(secret.replace(NEXT)).toBe(true);
    expect(authenticationHeaders(secret)).toEqual({ 'x-authentication': NEXT });
  });

  it('an unchanged secret is reported as such', () => {
    expect(holder().replace(CANARY)).toBe(false);
  });

  it('an invalid new text leaves the current secret in use', () => {
    const secret = holder();
    expect(() => secret.replace('a\nb')).toThrow(RangeError);
    expect(authenticationHeaders(secret)).toEqual({ 'x-authentication': CANARY });
  });

  it('the old and the new secret are redacted from external texts', () => {
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
