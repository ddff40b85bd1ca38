import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/app/cli.js';
import type { Io } from '../../src/app/command-options.js';
import { nodeClock } from '../../src/app/ports/node-clock.js';
import { nodeFiles } from '../../src/app/ports/node-files.js';
import { nodeRandom } from '../../src/app/ports/node-random.js';
import { nodeScheduler } from '../../src/app/ports/node-scheduler.js';
import { distThreads } from './dist-threads.js';

export interface Spoken {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One command line in this process, on the machine's real clock and disk. */
export async function sluice(args: readonly string[], io: Partial<Io> = {}): Promise<Spoken> {
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
    ...(distThreads !== undefined && { startThread: distThreads }),
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
