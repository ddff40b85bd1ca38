import { spawn } from 'node:child_process';

/** The end of a process: its exit code, or the signal that ended it. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly pid: number;
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: 'SIGKILL' | 'SIGINT') => void;
  readonly exited: Promise<ChildExit>;
}

/**
 * Runs a Node program in a child process.
 * @param args path of the program, then its arguments
 */
export function spawnNode(args: readonly string[]): Child {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<ChildExit>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => {
      child.kill(signal);
    },
    exited,
  };
}
