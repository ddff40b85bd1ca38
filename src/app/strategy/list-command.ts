import { basename, relative } from 'node:path';
import type { z } from 'zod';
import { isStreamForm } from '../../strategy/definition.js';
import { readStrategies, type FolderEntry } from '../../strategy/loader/loader.js';
import type { Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';

export interface ListOptions {
  /** Where the project's own strategies are. */
  readonly directory: string;
  readonly json: boolean;
  readonly debug: boolean;
}

export interface ListedParameter {
  readonly name: string;
  /** Absent: it must be given. */
  readonly default?: unknown;
}

export interface ListedStrategy {
  /** What `use:` and `--strategy` take. */
  readonly use: string;
  readonly from: 'shipped' | 'project';
  readonly form?: 'hooks' | 'stream';
  readonly description?: string;
  readonly params?: readonly ListedParameter[];
  /** Why it cannot be loaded. */
  readonly problem?: string;
}

/** `sluice strategy list`: those that come with Sluice, and those of the project. */
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
    form: isStreamForm(definition) ? 'stream' : 'hooks',
    ...(definition.description !== undefined && { description: definition.description }),
    params: parametersOf(definition.params),
  };
}

/** Names and defaults, as far as the schema is a plain object. */
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
  const shown = params.map((each) =>
    'default' in each ? `${each.name}=${JSON.stringify(each.default)}` : `${each.name} (required)`,
  );
  return [
    head,
    ...(description === undefined ? [] : [`  ${description}`]),
    `  ${shown.length === 0 ? 'no parameters' : shown.join('  ')}`,
    '',
  ].join('\n');
}
