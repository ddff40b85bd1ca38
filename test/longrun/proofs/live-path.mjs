// The real live path in real time: a sandbox behind https with a public name and address, in a network of its own.
// First `observe`, which may send reads alone; then `live` with lost answers, refusals and broken connections.
// Usage: npm run proof:live [-- --minutes 240 --only observe --out .sluice/live-path.jsonl --json --keep]
// `--minutes` is the length of the whole; each of the two parts has half of it. With `--only` the one part has all of it:
// two commands run the parts beside each other, each with a venue of its own.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../../scripts/program-options.mjs';
import {
  isPublicNetworkPossible,
  preparePublicNetwork,
  publicNetworkArgs,
} from '../../support/rigs/public-network.mjs';

const PART = fileURLToPath(new URL('./live-path/part.mjs', import.meta.url));
/** A run needs a minute to trade and to end. */
const LEAST_MINUTES = 4;

const args = programOptions(import.meta.url, {
  minutes: { type: 'number', default: 240, least: LEAST_MINUTES, isFraction: true },
  only: { type: 'string' },
  out: { type: 'string', default: '.sluice/live-path.jsonl' },
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
});
const { minutes } = args;
const parts = args.only === undefined ? ['observe', 'live'] : [args.only];
if (!parts.every((part) => ['observe', 'live'].includes(part)))
  fail(`--only is observe or live, not "${args.only}"`);
if (!isPublicNetworkPossible())
  fail('this machine has no user namespaces, no ip or no openssl: run it on Linux with all three');

mkdirSync(dirname(args.out), { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'sluice-live-path-'));
preparePublicNetwork(folder);
const lines = [];
const exitCode = await runPart();
if (!args.keep) rmSync(folder, { recursive: true, force: true });
const checks = lines.flatMap(({ kind, ...each }) => (kind === 'check' ? [each] : []));
const holds = exitCode === 0 && checks.length > 0 && checks.every((check) => check.holds);
if (args.json) console.log(JSON.stringify({ minutes, exit_code: exitCode, holds, checks }));
else {
  for (const check of checks)
    console.log(`${check.holds ? 'holds' : 'FAILS'}  ${check.name}: ${check.figure}`);
  if (exitCode !== 0) console.log(`FAILS  the proof ended with exit code ${exitCode}`);
}
process.exit(holds ? 0 : 1);

/** @returns the exit code of the process inside the network */
function runPart() {
  const inside = publicNetworkArgs(folder, PART, [
    folder,
    String(minutes / parts.length),
    ...parts,
  ]);
  const { PATH, HOME } = process.env;
  const child = spawn('unshare', inside, {
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGTERM'));
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop();
    for (const text of parts) {
      appendFileSync(args.out, `${text}\n`);
      lines.push(JSON.parse(text));
    }
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
}

function fail(text) {
  process.stderr.write(`proof:live: ${text}\n`);
  process.exit(2);
}
