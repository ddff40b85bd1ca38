import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const importing = (...paths: readonly string[]): string =>
  `${paths.map((path, index) => `import { x as x${index} } from '${path}';`).join('\n')}
export const x = [${paths.map((_, index) => `x${index}`).join(', ')}];
`;
const LEAF = importing();

/** A small house with good arrows, and one of each bad kind. */
const SAMPLE_REPO: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'house', type: 'module', dependencies: { rxjs: '*' } }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'NodeNext' } }),
  'node_modules/rxjs/package.json': JSON.stringify({ name: 'rxjs', main: 'index.js' }),
  'node_modules/rxjs/index.js': 'exports.x = 1;\n',
  'src/core/leaf.ts': LEAF,
  'src/venue/venue.ts': importing('../core/leaf.js'),
  'src/venue/futures-api/client.ts': importing('../venue.js'),
  'src/market/good.ts': importing('../core/leaf.js'),
  'src/engine/good.ts': importing('../market/good.js'),
  'src/engine/good.test.ts': importing('../live/good.js'),
  'src/live/good.ts': importing('../venue/futures-api/client.js', '../engine/good.js'),
  'src/strategy/index.ts': LEAF,
  'strategies/good.ts': importing('rxjs', 'sluice/strategy'),

  'src/core/up.ts': importing('../engine/good.js'),
  'src/exchange/leaf.ts': LEAF,
  'src/market/across.ts': importing('../exchange/leaf.js'),
  'src/exchange/client.ts': importing('../venue/futures-api/client.js'),
  'src/sandbox/client.ts': importing('../venue/futures-api/client.js'),
  'src/venue/futures-api/exchange.ts': importing('../../exchange/leaf.js'),
  'src/engine/venue.ts': importing('../exchange/leaf.js'),
  'src/report/across.ts': importing('../sandbox/client.js'),
  'src/config/node.ts': importing('../io/node/leaf.js'),
  'src/io/node/leaf.ts': LEAF,
  'src/tools/probe/other.ts': importing('../trace/leaf.js'),
  'src/tools/trace/leaf.ts': LEAF,
  'src/utils/helper.ts': importing('../core/leaf.js'),
  'src/risk/one.ts': importing('./two.js'),
  'src/risk/two.ts':
    "import type { x as one } from './one.js';\nexport const x = (a: typeof one) => a;\n",
  'src/live/strategy.ts': importing('../../strategies/good.js'),
  'strategies/curious.ts': importing('../src/core/leaf.js'),
  'src/live/lost.ts': importing('./nowhere.js'),
  'src/report/page/page-data.ts': LEAF,
  'pages/report/good.ts': importing('../../src/report/page/page-data.js'),
  'pages/report/curious.ts': importing('../../src/core/leaf.js'),
  'src/cli/page.ts': importing('../../pages/report/good.js'),
};

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

let sampleRepo: string;
let violations: readonly string[];

beforeAll(() => {
  sampleRepo = mkdtempSync(join(tmpdir(), 'arrows-'));
  for (const [path, text] of Object.entries(SAMPLE_REPO)) {
    mkdirSync(dirname(join(sampleRepo, path)), { recursive: true });
    writeFileSync(join(sampleRepo, path), text);
  }
  violations = cruise();
});
afterAll(() => {
  rmSync(sampleRepo, { recursive: true });
});

function cruise(): readonly string[] {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(root, '.dependency-cruiser.cjs');
  const args = [program, '--config', config, '--output-type', 'json', 'src', 'strategies', 'pages'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: sampleRepo,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  const { summary } = JSON.parse(stdout) as { summary: { violations: readonly Violation[] } };
  return summary.violations.map(({ rule, from }) => `${from}: ${rule.name}`);
}

test.each([
  ['up from the ground', 'src/core/up.ts: core-imports-downward'],
  ['across, between neighbours', 'src/market/across.ts: market-imports-downward'],
  ['across, report to sandbox', 'src/report/across.ts: report-imports-downward'],
  ['from the exchange into the client', 'src/exchange/client.ts: two-readings-of-the-interface'],
  ['from the sandbox into the client', 'src/sandbox/client.ts: two-readings-of-the-interface'],
  [
    'from the client into the exchange',
    'src/venue/futures-api/exchange.ts: two-readings-of-the-interface-2',
  ],
  [
    'from the engine to an implementation of its port',
    'src/engine/venue.ts: decisions-know-no-venue',
  ],
  ['into a module without a layer', 'src/utils/helper.ts: every-module-is-known'],
  ['from config to Node', 'src/config/node.ts: node-is-injected'],
  ['from one tool to another', 'src/tools/probe/other.ts: tools-know-no-other-tool'],
  ['in a circle, of types too', 'src/risk/one.ts: no-circle'],
  ['from the framework into a strategy', 'src/live/strategy.ts: no-strategy-inside'],
  [
    'from a strategy past its contract',
    'strategies/curious.ts: strategies-see-their-contract-only',
  ],
  ['from a page into the program', 'pages/report/curious.ts: pages-see-their-data-only'],
  ['from the program into a page', 'src/cli/page.ts: no-page-inside'],
  ['to nowhere', 'src/live/lost.ts: resolvable'],
])('an arrow %s is an error', (_, violation) => {
  expect(violations).toContain(violation);
});

test('arrows that run down, and those of tests, are none', () => {
  expect(violations.filter((violation) => violation.includes('/good.'))).toEqual([]);
  expect(violations.filter((violation) => violation.startsWith('src/venue/venue.ts'))).toEqual([]);
});
