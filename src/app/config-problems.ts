import type { z } from 'zod';
import { kindOf } from './config-fields.js';
import { knownKeys } from './known-keys.js';
import { didYouMean } from './suggestion.js';
import type { YamlPath, YamlProblem, YamlSource } from './yaml-source.js';

type Issue = z.core.$ZodIssue;

/** `strategies[0].size: what`, at the place of the value. */
export const problemAt = (source: YamlSource, path: YamlPath, what: string): YamlProblem => ({
  ...source.place(path),
  text: under(path, what),
});

/** A schema that judged the part of a file at `at`. */
interface Judged {
  readonly schema: z.ZodType;
  readonly at: YamlPath;
  readonly source: YamlSource;
}

/** The schema's issues, each at its place in the file. */
export const schemaProblems = (issues: readonly Issue[], judged: Judged): readonly YamlProblem[] =>
  issues.flatMap((issue) => problemsOf(issue, judged.at, judged));

function problemsOf(issue: Issue, parent: YamlPath, judged: Judged): readonly YamlProblem[] {
  const path = [...parent, ...issue.path.filter((step) => typeof step !== 'symbol')];
  const { schema, at, source } = judged;
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path.slice(at.length));
    return issue.keys.map((key) => ({
      ...source.place([...path, key], 'key'),
      text: under(path, `unknown key "${key}"${didYouMean(key, known)}`),
    }));
  }
  const meant = issue.code === 'invalid_union' ? issue.errors.find(fitsAtRoot) : undefined;
  if (meant !== undefined) return meant.flatMap((inner) => problemsOf(inner, path, judged));
  return [problemAt(source, path, messageOf(issue, valueAt(source.tree, path)))];
}

/** Schemas of other rooms speak in zod's own words: they need the house's. */
function messageOf(issue: Issue, value: unknown): string {
  const { code, message } = issue;
  if (value === undefined && code !== 'custom') {
    return message.startsWith('is missing') ? message : 'is missing';
  }
  if (!message.startsWith('Invalid input')) return message;
  const expected = code === 'invalid_type' ? `expected ${typeName(issue.expected)}, not ` : '';
  return expected === '' ? `${kindOf(value)} cannot stand here` : `${expected}${kindOf(value)}`;
}

const typeName = (zodName: string): string =>
  zodName === 'object' || zodName === 'record' ? 'a map' : `a ${zodName}`;

function valueAt(tree: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    tree,
  );
}

/** The branch of a union that fits at its root and fails deeper is the one that was meant. */
const fitsAtRoot = (branch: readonly Issue[]): boolean =>
  branch.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');

const under = (path: YamlPath, what: string): string =>
  path.length === 0 ? what : `${pathText(path)}: ${what}`;

function pathText(path: YamlPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`,
    )
    .join('');
}
