import type { z } from 'zod';
import type { Files } from '../core/ports.js';
import { schemaProblems } from './config-problems.js';
import { ConfigError } from '../core/command-errors.js';
import { readInputFile } from './input-file.js';
import { throwProblems, readYaml } from './yaml-source.js';

/**
 * Reads a YAML or JSON file that holds one block, and validates it by its schema.
 * @param numbers whether the schema gets numbers as the text of the file, or as numbers
 * @throws ConfigError with every problem at its position
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
  throwProblems(path, schemaProblems(parsed.error.issues, { schema, at: [], source }));
  throw new ConfigError([`${path}: the file is not valid: ${parsed.error.message}`]);
}
