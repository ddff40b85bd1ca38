// Every check before a push: `npm run check`. The static checks run beside each other, then the quick tests.
// Ends with exit code 1 and the output of each check that failed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const STATIC = [
  ['lint'],
  ['types'],
  ['format:check'],
  ['arrows'],
  ['structure', '--', '--check'],
  ['language'],
];

const waiting = [...STATIC];
const failed = [];
const worker = async () => {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { code, output, seconds } = await run(check, 'pipe');
    process.stderr.write(`${code === 0 ? '✓' : '✗'} ${check[0]} ${seconds} s\n`);
    if (code !== 0) {
      failed.push(check[0]);
      process.stderr.write(output);
    }
  }
};
await Promise.all(Array.from({ length: availableParallelism() }, worker));
if (failed.length === 0 && (await run(['test'], 'inherit')).code !== 0) failed.push('test');
if (failed.length > 0) process.stderr.write(`check: failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** @returns exit code, output and duration of an npm script */
function run(args, stdio) {
  const started = Date.now();
  const child = spawn('npm', ['run', '--silent', ...args], { stdio: ['ignore', stdio, stdio] });
  const parts = [];
  child.stdout?.on('data', (part) => parts.push(part));
  child.stderr?.on('data', (part) => parts.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1_000).toFixed(0);
      resolve({ code, seconds, output: Buffer.concat(parts).toString() });
    });
  });
}
