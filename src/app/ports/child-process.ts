import { spawn } from 'node:child_process';

/** How a process ended: a code, or the signal that ended it. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly pid: number;
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: 'SIGKILL' | 'SIGINT') => void;
  readonly ended: Promise<ChildEnd>;
}

/**
 * A program of Node's in a process of its own.
 * @param args the program's path first
 */
export function startNode(args: readonly string[]): Child {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<ChildEnd>((resolve, reject) => {
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
    ended,
  };
}
