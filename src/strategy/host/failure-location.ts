import { fileURLToPath } from 'node:url';

const FRAME = /\(?((?:file:\/\/)?\/[^()]+?|[A-Za-z]:\\[^()]+?):(\d+):(\d+)\)?$/;
/** `src/`, or its build output. */
const FRAMEWORK_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A line of a strategy's own code. */
export interface SourceLocation {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** `sourceLocationOf` as `file:line`. */
export function failureLocation(error: unknown): string | undefined {
  const place = sourceLocationOf(error);
  return place === undefined ? undefined : `${place.file}:${place.line}`;
}

/**
 * The innermost stack frame in a strategy's own code; undefined when the stack has none. Frames of Sluice
 * and of libraries are skipped.
 */
export function sourceLocationOf(error: unknown): SourceLocation | undefined {
  if (error instanceof RemoteError) return remoteLocation(error.message);
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  for (const line of error.stack.split('\n').slice(1)) {
    // Frames of Node's own modules have no path.
    if (line.includes('node:')) continue;
    const [, place = '', row] = FRAME.exec(line.trim()) ?? [];
    const file = place.startsWith('file://') ? fileURLToPath(place) : place;
    const isExternal = file.includes('node_modules') || isFrameworkFile(file);
    if (file !== '' && !isExternal) return { file, line: Number(row) };
  }
  return undefined;
}

/** An error thrown on a worker; its text has the location, because only the worker has the stack. */
export class RemoteError extends Error {
  override readonly name = 'FarError';
}

/** Text of a thrown error, with its location where that is known. */
export function failureText(error: unknown): string {
  if (error instanceof RemoteError) return error.message;
  const place = failureLocation(error);
  return place === undefined ? failureMessage(error) : `${failureMessage(error)} at ${place}`;
}

/** Text of a thrown error, without its location. */
export function failureMessage(error: unknown): string {
  if (error instanceof RemoteError) return error.message.replace(REMOTE_LOCATION, '');
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** The end of a `failureText`. */
const REMOTE_LOCATION = / at (\/[^\n]+|[A-Za-z]:\\[^\n]+):(\d+)$/;

function remoteLocation(text: string): SourceLocation | undefined {
  const [, file, row] = REMOTE_LOCATION.exec(text) ?? [];
  return file === undefined ? undefined : { file, line: Number(row) };
}

/** The start of a text such as `file:line: …`. */
export function leadingLocation(text: string): SourceLocation | undefined {
  const [, file, row] = /^(\/[^\n]+?|[A-Za-z]:\\[^\n]+?):(\d+): /.exec(text) ?? [];
  return file === undefined ? undefined : { file, line: Number(row) };
}

/** Test files count as strategy code: they define strategies inline. */
const isFrameworkFile = (file: string): boolean =>
  file.startsWith(FRAMEWORK_ROOT) && !/\.test\.[jt]s$/.test(file);
