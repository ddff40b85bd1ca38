import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CODE = /\.(?:[cm]?[jt]s|json|ya?ml)$/;
const TESTS = /\.(?:test|spec)\.[cm]?[jt]s$/;
const DEEPEST = 3;
const MOST_FILES = 2_000;

/** When what was last written: a text that differs when a file was changed, added or removed. */
export async function fileStamps(roots: readonly string[]): Promise<string> {
  const stamps: string[] = [];
  for (const root of roots) await addStamps(root, 0, stamps);
  return stamps.join('\n');
}

/** The strategy's own folder: what it imports lies there too. */
export const folderOf = (file: string): string => dirname(file);

async function addStamps(path: string, depth: number, stamps: string[]): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || stamps.length >= MOST_FILES) return;
  if (found.isFile()) stamps.push(`${path} ${found.mtimeMs} ${found.size} ${found.ino}`);
  if (!found.isDirectory() || depth > DEEPEST) return;
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const { name } = entry;
    if (name === 'node_modules' || name.startsWith('.')) continue;
    if (entry.isDirectory() || (CODE.test(name) && !TESTS.test(name)))
      await addStamps(join(path, name), depth + 1, stamps);
  }
}
