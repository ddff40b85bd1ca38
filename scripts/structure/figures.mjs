// Sizes of files and functions, and exported names that mean two things.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, moduleOf } from './imports.mjs';
import { walkFigures } from './walks.mjs';

export function figuresOf(files) {
  const sources = files.map((path) => parsed(path));
  const lines = sources.map(({ lineCount }) => lineCount);
  const functions = sources.flatMap(({ functionLengths }) => functionLengths);
  return {
    modules: modulesOf(sources),
    files: files.length,
    lines: sum(lines),
    file_median: quantile(lines, 0.5),
    file_p90: quantile(lines, 0.9),
    file_max: Math.max(...lines),
    function_median: quantile(functions, 0.5),
    function_p90: quantile(functions, 0.9),
    function_max: Math.max(...functions),
    folder_max: largestFolder(files),
    names_with_two_meanings: ambiguousNames(sources),
    walk_files: walkFigures(),
  };
}

function parsed(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const functionLengths = [];
  const exported = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const line = (position) => source.getLineAndCharacterOfPosition(position).line;
      functionLengths.push(line(node.end) - line(node.getStart(source)) + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const statement of source.statements) exported.push(...exportedNames(statement));
  return {
    path,
    lineCount: text.split('\n').length - 1,
    functionLengths,
    exported: [...new Set(exported)],
  };
}

function exportedNames(statement) {
  const isExported = ts.canHaveModifiers(statement)
    ? ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    : false;
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  return statement.name === undefined ? [] : [statement.name.text];
}

/** Names that two files declare: re-exports are not counted. */
function ambiguousNames(sources) {
  const places = new Map();
  for (const { path, exported } of sources)
    for (const name of exported) places.set(name, [...(places.get(name) ?? []), path]);
  return Object.fromEntries([...places].filter(([, paths]) => paths.length > 1).sort());
}

function modulesOf(sources) {
  const total = sum(sources.map(({ lineCount }) => lineCount));
  return [...grouped(sources)]
    .map(([name, own]) => {
      const lines = sum(own.map(({ lineCount }) => lineCount));
      return { name, files: own.length, lines, percent: (100 * lines) / total };
    })
    .sort((a, b) => b.lines - a.lines);
}

function grouped(sources) {
  const groups = new Map();
  for (const source of sources) {
    const name = topOf(source.path);
    groups.set(name, [...(groups.get(name) ?? []), source]);
  }
  return groups;
}

const topOf = (path) =>
  moduleOf(path)
    .replace(/^venue\/.*/, 'venue')
    .replace(/^io\/.*/, 'io');

function largestFolder(files) {
  const counts = new Map();
  for (const path of files) {
    const folder = path.replace(/\/[^/]+$/, '');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [folder, count] = [...counts].sort((a, b) => b[1] - a[1])[0];
  return { folder, files: count };
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
