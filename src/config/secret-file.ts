import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ConfigError } from '../core/command-errors.js';
import { SECRET_VARIABLE } from '../core/secret-variable.js';

const MAX_BYTES = 4 * 1024;
const OTHERS_ACCESS_MASK = 0o077;
/** Of a credential the group bits show the mask of an access list that names one user. */
const OTHERS_OF_CREDENTIAL_MASK = 0o007;
/**
 * A credential of systemd (systemd.exec(5), LoadCredential): root owns the file and the folder, and only the unit's
 * user may enter it.
 */
const CREDENTIAL = /^\/run\/credentials\/[^/]+\/[^/]+$/;
const ROOT = 0;

/** Printable ASCII without blanks, so that the text cannot split the authentication header. */
const SECRET = /^[\x21-\x7e]+$/;

/**
 * Reads the API secret from its file: a regular file of this user, no link, mode 0600, at most 4 KiB.
 * Checks the open file, so that it cannot be swapped between check and read.
 *
 * @param namedBy the setting that names the file, for the error of a missing one
 * @throws ConfigError with the remedy
 */
export async function readSecretFile(path: string, namedBy?: string): Promise<string> {
  const file = await openSecret(path, namedBy);
  try {
    await checkSecretFile(path, file);
    return secretFromText(path, (await file.readFile()).toString('utf8'));
  } finally {
    await file.close();
  }
}

/**
 * Reads the API secret from the environment and deletes the variable. `/proc/PID/environ` still shows
 * it, so callers print a warning that recommends the file.
 *
 * @returns undefined when there is none
 * @throws ConfigError
 */
export function consumeEnvironmentSecret(
  env: Record<string, string | undefined>,
): string | undefined {
  const text = env[SECRET_VARIABLE];
  if (text === undefined) return undefined;
  delete env[SECRET_VARIABLE];
  return secretFromText(SECRET_VARIABLE, text);
}

export const SECRET_VARIABLE_WARNING =
  `${SECRET_VARIABLE} was read from the environment, where other processes of this user can see it; ` +
  'prefer venue.api_secret_file';

async function openSecret(path: string, namedBy: string | undefined): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK, opening a named pipe would block until a writer opens it.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new ConfigError([`${path}: ${openProblem(cause, namedBy)}`], { cause });
  }
}

function openProblem(cause: unknown, namedBy: string | undefined): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT')
    return `there is no such secret file${namedBy === undefined ? '' : `; ${namedBy} names it`}`;
  if (code === 'ELOOP') return 'the secret file is a symbolic link; name the file itself';
  return `the secret file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
}

async function checkSecretFile(path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  const fail = (what: string): never => {
    throw new ConfigError([`${path}: ${what}`]);
  };
  if (!stat.isFile()) fail('the secret file is not a regular file');
  const isCredential = CREDENTIAL.test(path) && stat.uid === ROOT;
  if (process.getuid !== undefined && stat.uid !== process.getuid() && !isCredential) {
    fail('the secret file belongs to another user; it must belong to the one that runs sluice');
  }
  const others = isCredential ? OTHERS_OF_CREDENTIAL_MASK : OTHERS_ACCESS_MASK;
  if ((stat.mode & others) !== 0) {
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
