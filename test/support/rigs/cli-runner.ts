import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/main.js';
import type { Io } from '../../../src/cli/command-io.js';
import { nodeClock } from '../../../src/io/node/node-clock.js';
import { nodeFiles } from '../../../src/io/node/node-files.js';
import { nodeLocalSockets } from '../../../src/io/node/node-local-sockets.js';
import { nodeFolders } from '../../../src/io/node/node-folders.js';
import { nodeRandom } from '../../../src/io/node/node-random.js';
import { nodeScheduler } from '../../../src/io/node/node-scheduler.js';
import { distTelegramThread, distThreads } from './dist-threads.js';

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One command line in this process, on the machine's real clock and disk. */
export async function runSluice(args: readonly string[], io: Partial<Io> = {}): Promise<CliResult> {
  let [stdout, stderr] = ['', ''];
  const exitCode = await runCli(args, {
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
    isTerminal: false,
    env: {},
    onSignal: () => () => undefined,
    clock: nodeClock,
    scheduler: nodeScheduler,
    random: nodeRandom,
    files: nodeFiles,
    folders: nodeFolders,
    sockets: nodeLocalSockets,
    ...(distThreads !== undefined && { startThread: distThreads }),
    ...(distTelegramThread !== undefined && { startTelegram: distTelegramThread }),
    ...io,
  });
  return { exitCode, stdout, stderr };
}

/** A folder that is gone when the test is. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'sluice-'));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
