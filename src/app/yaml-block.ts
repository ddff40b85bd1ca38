import type { z } from 'zod';
import type { Files } from '../core/ports.js';
import { schemaProblems } from './config-problems.js';
import { ConfigError } from './failure.js';
import { readInputFile } from './input-file.js';
import { failOn, readYaml } from './yaml-source.js';

/**
 * A YAML or JSON file with one block in it, judged by its schema. Its numbers come as the text that
 * stands in the file, or as YAML reads them.
 * @throws ConfigError with every problem at its place
 */
export async function readBlock<T>(
  path: string,
  schema: z.ZodType<T>,
  files: Files,
  numbers: 'text' | 'native',
): Promise<T> {
  const source = readYaml(path, await readInputFile(path, files));
  const parsed = schema.safeParse(numbers === 'text' ? source.tree : source.native([]));
  if (parsed.success) return parsed.data;
  failOn(path, schemaProblems(parsed.error.issues, { schema, at: [], source }));
  throw new ConfigError([`${path}: the file does not read: ${parsed.error.message}`]);
}
