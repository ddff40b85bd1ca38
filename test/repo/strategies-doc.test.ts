import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { loadStrategies } from '../../src/live/strategies/load-strategies.js';
import { NEXT_STEPS } from '../../src/cli/commands/init/init-command.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { checkStrategy } from '../../src/tools/check/strategy-check.js';
import { loadStrategy } from '../../src/strategy/loader/loader.js';
import { isStreamStrategy } from '../../src/strategy/contract/definition.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'docs/strategies.md'), 'utf8');
const run = promisify(execFile);

/** Every fenced block: its language, its name and what stands in it. */
const BLOCKS = [...TEXT.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', name = '', text = '']) => ({ language, name, text }),
);
const files = BLOCKS.filter(({ name }) => name.includes('/'));
const strategies = files.filter(({ name }) => /^strategies\/\w+\.ts$/.test(name));
const commands = (expectedCount: string): readonly string[] =>
  (BLOCKS.find(({ name }) => name === expectedCount)?.text ?? '').trim().split('\n');

const folder = temporaryFolder();
for (const { name, text } of files) {
  mkdirSync(dirname(join(folder.path, name)), { recursive: true });
  writeFileSync(join(folder.path, name), text);
}
// A project as npm makes one: the package, and beside it what its user installs.
mkdirSync(join(folder.path, 'node_modules'));
for (const name of ['vitest', 'typescript', 'rxjs', 'vite'])
  symlinkSync(join(ROOT, 'node_modules', name), join(folder.path, 'node_modules', name));
symlinkSync(ROOT, join(folder.path, 'node_modules/sluice'));
writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }');
afterAll(() => {
  folder.remove();
});

describe('docs/strategies.md', () => {
  it('names every block, so that none is left untried', () => {
    expect(BLOCKS.filter(({ name }) => name === '')).toEqual([]);
    expect(strategies.length).toBeGreaterThanOrEqual(5);
  });

  it('shows the steps that init prints', () => {
    expect(commands('steps')).toEqual(['cd my-bot', ...NEXT_STEPS]);
  });

  it.each(strategies)('$name passes the examination', async ({ name }) => {
    const definition = await loadStrategy(`./${name}`, { configDir: folder.path });
    const readsSymbols = isStreamStrategy(definition) || definition.scope === 'all';
    const { findings, intents } = checkStrategy({
      definition,
      file: name,
      params: definition.params.parse({}),
      symbols: readsSymbols ? ['BTCUSDT', 'ETHUSDT'] : ['BTCUSDT'],
      interval: '1m',
    });
    expect(findings).toEqual([]);
    expect(intents).toBeGreaterThan(0);
  });

  it('has configurations that load, with the strategies that they name', async () => {
    const config = await loadConfig(join(folder.path, 'config/trend.yaml'), nodeFiles);
    expect(await loadStrategies(config)).toHaveLength(1);
  });

  it('has tests that pass, by the package as it is built', async () => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await run(process.execPath, [vitest, 'run', '--reporter', 'json'], {
      cwd: folder.path,
    });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, numTotalTests: 5 });
  }, 120_000);

  it('has commands that are there', async () => {
    for (const line of [...commands('commands'), ...commands('install'), ...NEXT_STEPS]) {
      const [, command = '', next = ''] = /^npx sluice (\S+) ?(\S*)/.exec(line) ?? [];
      if (command === '') continue;
      const args = command === 'strategy' ? [command, next] : [command];
      const { exitCode, stdout } = await runSluice([...args, '--help']);
      expect(exitCode, line).toBe(0);
      expect(stdout).toContain('Examples:');
    }
  });
});
