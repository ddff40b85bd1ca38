import { fileURLToPath } from 'node:url';

const FRAME = /\(?((?:file:\/\/)?\/[^()]+?|[A-Za-z]:\\[^()]+?):(\d+):(\d+)\)?$/;
/** `src/`, or where it was built to. */
const OWN = fileURLToPath(new URL('../../', import.meta.url));

/** A line of a strategy's own code. */
export interface CodePlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** `file:line` of `codePlace`. */
export function failurePlace(error: unknown): string | undefined {
  const place = codePlace(error);
  return place === undefined ? undefined : `${place.file}:${place.line}`;
}

/**
 * The innermost stack frame in a strategy's own code; undefined when the stack tells none. Our own
 * frames and those of libraries are passed over.
 */
export function codePlace(error: unknown): CodePlace | undefined {
  if (error instanceof FarError) return farPlace(error.message);
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  for (const line of error.stack.split('\n').slice(1)) {
    // Node's own modules: the path that follows is none.
    if (line.includes('node:')) continue;
    const [, place = '', row] = FRAME.exec(line.trim()) ?? [];
    const file = place.startsWith('file://') ? fileURLToPath(place) : place;
    const foreign = file.includes('node_modules') || isOwn(file);
    if (file !== '' && !foreign) return { file, line: Number(row) };
  }
  return undefined;
}

/** What was thrown where the strategy's code is: told there, because the stack is there. */
export class FarError extends Error {
  override readonly name = 'FarError';
}

/** What was thrown, with its place where that is known. */
export function failureText(error: unknown): string {
  if (error instanceof FarError) return error.message;
  const place = failurePlace(error);
  return place === undefined ? failureWords(error) : `${failureWords(error)} at ${place}`;
}

/** The words of a thrown error, without its place. */
export function failureWords(error: unknown): string {
  if (error instanceof FarError) return error.message.replace(FAR_PLACE, '');
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** As `failureText` ends. */
const FAR_PLACE = / at (\/[^\n]+|[A-Za-z]:\\[^\n]+):(\d+)$/;

function farPlace(text: string): CodePlace | undefined {
  const [, file, row] = FAR_PLACE.exec(text) ?? [];
  return file === undefined ? undefined : { file, line: Number(row) };
}

/** Of a text that begins with `file:line: `. */
export function leadingPlace(text: string): CodePlace | undefined {
  const [, file, row] = /^(\/[^\n]+?|[A-Za-z]:\\[^\n]+?):(\d+): /.exec(text) ?? [];
  return file === undefined ? undefined : { file, line: Number(row) };
}

/** Tests write strategies in themselves. */
const isOwn = (file: string): boolean => file.startsWith(OWN) && !/\.test\.[jt]s$/.test(file);
