import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sluice, temporaryFolder } from '../../../test/harness/command-line.js';
import { loadConfig } from '../config.js';
import { loadStrategies } from '../load-strategies.js';
import { nodeFiles } from '../ports/node-files.js';
import { NEXT_STEPS } from './init-command.js';
import { sluiceDependency } from './sluice-source.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const path = (name: string): string => join(folder.path, name);

describe('sluice init', () => {
  it('makes a project whose configurations load its strategy, and says what is next', async () => {
    const { exitCode, stdout } = await sluice(['init', path('Tom’s Bot')]);
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

  it('takes an empty folder, and one that holds a repository alone', async () => {
    mkdirSync(path('fresh/.git'), { recursive: true });
    expect((await sluice(['init', path('fresh'), '--json'])).exitCode).toBe(0);
  });

  it('refuses a folder that is not empty, and leaves it as it was', async () => {
    mkdirSync(path('full'));
    writeFileSync(path('full/notes.txt'), 'mine');
    const { exitCode, stderr } = await sluice(['init', path('full')]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/full is not empty \(notes\.txt\): give the name of a new folder/);
    expect(readdirSync(path('full'))).toEqual(['notes.txt']);
  });
});

describe('where a project has Sluice from', () => {
  const root = path('user/node_modules/sluice');
  const project = path('user/my-bot');
  const lock = path('user/node_modules/.package-lock.json');

  it('is the version, when a registry had it', async () => {
    mkdirSync(root, { recursive: true });
    expect(await sluiceDependency(root, '1.2.3', project)).toBe('1.2.3');
    writeFileSync(
      lock,
      '{ "packages": { "node_modules/sluice": { "resolved": "https://x/y.tgz" } } }',
    );
    expect(await sluiceDependency(root, '1.2.3', project)).toBe('1.2.3');
  });

  it('is the packed file, when that was installed', async () => {
    writeFileSync(
      lock,
      '{ "packages": { "node_modules/sluice": { "resolved": "file:../sluice-1.2.3.tgz" } } }',
    );
    expect(await sluiceDependency(root, '1.2.3', project)).toBe('file:../../sluice-1.2.3.tgz');
  });

  it('is the checkout, when it runs from one', async () => {
    expect(await sluiceDependency(path('sluice'), '1.2.3', path('a/b'))).toBe('file:../../sluice');
  });
});
