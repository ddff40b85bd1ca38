// The path of a new user, from the packed tarball to the first fill, each step as docs/strategies.md has
// it, with its wall time. `--linked` takes the packages of this checkout instead of installing them.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const DEV_SECONDS = 20;
const linked = process.argv.includes('--linked');
const json = process.argv.includes('--json');
const steps = [];

const work = mkdtempSync(join(tmpdir(), 'sluice-package-'));
const user = join(work, 'bots');
try {
  await newUser();
  report();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function newUser() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  await timed('npm pack', `npm pack --silent --pack-destination ${work}`, ROOT);
  const tarball = join(work, `sluice-${version}.tgz`);
  for (const step of stepsOf('install')) await startProject(step, tarball);
  const bot = join(user, 'my-bot');
  refusesAFullFolder(await ran('npx sluice init my-bot', user));
  for (const step of stepsOf('steps')) {
    if (step === 'cd my-bot') continue;
    if (step === 'npm install') {
      if (!linked) await timed(step, 'npm install --silent --prefer-offline', bot);
      edit(join(bot, 'strategies/my-first.ts'));
    } else if (step.includes('sluice dev')) await dev(step, bot);
    else await timed(step, undefined, bot);
  }
}

/** What is done before there is a project, with the packed file in the place of the registry's. */
async function startProject(step, tarball) {
  if (step === 'mkdir bots && cd bots') mkdirSync(user);
  else if (step === 'npm init -y') await timed(step, `${step} --silent`, user);
  else if (step !== 'npm install sluice') await timed(step, undefined, user);
  else if (linked) await timed('link', () => link(tarball));
  else await timed(step, `npm install --silent --prefer-offline ${tarball}`, user);
}

/** A block of the guide; `init` prints the one named steps too. */
function stepsOf(block) {
  const text = readFileSync(join(ROOT, 'docs/strategies.md'), 'utf8');
  const [, lines] = new RegExp(`^\`\`\`sh ${block}\\n([^]*?)^\`\`\`$`, 'm').exec(text);
  return lines.trim().split('\n');
}

/** The first change that somebody makes. */
function edit(file) {
  const before = readFileSync(file, 'utf8');
  const after = before.replace("description: 'Long while", "description: 'Mine: long while");
  if (after === before) throw new Error('the strategy of init is not as it was');
  writeFileSync(file, after);
}

/** As npm would lay it out, with this checkout's packages behind the names. */
async function link(tarball) {
  const modules = join(user, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  await must(`tar -xzf ${tarball} -C ${modules}`, user);
  await must(`mv ${join(modules, 'package')} ${join(modules, 'sluice')}`, user);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name.startsWith('.') || name === 'sluice') continue;
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync('../sluice/bin/sluice.mjs', join(modules, '.bin/sluice'));
  symlinkSync('../vitest/vitest.mjs', join(modules, '.bin/vitest'));
}

async function dev(step, bot) {
  const startedAt = Date.now();
  const line = `${step} --json --duration ${DEV_SECONDS}s`;
  const { stdout } = await must(line, bot);
  const events = stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each));
  const summary = events.at(-1);
  steps.push({ step, ms: Date.now() - startedAt, first_fill_ms: summary.first_fill_ms });
  for (const kind of ['intent', 'explains', 'fill'])
    if (!events.some((event) => event.kind === kind)) throw new Error(`dev showed no ${kind}`);
  if (!summary.reconciled) throw new Error('dev did not end reconciled');
}

function refusesAFullFolder({ code, stderr }) {
  if (code !== 2 || !stderr.includes('my-bot is not empty'))
    throw new Error(`a second init answered ${code}: ${stderr}`);
}

async function timed(step, act = step, cwd = work) {
  const startedAt = Date.now();
  if (typeof act === 'string') await must(act, cwd);
  else await act();
  steps.push({ step, ms: Date.now() - startedAt });
}

async function must(line, cwd) {
  const result = await ran(line, cwd);
  if (result.code === 0) return result;
  throw new Error(`${line} ended with ${result.code}\n${result.stdout}\n${result.stderr}`);
}

function ran(line, cwd) {
  const bins = join(user, 'node_modules/.bin');
  const PATH = existsSync(bins) ? `${bins}:${process.env.PATH}` : process.env.PATH;
  const child = spawn(line, { cwd, shell: true, env: { ...process.env, PATH } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function report() {
  const total = steps.reduce((sum, { ms }) => sum + ms, 0);
  if (json) process.stdout.write(`${JSON.stringify({ linked, steps, total_ms: total })}\n`);
  else {
    for (const { step, ms, first_fill_ms } of steps) {
      const fill = first_fill_ms === undefined ? '' : `, first fill after ${first_fill_ms} ms`;
      process.stdout.write(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${step}${fill}\n`);
    }
    process.stdout.write(`${(total / 1_000).toFixed(1).padStart(7)} s  in all\n`);
  }
}
