// The sandbox as another process, for benchmarks.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const LEAST_PRIORITY = 19;
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Starts `sluice sandbox` with these options and resolves once it listens. `preloads` are files that its threads load first. */
export async function startSandbox(options, preloads = []) {
  const preload = preloads.flatMap((file) => ['--import', file]);
  const command = ['bin/sluice.mjs', 'sandbox', '--json', '--port', '0', ...options];
  const child = spawn('node', [...preload, ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const line = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
    child.on('close', (code) => reject(new Error(`The sandbox ended with code ${code}`)));
  });
  const { base_url: baseUrl, ws_url: wsUrl, api_secret: secret } = JSON.parse(line);
  return {
    baseUrl,
    wsUrl,
    secret,
    /** Yields the cores to other processes: this one is not measured. */
    giveWay: () => setPriority(child.pid, LEAST_PRIORITY),
    /** Resident set, bytes. */
    memory: () => residentBytes(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function residentBytes(pid) {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return pages * 4096;
}

/** The value below which this share of the sorted numbers lies. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** `--name value` of the command line, or the default. */
export function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}
