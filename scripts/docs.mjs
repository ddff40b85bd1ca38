#!/usr/bin/env node
// The API reference of sluice/strategy and sluice/testing, made by TypeDoc of the doc comments
// (docs/strategies.md). TypeDoc lives below .sluice/: it is 22 MB that no bot needs, and `npm start` installs
// what the lock file names before anything can run. It uses the TypeScript of this checkout.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareOrExit } from './prepare.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TOOL = join(ROOT, '.sluice/typedoc');
const TYPEDOC = 'typedoc@0.28.20';
const USAGE = 'Usage: npm run docs -- [--out FOLDER]';

const { out } = optionsOf(process.argv.slice(2));
prepareOrExit({ dev: true });
install();
const { status } = spawnSync(
  process.execPath,
  [
    join(TOOL, 'node_modules/typedoc/bin/typedoc'),
    ...['--options', join(ROOT, 'scripts/docs/typedoc.json'), '--out', out],
  ],
  { cwd: ROOT, stdio: ['ignore', 2, 2] },
);
if (status === 0) process.stdout.write(`${join(out, 'index.html')}\n`);
else fail(`the reference was not made: typedoc ended with ${status}`, status ?? 1);

function optionsOf(args) {
  try {
    const { values } = parseArgs({
      args,
      options: { out: { type: 'string', default: join(ROOT, '.sluice/docs') } },
    });
    return values;
  } catch (error) {
    return fail(`${error.message}\n${USAGE}`, 2);
  }
}

/** Once for each version; TypeScript is found in the folders above. */
function install() {
  const stamp = join(TOOL, 'node_modules/.sluice-stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === TYPEDOC) return;
  mkdirSync(TOOL, { recursive: true });
  writeFileSync(join(TOOL, 'package.json'), '{ "private": true }\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--legacy-peer-deps'];
  const shell = npm.endsWith('.cmd');
  const stdio = ['ignore', 2, 2];
  const { status } = spawnSync(npm, ['install', ...flags, TYPEDOC], { cwd: TOOL, shell, stdio });
  if (status !== 0) fail(`${TYPEDOC} could not be installed: npm ended with ${status}`, 1);
  writeFileSync(stamp, TYPEDOC);
}

function fail(message, code) {
  process.stderr.write(`docs: ${message}\n`);
  process.exit(code);
}
