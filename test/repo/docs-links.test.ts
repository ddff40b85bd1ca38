import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const PAGES = [
  ...filesBelow('docs', '.md'),
  ...filesBelow('strategies', '.md'),
  'README.md',
  'CONTRIBUTING.md',
];
const SOURCES = filesBelow('src', '.ts');

/** Relative links of a page, without their anchors. */
const linksOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/\]\(([^):#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) =>
    join(dirname(page), link),
  );

describe('the documentation', () => {
  it('has no broken link', () => {
    const broken = PAGES.flatMap((page) =>
      linksOf(page)
        .filter((link) => !existsSync(join(ROOT, link)))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('names only files that exist', () => {
    const names = new Set(
      [...SOURCES, ...filesBelow('test', '.ts')].map((file) => file.replace(/^.*\//, '')),
    );
    const missing = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|bench|scripts)\/[\w./-]+|[a-z-]+\.ts)`/g)]
        .map(([, path = '']) => path)
        .filter((path) => !(path.includes('/') ? existsSync(join(ROOT, path)) : names.has(path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('indexes every decision', () => {
    const index = read('docs/decisions/README.md');
    const files = filesBelow('docs/decisions', '.md').map((file) => file.replace(/^.*\//, ''));
    const missing = files.filter((file) => file !== 'README.md' && !index.includes(`(${file})`));
    expect(missing).toEqual([]);
  });
});

describe('docs/hazards.md', () => {
  const page = read('docs/hazards.md');

  it('has a row for every hazard that a source names', () => {
    const named = SOURCES.flatMap((file) =>
      [
        ...read(file).matchAll(/\bhazards? ([A-N]\d{1,2}(?:(?:, | and | to )[A-N]\d{1,2})*)/g),
      ].flatMap(([, codes = '']) => codes.split(/, | and | to /)),
    );
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((code) => !page.includes(`| ${code} `))).toEqual([]);
  });

  it('names tests that exist', () => {
    const tests = [...page.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.ts)`/g)].map(([, file = '']) => file);
    const missing = tests.filter(
      (file) => !existsSync(join(ROOT, file)) && !existsSync(join(ROOT, 'src', file)),
    );
    expect(missing).toEqual([]);
  });
});
