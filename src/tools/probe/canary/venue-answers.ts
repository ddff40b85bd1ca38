import { z } from 'zod';
import type { Files } from '../../../core/ports.js';
import { SafetyRefusal } from '../../../core/command-errors.js';

/** Answers of a venue that do not change from hour to hour. */
export interface VenueAnswers {
  /** Address of the venue. */
  readonly venue: string;
  /** ms UTC of the first read. */
  readonly since: number;
  /** Name → text: rules and fee rates of instruments, HTTP status of each path, answers to questions. */
  readonly values: Readonly<Record<string, string>>;
  /** Path of a field → JSON types seen; `absent`: missing where its object was there. */
  readonly shapes: Readonly<Record<string, readonly string[]>>;
}

/** A difference between two reads, for people. */
export interface AnswerChange {
  readonly what: string;
  readonly was: string;
  readonly is: string;
}

/** Objects of a fixed form: a new or missing field of theirs is a change. Rows of other lists vary. */
const FIXED_FORM = /^(?:asset|assets|leverage|futures funds|spot funds): /;

const schema = z.strictObject({
  v: z.literal(1),
  venue: z.string(),
  since: z.int(),
  values: z.record(z.string(), z.string()),
  shapes: z.record(z.string(), z.array(z.string())),
});

/** The answers that differ, and only where both reads have one. */
export const changedAnswers = (
  before: VenueAnswers,
  now: VenueAnswers,
): readonly AnswerChange[] => [
  ...Object.entries(now.values).flatMap(([what, is]) => {
    const was = before.values[what];
    return was === undefined || was === is ? [] : [{ what, was, is }];
  }),
  ...Object.entries(now.shapes).flatMap(([path, types]) => changedShape(before, path, types)),
  ...missingFields(before, now),
];

function changedShape(
  { shapes }: VenueAnswers,
  path: string,
  types: readonly string[],
): readonly AnswerChange[] {
  const before = shapes[path];
  const what = `field ${path}`;
  if (before === undefined) {
    const isNew = FIXED_FORM.test(path) && shapes[parentOf(path)]?.includes('object') === true;
    return isNew ? [{ what, was: 'absent', is: types.join(' or ') }] : [];
  }
  const known = before.filter((type) => type !== 'null');
  const added = types.filter((type) => type !== 'null' && !before.includes(type));
  // A field that was always null has no type yet.
  if (known.length === 0 || added.length === 0) return [];
  return [{ what, was: known.join(' or '), is: added.join(' or ') }];
}

function missingFields(before: VenueAnswers, now: VenueAnswers): readonly AnswerChange[] {
  return absentPaths(before, now).map((path) => ({
    what: `field ${path}`,
    was: before.shapes[path]?.join(' or ') ?? '',
    is: 'absent',
  }));
}

const absentPaths = (before: VenueAnswers, now: VenueAnswers): readonly string[] =>
  Object.entries(before.shapes).flatMap(([path, types]) => {
    const isMissing =
      now.shapes[path] === undefined && now.shapes[parentOf(path)]?.includes('object') === true;
    return isMissing && FIXED_FORM.test(path) && !types.includes('absent') ? [path] : [];
  });

/** `asset: data.price` → `asset: data`. */
const parentOf = (path: string): string => path.replace(/\.[^.]*$/, '');

/** The answers after a read: the newest values, and every type ever seen. */
export function mergedAnswers(before: VenueAnswers, now: VenueAnswers): VenueAnswers {
  const shapes: Record<string, readonly string[]> = { ...before.shapes };
  for (const [path, types] of Object.entries(now.shapes))
    shapes[path] = [...new Set([...(shapes[path] ?? []), ...types])].sort();
  for (const path of absentPaths(before, now))
    shapes[path] = [...new Set([...(shapes[path] ?? []), 'absent'])].sort();
  return { ...before, values: { ...before.values, ...now.values }, shapes };
}

export const changeText = ({ what, was, is }: AnswerChange): string =>
  `${what}: was ${was}, is ${is}`;

/** undefined: there is no file. @throws SafetyRefusal for a file that holds no answers */
export async function readAnswers(
  files: Pick<Files, 'read'>,
  path: string,
): Promise<VenueAnswers | undefined> {
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  const parsed = schema.safeParse(jsonOf(bytes));
  if (!parsed.success)
    throw new SafetyRefusal(
      `${path} holds no answers of a venue: remove it, and the next read begins anew`,
    );
  const { v: _version, ...answers } = parsed.data;
  return answers;
}

export const writeAnswers = (
  files: Pick<Files, 'replace'>,
  path: string,
  answers: VenueAnswers,
): Promise<void> =>
  files.replace(
    path,
    new TextEncoder().encode(`${JSON.stringify({ v: 1, ...answers }, undefined, 1)}\n`),
  );

/** undefined for a text that is not JSON, which no schema accepts. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
