import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  authenticationHeaders,
  Secret,
  SecretHolder,
} from '../../venue/futures-api/http/secret.js';
import { createLogger } from './logger.js';
import { SecretRotation } from './secret-rotation.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-rotation-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
let files = 0;

async function rotationOf(text: string | undefined, mode = 0o600) {
  const file = join(folder, String((files += 1)));
  if (text !== undefined) writeFileSync(file, text);
  if (text !== undefined) chmodSync(file, mode);
  const holder = new SecretHolder(new Secret('old-secret'));
  const scrubbed = new Set(['old-secret']);
  let log = '';
  const write = (line: string): void => void (log += line);
  const logger = await createLogger({ level: 'info', write, pretty: false, secrets: scrubbed });
  const rotation = new SecretRotation({ file, from: file, holder, scrubbed, logger });
  const inUse = () => authenticationHeaders(holder)['x-authentication'];
  return { rotation, inUse, logger, log: () => log };
}

test('a reload uses the new secret, and the log never shows it', async () => {
  const { rotation, inUse, logger, log } = await rotationOf('new-secret\n');
  expect(await rotation.reload()).toBe(true);
  expect(inUse()).toBe('new-secret');
  expect(log()).toContain('its new secret is in use from now on');
  logger.info({ told: 'old-secret' }, 'the venue says new-secret');
  expect(log()).not.toMatch(/(?:old|new)-secret/);
});

test('a reload reports an unchanged secret', async () => {
  const { rotation, inUse, log } = await rotationOf('old-secret');
  expect(await rotation.reload()).toBe(true);
  expect(inUse()).toBe('old-secret');
  expect(log()).toContain('it holds the secret in use');
});

test.each([
  ['open to others', 'new-secret', 0o644, 'readable by others'],
  ['empty', '', 0o600, 'the secret is empty'],
  ['gone', undefined, 0o600, 'there is no such secret file'],
  ['of two lines', 'new\nsecret', 0o600, 'one line of printable ASCII'],
])('the secret in use stays when the file is %s', async (_what, text, mode, says) => {
  const { rotation, inUse, log } = await rotationOf(text, mode);
  expect(await rotation.reload()).toBe(false);
  expect(inUse()).toBe('old-secret');
  expect(log()).toContain(says);
  expect(log()).toContain('the secret in use stays');
});

test('a secret from the environment cannot be read again', async () => {
  let log = '';
  const write = (line: string): void => void (log += line);
  const logger = await createLogger({ level: 'info', write, pretty: false });
  const holder = new SecretHolder(new Secret('old-secret'));
  const from = 'SLUICE_API_SECRET';
  const rotation = new SecretRotation({ from, holder, scrubbed: new Set(), logger });
  expect(await rotation.reload()).toBe(false);
  expect(log).toContain('the secret came from SLUICE_API_SECRET and cannot be read again');
});
