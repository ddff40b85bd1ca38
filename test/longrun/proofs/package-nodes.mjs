// The packed package as a dependency of somebody else's project, under each Node that it promises: installed
// with engine-strict and without a warning line, its entries imported, its types checked by that project's
// compiler without skipLibCheck, its commands run. Usage: node test/longrun/proofs/package-nodes.mjs [--json] [20 22 24]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const given = process.argv.slice(2).filter((word) => /^\d+$/.test(word));
const versions = given.length > 0 ? given : ['20', '22', '24'];
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const STRATEGY = `import { defineStrategy, z } from 'sluice/strategy';
import type { StrategyContext } from 'sluice';
import { candlesFromCloses, simulate, type Simulation } from 'sluice/testing';

const mine = defineStrategy({
  name: 'mine',
  description: 'Long while the close is above its average, else flat',
  params: z.object({ length: z.number().int().min(2).default(20) }),
  create({ params, indicators }) {
    const average = indicators.sma(params.length);
    return {
      warmup: params.length,
      onCandle(context: StrategyContext) {
        const { close } = context.candle;
        const mean = average.next(close);
        if (mean !== undefined) context.target(close > mean ? 1 : 0);
      },
    };
  },
});
export const run = (): Simulation => simulate({ strategy: mine, candles: candlesFromCloses([1, 2, 3]) });
export default mine;
`;
const IMPORTS = `
  const [root, strategy, testing, { default: own }] = await Promise.all([
    import('sluice'), import('sluice/strategy'), import('sluice/testing'),
    import('sluice/package.json', { with: { type: 'json' } })]);
  if (root.defineStrategy !== strategy.defineStrategy) throw new Error('two contracts');
  if (Object.keys(testing).length === 0 || own.name !== 'sluice') throw new Error('an entry is empty');
`;

async function proved(version, tarball) {
  const tools = join(work, `node-${version}`);
  mkdirSync(tools);
  writeFileSync(join(tools, 'package.json'), '{}');
  await must(`npm install --no-audit --no-fund node@${version}`, tools);
  const bin = join(tools, 'node_modules/.bin');
  const project = join(work, `project-${version}`);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const at = (line, more) => must(line, project, { bin, ...more });
  const node = (await at('node --version')).stdout.trim();
  const install = await installed(tarball, at);
  const packages = readdirSync(join(project, 'node_modules/.bin')).length;
  await at(`node --input-type=module -e "${IMPORTS.replaceAll('\n', ' ')}"`);
  await typesHold(project, at);
  await at('npx --no-install sluice --help');
  const check = await at('npx --no-install sluice strategy check mine.ts');
  await at('npx --no-install sluice init bot');
  const trades = await lastJson(
    at('npx --no-install sluice backtest --config bot/config/backtest.yaml --json'),
  );
  if (!(trades.fills > 0))
    throw new Error(`the backtest filled nothing: ${JSON.stringify(trades)}`);
  const demo = await lastJson(
    at(
      'npx --no-install sluice run --config node_modules/sluice/config/demo.yaml --duration 10s --json',
    ),
  );
  if (!(demo.orders_filled > 0) || demo.unknown !== 0 || demo.reconciled !== true)
    throw new Error(`the demo ended otherwise: ${JSON.stringify(demo)}`);
  const { orders_filled: filled } = demo;
  return { node, ...install, commands: packages, checked: check.stdout.length > 0, filled };
}

/** Warnings that npm gives in an empty project are this machine's own. */
async function installed(tarball, at) {
  const usual = warningsOf(await at('npm ls --all'));
  // The time of an install is reported, and nothing is judged by it.
  const startedAt = Date.now();
  const installWarnings = warningsOf(
    await at(`npm install --engine-strict --no-audit --no-fund ${tarball}`),
  );
  const ms = Date.now() - startedAt;
  const warnings = installWarnings.filter((line) => !usual.includes(line));
  if (warnings.length > 0) throw new Error(`npm install warned:\n${warnings.join('\n')}`);
  const tree = JSON.parse((await at('npm ls --all --json')).stdout);
  const { typescript } = devDependencies;
  const types = devDependencies['@types/node'];
  await at(`npm install --no-audit --no-fund typescript@${typescript} @types/node@${types}`);
  return { install_ms: ms, dependencies: countOf(tree) };
}

const warningsOf = ({ stdout, stderr }) =>
  `${stdout}\n${stderr}`.split('\n').filter((line) => /\bwarn/i.test(line));

function countOf(tree, seen = new Set()) {
  for (const [name, { version, dependencies }] of Object.entries(tree.dependencies ?? {})) {
    const key = `${name}@${version}`;
    if (seen.has(key)) continue;
    seen.add(key);
    countOf({ dependencies }, seen);
  }
  return seen.size;
}

async function typesHold(project, at) {
  writeFileSync(join(project, 'mine.ts'), STRATEGY);
  const compilerOptions = {
    strict: true,
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['mine.ts'] }),
  );
  await at('npx --no-install tsc -p tsconfig.json');
}

async function lastJson(ran) {
  const { stdout } = await ran;
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

async function must(line, cwd, { bin } = {}) {
  const PATH = bin === undefined ? process.env.PATH : bin + delimiter + process.env.PATH;
  const child = spawn(line, { cwd, shell: true, env: { ...process.env, PATH } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code === 0) return { stdout, stderr };
  throw new Error(`${line} ended with ${code}\n${stdout}\n${stderr}`);
}

function report(result) {
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const { node, install_ms: ms, dependencies, files, size, filled } = result;
    process.stdout.write(
      `${node}: ${files} files, ${Math.round(size / 1_000)} kB; ${dependencies} packages installed with ` +
        `engine-strict and no warning in ${(ms / 1_000).toFixed(1)} s; entries, types, backtest; ` +
        `the demo filled ${filled} orders\n`,
    );
  }
}

const work = mkdtempSync(join(tmpdir(), 'sluice-nodes-'));
const results = [];
try {
  const packed = JSON.parse(
    (await must('npm pack --json --pack-destination ' + work, ROOT)).stdout,
  );
  const { filename, size, entryCount } = packed[0];
  for (const version of versions) {
    results.push({ ...(await proved(version, join(work, filename))), files: entryCount, size });
    report(results.at(-1));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
