// The files that the walks of docs/architecture.md pass.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './imports.mjs';

/** @returns for each walk the number of different files in the table below its heading */
export function walkFigures() {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const sections = text.split(/^## /m).filter((section) => section.startsWith('Walk: '));
  return Object.fromEntries(
    sections.map((section) => {
      const title = section.slice('Walk: '.length, section.indexOf('\n'));
      const [table] = section.split(/^### /m);
      const rows = table.split('\n').filter((line) => line.startsWith('|'));
      const names = rows.flatMap((row) => row.split('|')[2].match(/[\w./-]+\.ts/g) ?? []);
      return [title, new Set(names.map((name) => name.split('/').at(-1))).size];
    }),
  );
}
