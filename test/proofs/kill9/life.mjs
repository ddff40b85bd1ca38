// One life of the daemon: a process from its exec to its end.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The engine says both, as it journals them. */
const AWAKE = 'STARTING → RECONCILING';
const TRADING = '→ TRADING';

/** Starts `sluice run` and keeps what it logs in a file. */
export function startLife(args, logPath) {
  const log = openSync(logPath, 'w');
  const startedAt = performance.now();
  const child = spawn('node', ['bin/sluice.mjs', 'run', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const life = {
    child,
    stdout: '',
    recoveryMs: undefined,
    engineMs: undefined,
    signal: null,
    code: null,
  };
  let awakeAt;
  life.trading = new Promise((resolve) => {
    child.stderr.on('data', (chunk) => {
      writeSync(log, chunk);
      if (chunk.includes(AWAKE)) awakeAt ??= performance.now();
      if (life.recoveryMs !== undefined || !chunk.includes(TRADING)) return;
      life.recoveryMs = performance.now() - startedAt;
      // Without the start of the process, which is the machine's doing.
      life.engineMs = performance.now() - awakeAt;
      resolve();
    });
  });
  child.stdout.on('data', (chunk) => (life.stdout += chunk));
  life.ended = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      closeSync(log);
      Object.assign(life, { code, signal });
      resolve(life);
    });
  });
  return life;
}
