import { basename, relative } from 'node:path';
import type { z } from 'zod';
import { isStreamStrategy } from '../../../strategy/contract/definition.js';
import { readStrategies, type FolderEntry } from '../../../strategy/loader/loader.js';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import type { ListOptions } from './strategy-options.js';

export interface ListedParameter {
  readonly name: string;
  /** Absent: the parameter is required. */
  readonly default?: unknown;
}

export interface ListedStrategy {
  /** The name for `use:` and `--strategy`. */
  readonly use: string;
  readonly from: 'shipped' | 'project';
  readonly form?: 'hooks' | 'stream';
  readonly description?: string;
  readonly params?: readonly ListedParameter[];
  /** The reason why it cannot be loaded. */
  readonly problem?: string;
}

/** Runs `sluice strategy list`: lists the shipped strategies and those of the project. */
export async function listCommand({ directory, json }: ListOptions, io: Io): Promise<number> {
  const own = await readStrategies(directory);
  const shipped = await readStrategies('shipped');
  const shippedFiles = new Set(shipped.map(({ file }) => file));
  const strategies = [
    ...shipped.map((entry) => listed(entry, 'shipped')),
    ...own.filter(({ file }) => !shippedFiles.has(file)).map((entry) => listed(entry, 'project')),
  ];
  if (json) io.stdout(`${JSON.stringify({ strategies })}\n`);
  else io.stdout(strategies.map(textOf).join(''));
  return EXIT.done;
}

function listed(
  { file, definition, problem }: FolderEntry,
  from: ListedStrategy['from'],
): ListedStrategy {
  const name = basename(file).replace(/\.[^.]+$/, '');
  const use = from === 'shipped' ? name : `./${relative('', file)}`;
  if (definition === undefined) return { use, from, ...(problem !== undefined && { problem }) };
  return {
    use,
    from,
    form: isStreamStrategy(definition) ? 'stream' : 'hooks',
    ...(definition.description !== undefined && { description: definition.description }),
    params: parametersOf(definition.params),
  };
}

/** Names and defaults. A schema that is not a plain object lists none. */
function parametersOf(schema: z.ZodType): readonly ListedParameter[] {
  const shape: unknown = 'shape' in schema ? schema.shape : undefined;
  if (typeof shape !== 'object' || shape === null) return [];
  return Object.entries(shape as Readonly<Record<string, z.ZodType>>).map(([name, field]) => {
    const parsed = field.safeParse(undefined);
    return parsed.success && parsed.data !== undefined ? { name, default: parsed.data } : { name };
  });
}

function textOf({ use, from, form, description, params = [], problem }: ListedStrategy): string {
  const head = `${use}${from === 'project' ? ' (project)' : ''}${form === 'stream' ? ' (stream)' : ''}`;
  if (problem !== undefined) return `${head}\n  cannot be loaded: ${problem}\n`;
  const paramTexts = params.map((each) =>
    'default' in each ? `${each.name}=${JSON.stringify(each.default)}` : `${each.name} (required)`,
  );
  return [
    head,
    ...(description === undefined ? [] : [`  ${description}`]),
    `  ${paramTexts.length === 0 ? 'no parameters' : paramTexts.join('  ')}`,
    '',
  ].join('\n');
}
