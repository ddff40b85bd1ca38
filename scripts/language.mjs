// Checks the English of changed lines and of commit subjects: `npm run language`.
// --base REF compares with another commit (default: the upstream of this branch, else the commit before).
// --all checks every line of src, docs and the README instead, and counts.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commitFaults, lineFaults } from './language/rules.mjs';

const CHECKED =
  /^(src|strategies|bench|scripts|docs)\/.*\.(ts|mjs|md)$|^(README|CONTRIBUTING)\.md$/;
/** They name the words that they forbid. */
const EXEMPT = /^(scripts\/language|docs\/(decisions|glossary)|CONTRIBUTING\.md)/;
const CODE = /\.(ts|mjs)$/;

const { values } = parseArgs({
  options: { base: { type: 'string' }, all: { type: 'boolean', default: false } },
});
const faults = values.all ? allFaults() : [...changedFaults(), ...subjectFaults()];
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) {
  process.stderr.write(
    `language: ${faults.length} faults. Mend them, or give a reason: \`language-ok: …\` on the line or in the commit\n`,
  );
  process.exitCode = 1;
}

function allFaults() {
  return git('ls-files')
    .split('\n')
    .filter(isChecked)
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => placed(file, index + 1, line)),
    );
}

/** Added lines of the diff between the base and the working tree. */
function changedFaults() {
  const found = [];
  let [file, number] = ['', 0];
  for (const line of git('diff', '--unified=0', '--no-color', base()).split('\n')) {
    if (line.startsWith('+++ ')) file = line.replace(/^\+\+\+ (b\/)?/, '');
    else if (line.startsWith('@@')) number = Number(/\+(\d+)/.exec(line)?.[1]);
    else if (line.startsWith('+') && isChecked(file)) {
      found.push(...placed(file, number, line.slice(1)));
      number += 1;
    }
  }
  return found;
}

function isChecked(file) {
  return CHECKED.test(file) && !EXEMPT.test(file) && !/\.test\.ts$/.test(file);
}

function placed(file, number, line) {
  return lineFaults(line, CODE.test(file)).map((fault) => `${file}:${number}: ${fault}`);
}

function subjectFaults() {
  const log = git('log', '--no-merges', '--format=%h%x00%s%x00%b%x01', `${base()}..HEAD`);
  return log
    .split('\x01')
    .map((entry) => entry.trim().split('\0'))
    .filter(([hash]) => hash !== '')
    .flatMap(([hash, subject, body]) =>
      commitFaults({ subject, body }).map((fault) => `commit ${hash}: ${fault}`),
    );
}

function base() {
  for (const candidate of [values.base, '@{upstream}', 'HEAD~1']) {
    if (candidate === undefined) continue;
    try {
      return git('merge-base', candidate, 'HEAD').trim();
    } catch {
      if (candidate === values.base) throw new Error(`there is no commit ${candidate}`);
    }
  }
  return 'HEAD';
}

function git(...args) {
  return execFileSync('git', args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
