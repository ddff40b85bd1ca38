import type { Files } from '../../core/ports.js';

/** The socket of the operator channel, in the state folder. */
export const SOCKET_NAME = 'operator.sock';
/** Names the socket where the path of the state folder is too long for one. */
const LOCATION_NAME = 'operator.location';

export const socketPathIn = (stateDir: string): string => `${stateDir}/${SOCKET_NAME}`;

/** Where a daemon of this state folder listens, if one runs. */
export async function findSocket(files: Pick<Files, 'read'>, stateDir: string): Promise<string> {
  const bytes = await files.read(`${stateDir}/${LOCATION_NAME}`);
  return bytes === undefined ? socketPathIn(stateDir) : new TextDecoder().decode(bytes).trim();
}

/** Shows clients the path of the socket. @param path undefined: nowhere */
export async function publishSocket(
  files: Pick<Files, 'replace' | 'remove'>,
  stateDir: string,
  path: string | undefined,
): Promise<void> {
  const location = `${stateDir}/${LOCATION_NAME}`;
  if (path === undefined || path === socketPathIn(stateDir)) await files.remove(location);
  else await files.replace(location, new TextEncoder().encode(`${path}\n`));
}
