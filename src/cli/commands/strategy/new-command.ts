import { join, relative } from 'node:path';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import { UsageError } from '../../../core/command-errors.js';
import { packageRoot } from '../../../io/node/package-root.js';
import { projectFiles } from '../init/project-files.js';
import type { NewOptions } from './strategy-options.js';

/** Runs `sluice strategy new`: writes a working strategy and its test. */
export async function newCommand(options: NewOptions, io: Io): Promise<number> {
  const { name, stream, directory, json } = options;
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    throw new UsageError(
      `"${name}" cannot name a strategy: use lowercase letters, digits and "-", a letter first, such as my-trend`,
    );
  }
  const files: string[] = [];
  for (const ending of ['.ts', '.test.ts']) {
    const template = join(packageRoot(), 'templates', stream ? 'stream' : 'callback');
    const text = await projectFiles.read(join(template, `my-strategy${ending}`));
    const path = join(directory, `${name}${ending}`);
    if (!(await projectFiles.writeNew(path, text.replaceAll('my-strategy', name)))) {
      throw new UsageError(`${path} exists already: choose another name, or remove it first`);
    }
    files.push(path);
  }
  const [file = ''] = files;
  const steps = [
    `npx sluice strategy check ${file}`,
    `npx sluice backtest --strategy ./${relative('', file)}`,
  ];
  if (json) io.stdout(`${JSON.stringify({ files, next: steps })}\n`);
  else
    io.stdout(
      `created ${files.join(' and ')}\n\nnext:\n${steps.map((step) => `  ${step}\n`).join('')}`,
    );
  return EXIT.done;
}
