import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../core/command-errors.js';
import { readSecretFile, consumeEnvironmentSecret } from './secret-file.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function secretFile(text: string, mode = 0o600): string {
  const path = join(directory, 'key');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('the secret file', () => {
  test.each([0o600, 0o400])('the file of mode %o is read and trimmed', async (mode) => {
    await expect(readSecretFile(secretFile(' abc-123\n', mode))).resolves.toBe('abc-123');
  });

  test.each([0o640, 0o604, 0o644, 0o660, 0o620, 0o610, 0o777])(
    'is refused at mode %o, with the command that mends it',
    async (mode) => {
      const path = secretFile('abc', mode);
      await expect(readSecretFile(path)).rejects.toThrow(
        new ConfigError([`${path}: the secret file is readable by others: chmod 600 ${path}`]),
      );
    },
  );

  test('a symbolic link is refused', async () => {
    const link = join(directory, 'link');
    symlinkSync(secretFile('abc'), link);
    await expect(readSecretFile(link)).rejects.toThrow(
      `${link}: the secret file is a symbolic link; name the file itself`,
    );
  });

  test('a directory and a pipe without a writer are refused', async () => {
    const pipe = join(directory, 'pipe');
    expect(spawnSync('mkfifo', ['-m', '600', pipe]).status).toBe(0);
    for (const path of [directory, pipe]) {
      await expect(readSecretFile(path)).rejects.toThrow('the secret file is not a regular file');
    }
  });

  test('a file that is missing, empty, too large or not one printable line is refused', async () => {
    await expect(readSecretFile(join(directory, 'none'))).rejects.toThrow(
      'there is no such secret file',
    );
    await expect(readSecretFile(secretFile(' \n'))).rejects.toThrow('the secret is empty');
    await expect(readSecretFile(secretFile('a'.repeat(4_097)))).rejects.toThrow(
      'the limit is 4096',
    );
    await expect(readSecretFile(secretFile('two\nlines'))).rejects.toThrow(
      'one line of printable ASCII',
    );
    await expect(readSecretFile(secretFile('a\r\nX-Evil: 1'))).rejects.toThrow(
      'one line of printable ASCII',
    );
  });

  test.runIf(process.getuid?.() === 0)('is refused when it belongs to another user', async () => {
    const path = secretFile('abc');
    spawnSync('chown', ['65534', path]);
    await expect(readSecretFile(path)).rejects.toThrow('belongs to another user');
  });

  test('an error never shows the content of the file', async () => {
    const path = secretFile('canary one canary');
    await expect(readSecretFile(path)).rejects.toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining('canary') as string,
      }) as Error,
    );
  });
});

describe('the secret in the environment', () => {
  test('the variable is read and deleted', () => {
    const env = { SLUICE_API_SECRET: 'abc ', PATH: '/bin' };
    expect(consumeEnvironmentSecret(env)).toBe('abc');
    expect(env).toEqual({ PATH: '/bin' });
  });

  test('the variable may be absent, but must not be empty', () => {
    expect(consumeEnvironmentSecret({})).toBeUndefined();
    expect(() => consumeEnvironmentSecret({ SLUICE_API_SECRET: '' })).toThrow(
      'SLUICE_API_SECRET: the secret is empty',
    );
  });
});
