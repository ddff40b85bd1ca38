import { basename, join, relative, resolve } from 'node:path';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import { UsageError } from '../../../core/command-errors.js';
import { packageRoot } from '../../../io/node/package-root.js';
import type { InitOptions } from './init-options.js';
import { projectFiles } from './project-files.js';

/** The first steps of a new user. docs/strategies.md shows the same lines. */
export const NEXT_STEPS = [
  'npm install',
  'npx sluice strategy check strategies/my-first.ts',
  'npm test',
  'npx sluice backtest --config config/backtest.yaml',
  'npx sluice dev config/sandbox.yaml',
] as const;

const FIRST_STRATEGY = 'my-first';

/** Runs `sluice init`: creates a bot project. */
export async function initCommand({ directory, json }: InitOptions, io: Io): Promise<number> {
  const folder = resolve(directory);
  await requireEmptyDirectory(directory);
  const files = await renderProject(folder);
  for (const [name, text] of files) {
    if (await projectFiles.writeNew(join(folder, name), text)) continue;
    throw new UsageError(
      `${directory}/${name} was created by another process: it was not overwritten`,
    );
  }
  const names = files.map(([name]) => name);
  const steps = directory === '.' ? NEXT_STEPS : [`cd ${directory}`, ...NEXT_STEPS];
  if (json) io.stdout(`${JSON.stringify({ directory: folder, files: names, next: steps })}\n`);
  else {
    io.stdout(
      `created ${directory}: ${names.join(', ')}\n\nnext:\n${steps.map((step) => `  ${step}\n`).join('')}`,
    );
  }
  return EXIT.done;
}

/** A folder with a repository but no other file counts as empty. */
async function requireEmptyDirectory(directory: string): Promise<void> {
  const names = ((await projectFiles.list(directory)) ?? []).filter((name) => name !== '.git');
  if (names.length === 0) return;
  const some = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
  throw new UsageError(
    `${directory} is not empty (${some}): give the name of a new folder, such as sluice init my-bot`,
  );
}

/** File name → text. */
async function renderProject(folder: string): Promise<readonly (readonly [string, string])[]> {
  const root = packageRoot();
  const template = (path: string): Promise<string> =>
    projectFiles.read(join(root, 'templates', path));
  const name = packageName(basename(folder));
  const withProjectName = (text: string): string => text.replaceAll('my-bot', name);
  const withStrategyName = (text: string): string => text.replaceAll('my-strategy', FIRST_STRATEGY);
  return [
    ['package.json', await packageJson(root, name, folder)],
    ['tsconfig.json', await template('project/tsconfig.json')],
    ['README.md', withProjectName(await template('project/README.md'))],
    // npm leaves files of this name out of packages.
    ['.gitignore', await template('project/gitignore')],
    ['config/sandbox.yaml', withProjectName(await template('project/config/sandbox.yaml'))],
    ['config/backtest.yaml', withProjectName(await template('project/config/backtest.yaml'))],
    [
      `strategies/${FIRST_STRATEGY}.ts`,
      withStrategyName(await template('callback/my-strategy.ts')),
    ],
    [
      `strategies/${FIRST_STRATEGY}.test.ts`,
      withStrategyName(await template('callback/my-strategy.test.ts')),
    ],
  ];
}

interface PackageManifest {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function packageJson(root: string, name: string, folder: string): Promise<string> {
  const manifest = JSON.parse(
    await projectFiles.read(join(root, 'package.json')),
  ) as PackageManifest;
  const { typescript = '*', vitest = '*' } = manifest.devDependencies;
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: manifest.engines,
    scripts: {
      check: `sluice strategy check strategies/${FIRST_STRATEGY}.ts`,
      test: 'vitest run',
      backtest: 'sluice backtest --config config/backtest.yaml',
      dev: 'sluice dev config/sandbox.yaml',
      start: 'sluice run --config config/sandbox.yaml',
    },
    dependencies: { sluice: await sluiceDependency(root, manifest.version, folder) },
    devDependencies: { typescript, vitest },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** A name that is valid for npm and for an account. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32);
  return name === '' ? 'my-bot' : name;
}

interface InstalledPackage {
  readonly resolved?: string;
}

/**
 * The dependency on Sluice in a new project's package.json. A packed file or a checkout is named by its
 * path from the project, a package from a registry by its version.
 * @param root the root folder of this package
 */
export async function sluiceDependency(
  root: string,
  version: string,
  project: string,
): Promise<string> {
  const modules = resolve(root, '..');
  if (basename(modules) !== 'node_modules') return `file:${relative(project, root)}`;
  const text = await projectFiles.readIfExists(join(modules, '.package-lock.json'));
  if (text === undefined) return version;
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, InstalledPackage>>;
  };
  const from = packages['node_modules/sluice']?.resolved;
  if (from?.startsWith('file:') !== true) return version;
  return `file:${relative(project, resolve(modules, '..', from.slice('file:'.length)))}`;
}
