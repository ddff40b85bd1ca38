import { basename, join, resolve } from 'node:path';
import type { Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';
import { UsageError } from '../failure.js';
import { packageRoot } from '../package-root.js';
import { projectFiles } from './project-files.js';
import { sluiceDependency } from './sluice-source.js';

export interface InitOptions {
  readonly directory: string;
  readonly json: boolean;
  readonly debug: boolean;
}

/** What a new user does next; docs/strategies.md shows the same lines. */
export const NEXT_STEPS = [
  'npm install',
  'npx sluice strategy check strategies/my-first.ts',
  'npm test',
  'npx sluice backtest --config config/backtest.yaml',
  'npx sluice dev config/sandbox.yaml',
] as const;

const FIRST = 'my-first';

/** `sluice init`: a bot project of one's own. */
export async function initCommand({ directory, json }: InitOptions, io: Io): Promise<number> {
  const folder = resolve(directory);
  await refuseWhatIsFull(directory);
  const files = await projectOf(folder);
  for (const [name, text] of files) {
    if (await projectFiles.writeNew(join(folder, name), text)) continue;
    throw new UsageError(`${directory}/${name} appeared meanwhile: nothing there was overwritten`);
  }
  const names = files.map(([name]) => name);
  const steps = directory === '.' ? NEXT_STEPS : [`cd ${directory}`, ...NEXT_STEPS];
  if (json) io.stdout(`${JSON.stringify({ directory: folder, files: names, next: steps })}\n`);
  else {
    io.stdout(
      `made ${directory}: ${names.join(', ')}\n\nnext:\n${steps.map((step) => `  ${step}\n`).join('')}`,
    );
  }
  return EXIT.done;
}

/** A repository without any file in it is as good as empty. */
async function refuseWhatIsFull(directory: string): Promise<void> {
  const names = ((await projectFiles.list(directory)) ?? []).filter((name) => name !== '.git');
  if (names.length === 0) return;
  const some = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
  throw new UsageError(
    `${directory} is not empty (${some}): give the name of a new folder, such as sluice init my-bot`,
  );
}

/** File name → text. */
async function projectOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const root = packageRoot();
  const template = (path: string): Promise<string> =>
    projectFiles.read(join(root, 'templates', path));
  const name = packageName(basename(folder));
  const own = (text: string): string => text.replaceAll('my-bot', name);
  const first = (text: string): string => text.replaceAll('my-strategy', FIRST);
  return [
    ['package.json', await packageJson(root, name, folder)],
    ['tsconfig.json', await template('project/tsconfig.json')],
    ['README.md', own(await template('project/README.md'))],
    // npm leaves files of this name out of packages.
    ['.gitignore', await template('project/gitignore')],
    ['config/sandbox.yaml', own(await template('project/config/sandbox.yaml'))],
    ['config/backtest.yaml', own(await template('project/config/backtest.yaml'))],
    [`strategies/${FIRST}.ts`, first(await template('callback/my-strategy.ts'))],
    [`strategies/${FIRST}.test.ts`, first(await template('callback/my-strategy.test.ts'))],
  ];
}

interface OwnPackage {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function packageJson(root: string, name: string, folder: string): Promise<string> {
  const own = JSON.parse(await projectFiles.read(join(root, 'package.json'))) as OwnPackage;
  const { typescript = '*', vitest = '*' } = own.devDependencies;
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: own.engines,
    scripts: {
      check: `sluice strategy check strategies/${FIRST}.ts`,
      test: 'vitest run',
      backtest: 'sluice backtest --config config/backtest.yaml',
      dev: 'sluice dev config/sandbox.yaml',
      start: 'sluice run --config config/sandbox.yaml',
    },
    dependencies: { sluice: await sluiceDependency(root, own.version, folder) },
    devDependencies: { typescript, vitest },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** What npm and an account's name both take. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32);
  return name === '' ? 'my-bot' : name;
}
