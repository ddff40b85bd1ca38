// Makes a checkout ready to run: installs the packages and builds dist/ and lib/, each only when missing
// or stale. It must work before anything is installed, so it uses Node's own modules alone.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PrepareError, nodeProblem } from './prepare/problem.mjs';
import { withLock } from './prepare/lock.mjs';
import { installedAs, lockHash } from './prepare/packages.mjs';
import { buildKey, sourceFiles } from './prepare/sources.mjs';

export { PrepareError };

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const ENTRY = 'lib/src/cli/main.js';
const BUNDLER = 'scripts/prepare/bundle.mjs';

/**
 * @param {{ root?: string, dev?: boolean, pack?: boolean, run?: typeof runToStderr, say?: (text: string) => void }} [options]
 *   `dev`: the development packages are needed too; `pack`: lib/ holds this build alone; `run` starts a program and answers its exit code
 * @throws {PrepareError} with one sentence and the exit code
 */
export function prepare({
  root = ROOT,
  dev = false,
  pack = false,
  run = runToStderr,
  say = writeToStderr,
} = {}) {
  const problem = nodeProblem(root, process.versions.node);
  if (problem !== undefined) throw new PrepareError(problem, 2);
  const ready = () => isInstalled(root, dev) && isBuilt(root);
  if (ready() && !pack) return;
  withLock(join(root, '.sluice/prepare.lock'), say, () => {
    // Another process may have done it all while this one waited.
    if (!isInstalled(root, dev)) install(root, run, say);
    linkCommand(root);
    if (!isBuilt(root)) build(root, run, say);
    if (pack) bundle(root, run, '--fresh');
  });
}

const stampOf = (root) => join(root, 'node_modules/.sluice-stamp');
const buildStampOf = (root) => join(root, 'dist/.sluice-stamp');
const hasTypeScript = (root) => existsSync(join(root, 'node_modules/typescript/package.json'));

function isInstalled(root, dev) {
  const lock = lockHash(root);
  // Without a lock file this is an installed package, and npm has installed its dependencies.
  if (lock === undefined) return true;
  const full = JSON.stringify({ lock, dev: true });
  const stamp = readIfThere(stampOf(root));
  if (stamp === full) return true;
  const kind = installedAs(root);
  if (kind === 'full') writeIfAllowed(stampOf(root), full);
  // Without the compiler only what was built before can run.
  return kind === 'full' || (kind === 'production' && !dev && existsSync(join(root, ENTRY)));
}

function isBuilt(root) {
  if (!existsSync(join(root, ENTRY))) return false;
  if (!hasTypeScript(root) || !existsSync(join(root, 'src'))) return true;
  return readIfThere(buildStampOf(root))?.split('\n')[0] === buildKey(root);
}

function install(root, run, say) {
  say('installing packages (npm ci); this happens once after a clone or an update');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const code = run(npm, ['ci', '--include=dev', '--ignore-scripts'], root);
  if (code !== 0) {
    throw new PrepareError(
      `the packages could not be installed (npm ci ended with ${code}); ` +
        'check the network and the lines above, then try again',
      1,
    );
  }
  writeIfAllowed(stampOf(root), JSON.stringify({ lock: lockHash(root), dev: true }));
}

function build(root, run, say) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  if (!existsSync(compiler)) {
    throw new PrepareError('lib/ is not built and TypeScript is not installed: run npm ci', 1);
  }
  const key = buildKey(root);
  const files = sourceFiles(root);
  const before = readIfThere(buildStampOf(root))?.split('\n').slice(1) ?? [];
  // tsc never deletes: what was made of a file that is gone would still be found and run.
  if (before.length === 0 || before.some((file) => !files.includes(file))) {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
  }
  rmSync(buildStampOf(root), { force: true });
  say('building dist/ and lib/');
  const code = run(process.execPath, [compiler, '-p', 'tsconfig.build.json'], root);
  if (code !== 0) throw new PrepareError(`the build failed (tsc ended with ${code})`, 1);
  bundle(root, run);
  if (!existsSync(join(root, ENTRY))) throw new PrepareError(`the build made no ${ENTRY}`, 1);
  writeFileSync(buildStampOf(root), [key, ...files].join('\n'));
}

function bundle(root, run, ...flags) {
  const code = run(process.execPath, [join(root, BUNDLER), ...flags], root);
  if (code !== 0) throw new PrepareError(`the build failed (${BUNDLER} ended with ${code})`, 1);
}

/** npm links the commands of packages, not the project's own: so that `npx sluice` finds this one. */
function linkCommand(root) {
  const link = join(root, 'node_modules/.bin/sluice');
  const target = join(root, 'bin/sluice.mjs');
  if (process.platform === 'win32' || existsSync(link) || !existsSync(dirname(link))) return;
  try {
    symlinkSync(relative(dirname(link), target), link);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** A stamp only saves time: an installation that its user may not write to works without. */
function writeIfAllowed(path, text) {
  try {
    writeFileSync(path, text);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

const isRefusal = (error) => ['EACCES', 'EPERM', 'EROFS', 'EEXIST'].includes(error.code);

/** Standard output stays free for `--json`. */
function runToStderr(program, args, cwd) {
  const shell = program.endsWith('.cmd');
  const { status, error, signal } = spawnSync(program, args, {
    cwd,
    shell,
    stdio: ['ignore', 2, 2],
  });
  return status ?? signal ?? error?.message ?? 'no exit code';
}

function writeToStderr(text) {
  process.stderr.write(`sluice: ${text}\n`);
}

/** For command lines: the sentence on standard error, and the exit code. */
export function prepareOrExit(options) {
  try {
    prepare(options);
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    writeToStderr(error.message);
    process.exit(error.exitCode);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const pack = process.argv.includes('--pack');
  prepareOrExit({ dev: pack || process.argv.includes('--dev'), pack });
}
