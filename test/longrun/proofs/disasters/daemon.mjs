// `sluice run` as a process, the commands of its operator, and its local socket.
import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const MACHINE = fileURLToPath(new URL('./machine.mjs', import.meta.url));
const ANSWER_WITHIN_MS = 10_000;

/**
 * @param {{ config: string, root?: string, more?: readonly string[], machineFile?: string, preloads?: readonly string[], env?: Record<string, string> }} options
 *   `root` is the folder of the program, `more` are words after `run`, `preloads` are files, `env` is added to the environment
 */
export function startDaemon({
  config,
  root = ROOT,
  more = [],
  machineFile,
  preloads = [],
  env = {},
}) {
  const files = [...(machineFile === undefined ? [] : [MACHINE]), ...preloads];
  const preload = files.flatMap((file) => ['--import', file]);
  const child = spawn(
    process.execPath,
    [...preload, 'bin/sluice.mjs', 'run', '--config', config, '--json', ...more],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...env,
        ...(machineFile && { SLUICE_DISASTER_MACHINE: machineFile }),
      },
    },
  );
  const daemon = {
    child,
    code: undefined,
    stdout: '',
    /** Lines of its log with the ms of their arrival. */
    lines: [],
    said: (pattern, from = 0) =>
      daemon.lines.filter(({ at, text }) => at >= from && pattern.test(text)),
    summary: () => JSON.parse(daemon.stdout.trim().split('\n').at(-1) || '{}'),
    signal: (name) => child.kill(name),
  };
  let rest = '';
  child.stdout.on('data', (chunk) => (daemon.stdout += chunk));
  child.stderr.on('data', (chunk) => {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop();
    for (const text of parts) daemon.lines.push({ at: performance.now(), text });
  });
  daemon.ended = new Promise((resolve) => {
    child.on('close', (code) => {
      if (rest !== '') daemon.lines.push({ at: performance.now(), text: rest });
      resolve((daemon.code = code));
    });
  });
  return daemon;
}

/** A command of the operator as a process. */
export const sluice = (...args) => sluiceOf(ROOT, ...args);

/** The same, of a program in another folder. */
export function sluiceOf(root, ...args) {
  const child = spawn(process.execPath, ['bin/sluice.mjs', ...args], { cwd: root });
  const result = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (chunk) => (result[name] += chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ ...result, code });
    });
  });
}

/** The status by the socket of the state folder: what `sluice status --json` prints; undefined: nobody listens. */
export function statusOf(stateDir) {
  return new Promise((resolve) => {
    let received = '';
    const socket = createConnection(join(stateDir, 'operator.sock'));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('data', (data) => {
      received += data.toString();
      if (received.includes('\n')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(received.includes('\n') ? JSON.parse(received).result : undefined);
    });
    socket.write('{"v":1,"id":1,"command":"status"}\n');
  });
}
