#!/usr/bin/env node
// Makes the table of results in strategies/README.md anew: runs the command of each section as it stands there, and once
// without funding. The candles are not part of the repository: --data names their folder, in place of ../shared/data.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareOrExit } from './prepare.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const README = join(ROOT, 'strategies/README.md');
const NAMED_DATA = '../shared/data';
const USAGE = 'Usage: npm run library -- [--data FOLDER] [--check]';
const HEAD = '| strategy';

const { data, check } = optionsOf(process.argv.slice(2));
const folder = resolve(ROOT, data);
if (!existsSync(folder))
  fail(`${folder} does not exist: give the folder of the candles with --data`, 2);
prepareOrExit({ dev: true });
const work = mkdtempSync(join(tmpdir(), 'sluice-library-'));
try {
  const before = readFileSync(README, 'utf8');
  const after = withResults(before);
  if (check && after !== before)
    fail('strategies/README.md shows other results: npm run library', 1);
  writeFileSync(README, after);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function optionsOf(args) {
  try {
    return parseArgs({
      args,
      options: {
        data: { type: 'string', default: NAMED_DATA },
        check: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail(`${error.message}\n${USAGE}`, 2);
  }
}

/** The text with the figures of all runs; what people wrote stays. */
function withResults(text) {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(HEAD)) + 2;
  for (let at = from; lines[at]?.startsWith('| ['); at += 1) {
    const cells = lines[at].split('|').map((cell) => cell.trim());
    const name = /^\[([^\]]+)\]/.exec(cells[1])?.[1];
    const command = commandOf(text, name);
    process.stderr.write(`${name}\n`);
    const result = run(command);
    const free = run(command.replace(/--funding \S+/, '--funding none'));
    const figures = figuresOf(result, name === 'funding-tilt' ? undefined : free);
    lines[at] = `| ${[cells[1], cells[2], cells[3], ...figures].join(' | ')} |`;
  }
  return formatted(lines.join('\n'));
}

/** The first backtest of the strategy's section. */
function commandOf(text, name) {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? '';
  const command = /^npx sluice backtest (.*)$/m.exec(section)?.[1];
  return command ?? fail(`strategies/README.md has no command in the section of ${name}`, 1);
}

function run(command) {
  const words = command.replaceAll(NAMED_DATA, folder).split(' ');
  const args = [...words, '--json', '--no-report', '--no-bounds', '--out', join(work, 'run')];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'bin/sluice.mjs'), 'backtest', ...args],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  // funding-tilt needs rates: without them it does not run.
  if (status === 0) return JSON.parse(stdout);
  if (/needs funding/.test(stderr)) return undefined;
  return fail(`sluice backtest ${command}\n${stderr}`, 1);
}

function figuresOf(result, free) {
  return [
    signed(result.return_pct),
    free === undefined ? '–' : signed(free.return_pct),
    `${amount(result.max_drawdown_pct)} %`,
    amount(result.fills, 0),
    amount(Number(result.fees), 0),
    amount(Number(result.profit_split.slippage) * -1, 0),
    amount(Number(result.funding), 0),
    signed(result.benchmark.return_pct),
  ];
}

function amount(value, places = 2) {
  const [whole, fraction] = Math.abs(value).toFixed(places).split('.');
  const text =
    whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction === undefined ? '' : `.${fraction}`);
  return value < 0 ? `−${text}` : text;
}

function signed(value) {
  if (value === null) return '–';
  return `${value > 0 ? '+' : ''}${amount(value)} %`;
}

function formatted(text) {
  const prettier = join(ROOT, 'node_modules/prettier/bin/prettier.cjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [prettier, '--stdin-filepath', README],
    { cwd: ROOT, input: text, encoding: 'utf8' },
  );
  return status === 0 ? stdout : fail(stderr, 1);
}

function fail(message, code) {
  process.stderr.write(`library: ${message}\n`);
  process.exit(code);
}
