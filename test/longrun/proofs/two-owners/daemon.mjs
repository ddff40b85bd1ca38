// `sluice run` as a process, in this PID namespace or in one of its own.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PATIENCE_MS = 60_000;

/** What puts a command into a PID namespace of its own; undefined where nothing may. */
export const UNSHARE = [[], ['--user', '--map-root-user']]
  .map((user) => [...user, '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'])
  .find((options) => spawnSync('unshare', [...options, 'true']).status === 0);

let started = [];

/** Ends whatever a scene has left running. @returns what each of its daemons said, in their order */
export async function killAll() {
  for (const daemon of started) await daemon.kill();
  const logs = started.map(({ stderr }) => stderr);
  started = [];
  return logs;
}

/** @param {{ config: string, args?: string[], contained?: boolean, seconds?: number }} options */
export function startDaemon({ config, args = [], contained = false }) {
  const run = [process.execPath, 'bin/sluice.mjs', 'run', '--config', config, '--json', ...args];
  const [program, ...rest] = contained ? ['unshare', ...UNSHARE, ...run] : run;
  const startedAt = performance.now();
  const child = spawn(program, rest, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let wake = () => undefined;
  const daemon = {
    pid: child.pid,
    stdout: '',
    stderr: '',
    code: undefined,
    ended: undefined,
    /** @returns seconds from the start of the process; throws when it ended or took too long */
    says: (text, withinMs = PATIENCE_MS) => waitForLine(text, withinMs),
    trades: () => waitForLine('→ TRADING', PATIENCE_MS),
    /** As JSON, the last line of a run that ended. */
    summary: () => JSON.parse(daemon.stdout.trim().split('\n').at(-1) ?? ''),
    kill: () => end('SIGKILL'),
    /** A clean end. @returns the exit code */
    stop: () => end('SIGTERM'),
  };
  started.push(daemon);
  child.stdout.on('data', (chunk) => (daemon.stdout += chunk));
  child.stderr.on('data', (chunk) => {
    daemon.stderr += chunk;
    wake();
  });
  // The streams close when the last process that has them is gone.
  daemon.ended = new Promise((resolve) => {
    child.on('close', (code) => {
      daemon.code = code;
      wake();
      resolve(code);
    });
  });
  return daemon;

  async function waitForLine(text, withinMs) {
    const until = performance.now() + withinMs;
    while (!daemon.stderr.includes(text)) {
      if (daemon.code !== undefined)
        throw new Error(`it ended with code ${daemon.code} before "${text}": ${tail(daemon)}`);
      if (performance.now() > until)
        throw new Error(`no "${text}" within ${withinMs / 1_000} s: ${tail(daemon)}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 200);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return (performance.now() - startedAt) / 1_000;
  }

  async function end(signal) {
    if (daemon.code === undefined) child.kill(signal);
    return daemon.ended;
  }
}

/** The last of what it said, for a message. */
export const tail = ({ stderr }) => stderr.trim().split('\n').slice(-4).join(' | ').slice(-1_500);
