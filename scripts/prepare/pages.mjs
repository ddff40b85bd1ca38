// Builds the pages (pages/) into dist/pages/, each as one HTML file. Skipped while no source of them has changed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pageKey } from './sources.mjs';

const STAMP = 'dist/pages/.sluice-stamp';
const BUILT = 'dist/pages/report/index.html';

/** @returns whether anything was built */
export async function buildPages(root) {
  const config = join(root, 'pages/report/vite.config.mjs');
  if (!existsSync(config)) return false;
  const key = pageKey(root);
  const stamp = join(root, STAMP);
  if (existsSync(join(root, BUILT)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key)
    return false;
  const { build } = await import('vite');
  await build((await import(pathToFileURL(config).href)).default);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, key);
  return true;
}
