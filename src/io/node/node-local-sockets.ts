import { chmod, lstat, mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  LocalSocketError,
  type AcceptLocalConnection,
  type LocalConnection,
  type LocalConnectionHandlers,
  type LocalServer,
  type LocalSockets,
} from '../../core/ports.js';
import { codeOf, systemText } from '../../core/system-error.js';

/** The shorter limit of Linux (108) and macOS (104), less the final zero byte. */
const MAX_PATH_BYTES = 103;
const OWNER_ONLY = 0o600;

/** Unix sockets. Windows has none that a mode protects, so it is refused there. */
export const nodeLocalSockets: LocalSockets = { listen, connect };

async function listen(path: string, accept: AcceptLocalConnection): Promise<LocalServer> {
  refuseWindows();
  const isTooLong = Buffer.byteLength(path) > MAX_PATH_BYTES;
  // mkdtemp gives the folder the mode 0700.
  const folder = isTooLong ? await mkdtemp(join(tmpdir(), 'sluice-')) : undefined;
  const used = folder === undefined ? path : join(folder, 'operator.sock');
  const sockets = new Set<Socket>();
  let isPrivate = false;
  const server = createServer((socket) => {
    // A connection made before the mode was set may be another user's.
    if (!isPrivate) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    attach(socket, accept(connectionOn(socket)));
  });
  const close = async (): Promise<void> => {
    await closeServer(server, sockets);
    await (folder === undefined
      ? rm(used, { force: true })
      : rm(folder, { recursive: true, force: true }));
  };
  try {
    await rm(used, { force: true });
    await listenAt(server, used);
    await chmod(used, OWNER_ONLY);
    isPrivate = true;
    return { path: used, close };
  } catch (error) {
    await close();
    throw failed(`cannot listen at ${used}`, error);
  }
}

const listenAt = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      // A failed accept (EMFILE) must not end the process.
      server.on('error', () => undefined);
      resolve();
    });
  });

const closeServer = (server: Server, sockets: ReadonlySet<Socket>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const socket of sockets) socket.destroy();
  });

async function connect(path: string, handlers: LocalConnectionHandlers): Promise<LocalConnection> {
  refuseWindows();
  await refuseOtherOwner(path);
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const onError = (error: Error): void => {
      reject(connectError(path, error));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      attach(socket, handlers);
      resolve(connectionOn(socket));
    });
  });
}

/** In a temporary folder another user could have taken the place of a socket that is gone. */
async function refuseOtherOwner(path: string): Promise<void> {
  const own = process.getuid?.();
  try {
    const owners = [(await lstat(dirname(path))).uid, (await lstat(path)).uid];
    if (own === 0 || owners.every((uid) => uid === own)) return;
  } catch (error) {
    throw connectError(path, error);
  }
  throw new LocalSocketError('other-user', `${path} belongs to another user`);
}

function connectError(path: string, error: unknown): LocalSocketError {
  const code = codeOf(error) ?? '';
  if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(code)) {
    return new LocalSocketError('absent', `no process listens at ${path}`, { cause: error });
  }
  if (['EACCES', 'EPERM'].includes(code)) {
    const text = `${path} belongs to another user`;
    return new LocalSocketError('other-user', text, { cause: error });
  }
  return failed(`cannot connect to ${path}`, error);
}

const failed = (what: string, cause: unknown): LocalSocketError =>
  new LocalSocketError(
    'failed',
    `${what}: ${cause instanceof Error ? systemText(cause) : String(cause)}`,
    { cause },
  );

function attach(socket: Socket, { onText, onClose }: LocalConnectionHandlers): void {
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    onText(text);
  });
  // `close` follows: a peer that resets the connection is as good as gone.
  socket.on('error', () => undefined);
  socket.once('close', onClose);
}

const connectionOn = (socket: Socket): LocalConnection => ({
  get pendingBytes() {
    return socket.writableLength;
  },
  send(text) {
    if (socket.writable) socket.write(text);
  },
  close() {
    socket.destroySoon();
  },
  abort() {
    socket.destroy();
  },
});

function refuseWindows(): void {
  if (process.platform !== 'win32') return;
  throw new LocalSocketError(
    'unsupported',
    'the operator channel needs Unix sockets, which Sluice does not use on Windows: write the level into the file KILL instead',
  );
}
