import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../../../../test/support/rigs/cli-runner.js';
import { loadConfig } from '../../../config/config.js';
import { loadStrategies } from '../../../live/strategies/load-strategies.js';
import { nodeFiles } from '../../../io/node/node-files.js';
import { NEXT_STEPS, sluiceDependency } from './init-command.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const path = (name: string): string => join(folder.path, name);

describe('sluice init', () => {
  it('init creates a project whose configurations load its strategy, and prints the next steps', async () => {
    const { exitCode, stdout } = await runSluice(['init', path('Tom’s Bot')]);
    expect(exitCode).toBe(0);
    for (const step of NEXT_STEPS) expect(stdout).toContain(`  ${step}\n`);
    expect(readdirSync(path('Tom’s Bot'), { recursive: true }).map(String).sort()).toEqual(
      [
        ['.gitignore', 'README.md', 'config', 'config/backtest.yaml', 'config/sandbox.yaml'],
        ['package.json', 'strategies', 'strategies/my-first.test.ts', 'strategies/my-first.ts'],
        ['tsconfig.json'],
      ].flat(),
    );
    const config = await loadConfig(path('Tom’s Bot/config/sandbox.yaml'), nodeFiles);
    const [first] = await loadStrategies(config);
    expect(first?.definition.name).toBe('my-first');
    expect(config.account).toBe('tom-s-bot');
    await loadConfig(path('Tom’s Bot/config/backtest.yaml'), nodeFiles, 'backtest');
    const own = JSON.parse(readFileSync(path('Tom’s Bot/package.json'), 'utf8')) as object;
    expect(own).toMatchObject({ name: 'tom-s-bot', type: 'module', private: true });
    expect(own).toHaveProperty('dependencies.sluice');
    expect(own).toHaveProperty('devDependencies.vitest');
  });

  it('init accepts an empty folder, and one that holds only a repository', async () => {
    mkdirSync(path('fresh/.git'), { recursive: true });
    expect((await runSluice(['init', path('fresh'), '--json'])).exitCode).toBe(0);
  });

  it('init refuses a folder that is not empty, and does not change it', async () => {
    mkdirSync(path('full'));
    writeFileSync(path('full/notes.txt'), 'mine');
    const { exitCode, stderr } = await runSluice(['init', path('full')]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/full is not empty \(notes\.txt\): give the name of a new folder/);
    expect(readdirSync(path('full'))).toEqual(['notes.txt']);
  });
});

describe('the sluice dependency of a project', () => {
  const root = path('user/node_modules/sluice');
  const project = path('user/my-bot');
  const lock = path('user/node_modules/.package-lock.json');

  it('the dependency is the version when Sluice came from a registry', async () => {
    mkdirSync(root, { recursive: true });
    expect(await sluiceDependency(root, '1.2.3', project)).toBe('1.2.3');
    writeFileSync(
      lock,
      '{ "packages": { "node_modules/sluice": { "resolved": "https://x/y.tgz" } } }',
    );
    expect(await sluiceDependency(root, '1.2.3', project)).toBe('1.2.3');
  });

  it('the dependency is the packed file when that was installed', async () => {
    writeFileSync(
      lock,
      '{ "packages": { "node_modules/sluice": { "resolved": "file:../sluice-1.2.3.tgz" } } }',
    );
    expect(await sluiceDependency(root, '1.2.3', project)).toBe('file:../../sluice-1.2.3.tgz');
  });

  it('the dependency is the checkout when Sluice runs from one', async () => {
    expect(await sluiceDependency(path('sluice'), '1.2.3', path('a/b'))).toBe('file:../../sluice');
  });
});
