import { join, relative } from 'node:path';
import type { Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';
import { UsageError } from '../failure.js';
import { packageRoot } from '../package-root.js';
import { projectFiles } from '../init/project-files.js';

export interface NewOptions {
  readonly name: string;
  readonly stream: boolean;
  /** Where strategies are. */
  readonly directory: string;
  readonly json: boolean;
  readonly debug: boolean;
}

/** `sluice strategy new`: a strategy that runs as it is, with its test. */
export async function newCommand(options: NewOptions, io: Io): Promise<number> {
  const { name, stream, directory, json } = options;
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    throw new UsageError(
      `"${name}" cannot name a strategy: small letters, digits and "-", a letter first, such as my-trend`,
    );
  }
  const files: string[] = [];
  for (const ending of ['.ts', '.test.ts']) {
    const template = join(packageRoot(), 'templates', stream ? 'stream' : 'callback');
    const text = await projectFiles.read(join(template, `my-strategy${ending}`));
    const path = join(directory, `${name}${ending}`);
    if (!(await projectFiles.writeNew(path, text.replaceAll('my-strategy', name)))) {
      throw new UsageError(`${path} is there already: choose another name, or remove it first`);
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
      `made ${files.join(' and ')}\n\nnext:\n${steps.map((step) => `  ${step}\n`).join('')}`,
    );
  return EXIT.done;
}
