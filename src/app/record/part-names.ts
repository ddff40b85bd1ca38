import type { Files } from '../../core/ports.js';

/**
 * A session's events lie in parts, oldest first. The last one is a framed log that grows, `STEM.log`
 * with its `.head`. One that is full is closed: `STEM.CLOSED.jsonl.gz`, an event a line, with the time
 * at which it was closed. A stem is the session, and from the second part on its number too.
 */
export const RECORD_DIRECTORY = 'record';

export interface Part {
  readonly session: string;
  /** From 1. */
  readonly number: number;
  /** `000001`, `000001-0002`. */
  readonly stem: string;
  /** ms UTC at which it was closed; undefined: it is a log. */
  readonly closedAt?: number;
  /** Of the file that holds it, without the folder. */
  readonly file: string;
}

export const stemOf = (session: string, number: number): string =>
  number === 1 ? session : `${session}-${String(number).padStart(4, '0')}`;

/** @param closedAt ms UTC */
export const closedName = (stem: string, closedAt: number): string =>
  `${stem}.${new Date(closedAt).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.jsonl.gz`;

const NAME =
  /^(?<session>\d{6,})(?:-(?<number>\d{4,}))?\.(?:log|(?<closed>\d{8}T\d{6}Z)\.jsonl\.gz)$/;

/** undefined where the file is none. */
export function partOf(file: string): Part | undefined {
  const found = NAME.exec(file)?.groups;
  if (found === undefined) return undefined;
  const { session = '', closed } = found;
  const number = Number(found['number'] ?? 1);
  const part = { session, number, stem: stemOf(session, number), file };
  return closed === undefined ? part : { ...part, closedAt: instantOf(closed) };
}

/** `20261122T163200Z` */
const instantOf = (text: string): number =>
  Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** Of a state folder's whole record. A part that was closed, and whose log is still there, is told once. */
export async function partsOf(directory: string, files: Files): Promise<readonly Part[]> {
  const names = await files.list(`${directory}/${RECORD_DIRECTORY}`);
  const parts = new Map<string, Part>();
  for (const part of names.flatMap((name) => partOf(name) ?? [])) {
    // The closed one was whole before the log began to go.
    if (part.closedAt !== undefined || !parts.has(part.stem)) parts.set(part.stem, part);
  }
  return [...parts.values()].sort(
    (a, b) => Number(a.session) - Number(b.session) || a.number - b.number,
  );
}

/** Names of a folder's recorded sessions, oldest first: those that are there from their beginning. */
export async function sessionNames(directory: string, files: Files): Promise<readonly string[]> {
  const parts = await partsOf(directory, files);
  return parts.filter(({ number }) => number === 1).map(({ session }) => session);
}
