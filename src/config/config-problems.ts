import type { z } from 'zod';
import { kindOf } from './config-fields.js';
import { knownKeys } from './known-keys.js';
import { didYouMean } from '../core/suggestion.js';
import type { YamlPath, YamlProblem, YamlSource } from './yaml-source.js';

type Issue = z.core.$ZodIssue;

/** A problem such as `strategies[0].size: is missing`, at the position of the value. */
export const problemAt = (source: YamlSource, path: YamlPath, what: string): YamlProblem => ({
  ...source.positionOf(path),
  text: withPath(path, what),
});

/** The part of a file at `at`, and the schema that validated it. */
interface ValidatedBlock {
  readonly schema: z.ZodType;
  readonly at: YamlPath;
  readonly source: YamlSource;
}

/** The issues of the schema, each at its position in the file. */
export const schemaProblems = (
  issues: readonly Issue[],
  validated: ValidatedBlock,
): readonly YamlProblem[] => issues.flatMap((issue) => problemsOf(issue, validated.at, validated));

function problemsOf(
  issue: Issue,
  parent: YamlPath,
  validated: ValidatedBlock,
): readonly YamlProblem[] {
  const path = [...parent, ...issue.path.filter((step) => typeof step !== 'symbol')];
  const { schema, at, source } = validated;
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path.slice(at.length));
    return issue.keys.map((key) => ({
      ...source.positionOf([...path, key], 'key'),
      text: withPath(path, `unknown key "${key}"${didYouMean(key, known)}`),
    }));
  }
  const closest = issue.code === 'invalid_union' ? issue.errors.find(fitsAtRoot) : undefined;
  if (closest !== undefined) return closest.flatMap((inner) => problemsOf(inner, path, validated));
  return [problemAt(source, path, messageOf(issue, valueAt(source.tree, path)))];
}

/** Schemas of other modules use zod's default messages; these are replaced. */
function messageOf(issue: Issue, value: unknown): string {
  const { code, message } = issue;
  if (value === undefined && code !== 'custom') {
    return message.startsWith('is missing') ? message : 'is missing';
  }
  if (!message.startsWith('Invalid input')) return message;
  const expected = code === 'invalid_type' ? `expected ${typeName(issue.expected)}, not ` : '';
  return expected === '' ? `${kindOf(value)} is not allowed here` : `${expected}${kindOf(value)}`;
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

/** The branch of a union that fits at its root and fails deeper is the intended one. */
const fitsAtRoot = (branch: readonly Issue[]): boolean =>
  branch.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');

const withPath = (path: YamlPath, what: string): string =>
  path.length === 0 ? what : `${pathText(path)}: ${what}`;

function pathText(path: YamlPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`,
    )
    .join('');
}
