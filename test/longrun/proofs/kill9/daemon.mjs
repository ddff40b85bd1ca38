// One life of the daemon: a process from its exec to its end.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The engine says both, as it journals them. */
const RECONCILING_LINE = 'STARTING → RECONCILING';
const TRADING_LINE = '→ TRADING';

/** Starts `sluice run` and keeps what it logs in a file. */
export function startDaemon(args, logPath) {
  const log = openSync(logPath, 'w');
  const startedAt = performance.now();
  const child = spawn('node', ['bin/sluice.mjs', 'run', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const daemon = {
    child,
    stdout: '',
    recoveryMs: undefined,
    engineMs: undefined,
    signal: null,
    code: null,
  };
  let awakeAt;
  daemon.trading = new Promise((resolve) => {
    child.stderr.on('data', (chunk) => {
      writeSync(log, chunk);
      if (chunk.includes(RECONCILING_LINE)) awakeAt ??= performance.now();
      if (daemon.recoveryMs !== undefined || !chunk.includes(TRADING_LINE)) return;
      daemon.recoveryMs = performance.now() - startedAt;
      // Without the start of the process, which is the machine's doing.
      daemon.engineMs = performance.now() - awakeAt;
      resolve();
    });
  });
  child.stdout.on('data', (chunk) => (daemon.stdout += chunk));
  daemon.ended = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      closeSync(log);
      Object.assign(daemon, { code, signal });
      resolve(daemon);
    });
  });
  return daemon;
}
