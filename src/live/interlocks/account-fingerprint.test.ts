import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import {
  learnedFingerprint,
  matchFingerprint,
  readFingerprint,
  writeFingerprint,
} from './account-fingerprint.js';

const SALT = 'a salt of some length';
const account = (secret: string, ...ids: readonly string[]) => ({ secret, ids });
const learned = learnedFingerprint(undefined, account('key-1', 'order-1', 'order-2'), SALT);

describe('the fingerprint of an account', () => {
  it.each([
    ['the key of the last start', account('key-1'), 'same-key'],
    [
      'another key that shows a known order',
      account('key-2', 'order-2', 'order-9'),
      'same-account',
    ],
    ['another key without known orders', account('key-2', 'order-9'), 'other-account'],
    ['another key without any order', account('key-2'), 'other-account'],
  ])('%s is recognized as such', (_what, presented, match) => {
    expect(matchFingerprint(learned, presented, true)).toBe(match);
  });

  it('a rotated key of an account without any row proves nothing', () => {
    const empty = learnedFingerprint(undefined, account('key-1'), SALT);
    expect(matchFingerprint(empty, account('key-2', 'order-1'), true)).toBe('unproved');
  });

  it('only a new state learns its account without a question', () => {
    expect(matchFingerprint(undefined, account('key-1'), false)).toBe('first');
    expect(matchFingerprint(undefined, account('key-1'), true)).toBe('unlearned');
  });

  it('each start adds the ids that it has seen, and keeps two hundred', () => {
    const many = Array.from({ length: 250 }, (_none, index) => `order-${index + 100}`);
    const later = learnedFingerprint(learned, account('key-2', ...many), 'another salt is ignored');
    expect(later.salt).toBe(SALT);
    expect(later.ids).toHaveLength(200);
    expect(matchFingerprint(later, account('key-3', 'order-100'), true)).toBe('same-account');
    const both = learnedFingerprint(learned, account('key-2', 'order-3'), SALT);
    for (const id of ['order-1', 'order-2', 'order-3'])
      expect(matchFingerprint(both, account('key-3', id), true)).toBe('same-account');
  });

  it('the file has neither the secret nor an id, and a damaged one refuses', async () => {
    const files = new MemoryFiles();
    expect(await readFingerprint(files, '/state')).toBeUndefined();
    await writeFingerprint(files, '/state', learned);
    expect(await readFingerprint(files, '/state')).toEqual(learned);
    const text = new TextDecoder().decode(await files.read('/state/account.json'));
    for (const hidden of ['key-1', 'order-1']) expect(text).not.toContain(hidden);
    for (const damaged of ['', '{', '{"v":2}', text.replace('"v":1', '"v":1,"more":true')]) {
      await files.replace('/state/account.json', new TextEncoder().encode(damaged));
      await expect(readFingerprint(files, '/state')).rejects.toThrow(/damaged.*--accept-account/);
    }
  });
});
