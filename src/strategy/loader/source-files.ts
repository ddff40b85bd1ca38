import { hash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { fileAt, readSource } from './loader-files.js';

/** One file of a strategy's own code. */
export interface StrategySource {
  /** Absolute. */
  readonly file: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
}

/** A relative specifier of import, export, dynamic import or require. */
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/**
 * The file of a strategy and the files that it imports by relative paths, in the order of the imports. Packages
 * are not followed. An import that leads nowhere is left out: the loader reports it.
 */
export async function strategySources(entry: string): Promise<readonly StrategySource[]> {
  const found = new Map<string, StrategySource>();
  const waiting = [entry];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (found.has(file)) continue;
    const text = await readSource(file);
    found.set(file, { file, sha256: hash('sha256', text, 'hex') });
    for (const [, path = ''] of text.matchAll(RELATIVE_IMPORT)) {
      const target = await importedFile(resolve(dirname(file), path));
      if (target !== undefined) waiting.push(target);
    }
  }
  return [...found.values()];
}

/** TypeScript is imported by the name of its output: `./x.js` may be `./x.ts`. */
async function importedFile(path: string): Promise<string | undefined> {
  const source = path.replace(/\.([cm]?)js$/, '.$1ts');
  return (await fileAt(path, [])) ?? (await fileAt(source, []));
}
