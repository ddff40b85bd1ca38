import { mkdtempSync, rmSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalConnection, LocalServer } from '../../core/ports.js';
import { nodeLocalSockets } from './node-local-sockets.js';

const SILENT = { onText: () => undefined, onClose: () => undefined };

describe('a local socket', () => {
  let folder: string;
  let server: LocalServer | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'socket-test-'));
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Answers every text with the same text. */
  const echo = async (path: string): Promise<LocalServer> => {
    server = await nodeLocalSockets.listen(path, (connection) => ({
      onText: (text) => {
        connection.send(text);
      },
      onClose: () => undefined,
    }));
    return server;
  };

  const exchangeText = (path: string, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let client: LocalConnection | undefined;
      nodeLocalSockets
        .connect(path, {
          onText: (received) => {
            client?.close();
            resolve(received);
          },
          onClose: () => undefined,
        })
        .then((connection) => {
          client = connection;
          connection.send(text);
        }, reject);
    });

  it('carries text between its owner and the server, and its file goes with the server', async () => {
    const path = join(folder, 'a.sock');
    const { close } = await echo(path);
    expect(await exchangeText(path, 'prüfen\n')).toBe('prüfen\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await close();
    expect(existsSync(path)).toBe(false);
    await expect(nodeLocalSockets.connect(path, SILENT)).rejects.toMatchObject({
      reason: 'absent',
    });
  });

  it('takes the place of a file that a crashed process left', async () => {
    const path = join(folder, 'a.sock');
    writeFileSync(path, '');
    await expect(nodeLocalSockets.connect(path, SILENT)).rejects.toMatchObject({
      reason: 'absent',
    });
    await echo(path);
    expect(await exchangeText(path, 'x')).toBe('x');
  });

  it.each([103, 104])('a path of %i bytes', async (length) => {
    const path = join(folder, 'x'.repeat(length - folder.length - 1));
    const { path: used, close } = await echo(path);
    expect(used === path).toBe(length <= 103);
    expect(await exchangeText(used, 'x')).toBe('x');
    const usedFolder = dirname(used);
    expect(statSync(usedFolder).mode & 0o777).toBe(0o700);
    await close();
    expect(existsSync(usedFolder)).toBe(length <= 103);
  });

  it('a folder that does not exist is a failure with its cause', async () => {
    await expect(nodeLocalSockets.listen(join(folder, 'no/a.sock'), () => SILENT)).rejects.toThrow(
      /cannot listen at .*no\/a\.sock/,
    );
  });
});
