import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ConfigError } from './failure.js';

const MAX_BYTES = 4 * 1024;
const OTHERS_MAY = 0o077;
export const ENVIRONMENT_NAME = 'SLUICE_API_SECRET';

/** What goes into the authentication header: printable ASCII without blanks, so no header splits. */
const SECRET = /^[\x21-\x7e]+$/;

/**
 * The API secret from its file (requirement S-01): a regular file, no link, of this user, closed to
 * everyone else, at most 4 KiB. What is checked is the open file, so that nothing can be swapped in
 * between.
 *
 * @throws ConfigError with one sentence that says what to do
 */
export async function readSecretFile(path: string): Promise<string> {
  const file = await openSecret(path);
  try {
    await checkSecretFile(path, file);
    return secretFromText(path, (await file.readFile()).toString('utf8'));
  } finally {
    await file.close();
  }
}

/**
 * The API secret from the environment, which is then wiped of it. The process's start block
 * (`/proc/PID/environ`) keeps it: the file is the better place, and the caller warns.
 *
 * @returns undefined when there is none
 * @throws ConfigError
 */
export function takeEnvironmentSecret(env: Record<string, string | undefined>): string | undefined {
  const text = env[ENVIRONMENT_NAME];
  if (text === undefined) return undefined;
  delete env[ENVIRONMENT_NAME];
  return secretFromText(ENVIRONMENT_NAME, text);
}

export const ENVIRONMENT_WARNING =
  `${ENVIRONMENT_NAME} was read from the environment, where other processes of this user can see it; ` +
  'prefer venue.api_secret_file';

async function openSecret(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new ConfigError([`${path}: ${openProblem(cause)}`], { cause });
  }
}

function openProblem(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'there is no such secret file';
  if (code === 'ELOOP') return 'the secret file is a symbolic link; name the file itself';
  return `the secret file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
}

async function checkSecretFile(path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  const fail = (what: string): never => {
    throw new ConfigError([`${path}: ${what}`]);
  };
  if (!stat.isFile()) fail('the secret file is not a regular file');
  if (process.getuid !== undefined && stat.uid !== process.getuid()) {
    fail('the secret file belongs to another user; it must belong to the one that runs sluice');
  }
  if ((stat.mode & OTHERS_MAY) !== 0) {
    fail(`the secret file is readable by others: chmod 600 ${path}`);
  }
  if (stat.size > MAX_BYTES) {
    fail(`the secret file has ${stat.size} bytes; the limit is ${MAX_BYTES}`);
  }
}

function secretFromText(where: string, text: string): string {
  const secret = text.trim();
  if (secret === '') throw new ConfigError([`${where}: the secret is empty`]);
  if (secret.length > MAX_BYTES || !SECRET.test(secret)) {
    throw new ConfigError([
      `${where}: the secret must be one line of printable ASCII without blanks`,
    ]);
  }
  return secret;
}
