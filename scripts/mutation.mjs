#!/usr/bin/env node
// StrykerJS on risk/ and execution/ (docs/mutation.md): how many small changes of the sources do their
// own tests notice? It works on a copy of the checkout below .sluice/, so that the checkout can be edited
// meanwhile. Its packages are there too: Stryker is 105 MB, and no other script needs it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const COPY = join(ROOT, '.sluice/mutation');
const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1'];
const MODULES = ['risk', 'execution'];
/** Of every hundred changes, as many must be noticed. */
const FLOOR_PERCENT = 85;
const COPIED = ['src', 'strategies', 'test', 'config', 'vitest.config.ts', 'tsconfig.json'];
const PACKAGES = ['package.json', 'package-lock.json', '.npmrc'];
const USAGE = `Usage: npm run mutation -- [risk|execution] [--files src/risk/gate.ts,…] [--jobs 1] [--json]`;

const options = optionsOf(process.argv.slice(2));
copySources();
installPackages();
const rooms = options.rooms.map((room) => ({ room, mutants: mutantsOf(run(room)) }));
if (options.json) printJson(rooms);
else for (const { room, mutants } of rooms) printModule(room, mutants);
process.exitCode = rooms.every(({ mutants }) => score(mutants) >= FLOOR_PERCENT) ? 0 : 1;

function optionsOf(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        files: { type: 'string' },
        jobs: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
    });
    const wrong = positionals.find((room) => !MODULES.includes(room));
    if (wrong !== undefined) throw new Error(`there is no room ${wrong}`);
    if (!/^[1-9]\d?$/.test(values.jobs)) throw new Error('--jobs is a number from 1 to 99');
    const named = MODULES.filter((room) => values.files?.includes(`src/${room}/`));
    const all = named.length > 0 ? named : MODULES;
    return { ...values, rooms: positionals.length > 0 ? positionals : all };
  } catch (error) {
    process.stderr.write(`mutation: ${error.message}\n${USAGE}\n`);
    process.exit(2);
  }
}

function copySources() {
  mkdirSync(COPY, { recursive: true });
  for (const name of COPIED) {
    rmSync(join(COPY, name), { recursive: true, force: true });
    cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  }
}

/** The checkout's own packages by its lock, and Stryker beside them; once for each lock. */
function installPackages() {
  for (const name of PACKAGES) cpSync(join(ROOT, name), join(COPY, name));
  const hash = createHash('sha256').update(readFileSync(join(COPY, 'package-lock.json')));
  const expectedHash = hash.update(STRYKER.join()).digest('hex');
  const stamp = join(COPY, 'node_modules/.sluice-stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expectedHash) return;
  npm('ci', '--include=dev', '--ignore-scripts');
  npm('install', '--no-save', '--no-package-lock', '--ignore-scripts', ...STRYKER);
  writeFileSync(stamp, expectedHash);
}

function npm(...args) {
  const program = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(program, args, { cwd: COPY, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  process.stderr.write(`mutation: npm ${args[0]} ended with ${status}\n`);
  process.exit(1);
}

/** @returns Stryker's report of a room, in the format of mutation-testing-report-schema */
function run(room) {
  const report = join(COPY, `report-${room}.json`);
  const chosen = options.files?.split(',').filter((file) => file.startsWith(`src/${room}/`));
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/@stryker-mutator/core/bin/stryker.js',
      'run',
      'test/longrun/mutation/stryker.config.mjs',
    ],
    {
      cwd: COPY,
      stdio: ['ignore', 2, 2],
      env: {
        ...process.env,
        SLUICE_MUTATED_ROOM: room,
        ...(chosen !== undefined && { SLUICE_MUTATED_FILES: chosen.join() }),
        SLUICE_MUTATION_REPORT: report,
        SLUICE_MUTATION_JOBS: options.jobs,
      },
    },
  );
  if (status === 0) return JSON.parse(readFileSync(report, 'utf8'));
  process.stderr.write(`mutation: Stryker ended with ${status} on src/${room}\n`);
  process.exit(1);
}

function mutantsOf({ files }) {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map(({ status, mutatorName, location, replacement }) => ({
      file,
      line: location.start.line,
      mutator: mutatorName,
      from: textAt(source, location),
      to: replacement,
      noticed: status === 'Killed' || status === 'Timeout',
      counts: status !== 'Ignored' && status !== 'CompileError',
      covered: status !== 'NoCoverage',
    })),
  );
}

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

function score(mutants) {
  const counted = mutants.filter(({ counts }) => counts);
  const noticed = counted.filter((mutant) => mutant.noticed).length;
  return counted.length === 0 ? 100 : (100 * noticed) / counted.length;
}

function printJson(all) {
  for (const { room, mutants } of all) {
    const counted = mutants.filter(({ counts }) => counts);
    const survivors = counted
      .filter(({ noticed }) => !noticed)
      .map(({ file, line, mutator, from, to, covered }) => ({
        file,
        line,
        mutator,
        from,
        to,
        covered,
      }));
    const summary = { room, mutants: counted.length, killed: counted.length - survivors.length };
    const percent = Number(score(mutants).toFixed(2));
    process.stdout.write(`${JSON.stringify({ ...summary, percent, survivors })}\n`);
  }
}

function printModule(room, mutants) {
  const printLine = (text) => process.stdout.write(`${text}\n`);
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const own = mutants.filter((mutant) => mutant.file === file);
    printLine(`${score(own).toFixed(1).padStart(6)} %  ${file}`);
    for (const { line, from, to, covered } of own.filter((each) => each.counts && !each.noticed)) {
      printLine(
        `          ${line}: ${short(from)} → ${short(to)}${covered ? '' : ' (no test reaches it)'}`,
      );
    }
  }
  printLine(`${score(mutants).toFixed(1).padStart(6)} %  src/${room}`);
}

function short(text) {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= 70 ? line : `${line.slice(0, 69)}…`;
}
