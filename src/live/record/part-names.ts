import type { Files } from '../../core/ports.js';

/**
 * A session is one run that records its events, numbered from `000001` in its state folder. Its events are
 * stored in parts, oldest first. The last part is a growing framed log, `STEM.log` with its `.head`. A full
 * part is closed: `STEM.CLOSED.jsonl.gz`, one event per line, named by its closing time. A stem is the
 * session id, and from the second part on its number too.
 */
export const RECORD_DIRECTORY = 'record';

/** One file of a session's record, as its name states it. */
export interface RecordPart {
  /** Session id, at least six digits. */
  readonly session: string;
  /** From 1. */
  readonly number: number;
  /** `000001`, `000001-0002`. */
  readonly stem: string;
  /** Closing time, ms UTC; undefined: the part is a log. */
  readonly closedAt?: number;
  /** File name without the folder. */
  readonly file: string;
}

export const stemOf = (session: string, number: number): string =>
  number === 1 ? session : `${session}-${String(number).padStart(4, '0')}`;

/** @param closedAt ms UTC */
export const compressedName = (stem: string, closedAt: number): string =>
  `${stem}.${new Date(closedAt).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.jsonl.gz`;

const NAME =
  /^(?<session>\d{6,})(?:-(?<number>\d{4,}))?\.(?:log|(?<closed>\d{8}T\d{6}Z)\.jsonl\.gz)$/;

/** undefined for a file that is no part. */
export function parsePartName(file: string): RecordPart | undefined {
  const found = NAME.exec(file)?.groups;
  if (found === undefined) return undefined;
  const { session = '', closed } = found;
  const number = Number(found['number'] ?? 1);
  const part = { session, number, stem: stemOf(session, number), file };
  return closed === undefined ? part : { ...part, closedAt: instantOf(closed) };
}

/** Parses `20261122T163200Z`. @returns ms UTC */
const instantOf = (text: string): number =>
  Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** Parts of a state folder's whole record. A closed part whose log still exists is listed once. */
export async function listParts(
  directory: string,
  files: Pick<Files, 'list'>,
): Promise<readonly RecordPart[]> {
  const names = await files.list(`${directory}/${RECORD_DIRECTORY}`);
  const parts = new Map<string, RecordPart>();
  for (const part of names.flatMap((name) => parsePartName(name) ?? [])) {
    // The closed file was complete before the removal of the log began.
    if (part.closedAt !== undefined || !parts.has(part.stem)) parts.set(part.stem, part);
  }
  return [...parts.values()].sort(
    (a, b) => Number(a.session) - Number(b.session) || a.number - b.number,
  );
}

/** Names of a folder's recorded sessions, oldest first, of those whose first part exists. */
export async function sessionNames(
  directory: string,
  files: Pick<Files, 'list'>,
): Promise<readonly string[]> {
  const parts = await listParts(directory, files);
  return parts.filter(({ number }) => number === 1).map(({ session }) => session);
}
