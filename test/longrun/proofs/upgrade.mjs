// An upgrade with open positions, and the way back, between two versions of this program as processes on one sandbox:
// the old version trades and stops, the new one checks the state, trades and stops, then the old one trades again. In
// each part orders are placed, books of bot and venue agree, every position has its stop, no id is used twice, the end
// is `reconciled`, and a replay by the program that ran is identical.
// Usage: npm run proof:upgrade [-- --from REVISION --json --keep]
// --from: the old version, a revision of this repository. Default: 100 commits ago.
// --keep: leaves the folders of the state and of the old version.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../../scripts/program-options.mjs';
import { World } from './disasters/world.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LEAST_ORDERS = 4;
/** Exit code of a state that the version cannot read. */
const REFUSED = 4;
const PART_WITHIN_S = 240;
const strategyOf = (symbol) => ({
  id: `cross-${symbol.toLowerCase()}`,
  use: 'sma-cross',
  symbol,
  params: '{ fast: 2, slow: 5 }',
});

const args = programOptions(import.meta.url, {
  from: { type: 'string', default: 'HEAD~100' },
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
});

/** Checks the old version out beside this one, with the same packages if it names the same. */
function checkOut(revision) {
  const folder = join(mkdtempSync(join(tmpdir(), 'sluice-old-')), 'old');
  git('worktree', 'add', '--detach', '--quiet', folder, revision);
  const lockOf = (root) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(ROOT))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}

function revisionOf(name) {
  try {
    return git('rev-parse', '--short', '--verify', `${name}^{commit}`);
  } catch {
    process.stderr.write(
      `proof:upgrade: --from ${name} is no commit of this clone. A shallow clone needs: git fetch --unshallow\n`,
    );
    process.exit(2);
  }
}

function git(...words) {
  const stdio = ['ignore', 'pipe', 'ignore'];
  return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio }).trim();
}

/** @returns sentences on what does not hold */
async function play(world, old) {
  const faults = [];
  await part('old', world, old, faults);
  const check = await upgradeCheck(world);
  world.facts.check = check.identical ? 'identical' : 'differences are named';
  const held = (await world.venue.state()).positions.map(({ symbol }) => symbol);
  const listed = check.positions.map(({ symbol }) => symbol);
  if (!held.every((symbol) => listed.includes(symbol)))
    faults.push(`the venue holds ${held.join(', ')}, upgrade --check lists ${listed.join(', ')}`);
  if (held.length === 0) faults.push('the old version left no position');
  const backup = join(world.folder, 'backup.tar.gz');
  await mustRun(world, 'backup', world.stateDir, '--out', backup);
  await part('new', world, ROOT, faults);
  world.facts.way_back = 'the state as it is';
  if (!(await startsAgain(world, old))) {
    world.facts.way_back = 'the backup';
    renameSync(world.stateDir, `${world.stateDir}-new`);
    // By the new version: an old one may have no such command.
    world.root = ROOT;
    await mustRun(world, 'restore', backup, '--into', world.stateDir);
    world.root = old;
    world.start('--adopt', 'history');
    await resumeSymbols(world);
  }
  await part('old again', world, old, faults);
  return faults;
}

/** Positions that the restored journal does not explain wait for a person. */
async function resumeSymbols(world) {
  const status = await world.until(
    'TRADING after the restore',
    async () => {
      const read = await world.status();
      return read?.mode === 'TRADING' ? read : undefined;
    },
    PART_WITHIN_S,
  );
  const symbols = Object.keys(status.symbols);
  for (const symbol of symbols) await world.resume(symbol);
  world.facts.resumed = symbols;
}

/** @returns false: the version refuses the state, as `upgrade --check` has said that it may */
async function startsAgain(world, root) {
  world.root = root;
  world.mayEnd = true;
  world.start();
  await world.until(
    'the start of the old version, or its refusal',
    async () => world.daemon.code !== undefined || (await world.status())?.mode === 'TRADING',
    PART_WITHIN_S,
  );
  if (world.daemon.code === undefined) return true;
  if (world.daemon.code === REFUSED) return false;
  throw new Error(`the old version ended with code ${world.daemon.code} at its second start`);
}

/** A run of one version, until it has placed orders and holds a position. */
async function part(name, world, root, faults) {
  const before = (await world.venue.state()).own.length;
  world.root = root;
  world.mayEnd = false;
  if (world.daemon.code !== undefined) world.start();
  await world.until(
    `${LEAST_ORDERS} orders and a position of the ${name} version`,
    async () => {
      const [state, status] = [await world.venue.state(), await world.status()];
      const trades = status?.mode === 'TRADING' && status.restrictions.length === 0;
      return (
        trades && state.own.length >= before + LEAST_ORDERS && state.positions.some(isProtected)
      );
    },
    PART_WITHIN_S,
  );
  // Runs of the other version may differ, and `upgrade --check` names them.
  const found = await world.cleanReturn({ sessions: 'last' });
  faults.push(...found.map((text) => `${name}: ${text}`));
  const state = await world.venue.state();
  world.facts[name] = { orders: state.own.length - before, positions: state.positions.length };
}

const isProtected = ({ hasStop }) => hasStop;

async function upgradeCheck(world) {
  world.root = ROOT;
  const { stdout, stderr } = await world.operator(
    'upgrade',
    '--check',
    '--config',
    world.config,
    '--json',
  );
  if (stdout === '') throw new Error(`upgrade --check printed no result: ${stderr}`);
  return JSON.parse(stdout);
}

async function mustRun(world, ...words) {
  const { code, stderr } = await world.operator(...words);
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${stderr}`);
}

const revision = revisionOf(args.from);
const old = checkOut(revision);
const result = { from: revision, to: git('rev-parse', '--short', 'HEAD') };
let world;
let faults;
// The way out of a signal is that of a failure: processes end and the old version's folder goes.
const stopped = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => resolve([`${signal} ended the proof`]));
});
try {
  world = await World.open({
    clock: 'fast:10',
    strategies: ['BTCUSDT', 'ETHUSDT'].map(strategyOf),
    root: old,
  });
  faults = await Promise.race([play(world, old), stopped]);
} catch (error) {
  faults = [error.message];
} finally {
  await world?.close(faults?.length === 0, args.keep);
  if (!args.keep) {
    git('worktree', 'remove', '--force', old);
    rmSync(join(old, '..'), { recursive: true, force: true });
  }
}
const report = { ...result, ...world?.facts, faults, holds: faults.length === 0 };
console.log(args.json ? JSON.stringify(report) : JSON.stringify(report, undefined, 2));
process.exit(report.holds ? 0 : 1);
