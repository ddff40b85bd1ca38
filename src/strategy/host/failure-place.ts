import { fileURLToPath } from 'node:url';

const FRAME = /\(?((?:file:\/\/)?\/[^()]+?|[A-Za-z]:\\[^()]+?):(\d+):(\d+)\)?$/;
/** `src/`, or where it was built to. */
const OWN = fileURLToPath(new URL('../../', import.meta.url));

/**
 * `file:line` of the innermost stack frame in a strategy's own code; undefined when the stack tells
 * none. Our own frames and those of libraries are passed over.
 */
export function failurePlace(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  for (const line of error.stack.split('\n').slice(1)) {
    // Node's own modules: the path that follows is none.
    if (line.includes('node:')) continue;
    const [, place = '', row] = FRAME.exec(line.trim()) ?? [];
    const file = place.startsWith('file://') ? fileURLToPath(place) : place;
    const foreign = file.includes('node_modules') || isOwn(file);
    if (file !== '' && !foreign) return `${file}:${row}`;
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
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const place = failurePlace(error);
  return place === undefined ? text : `${text} at ${place}`;
}

/** Tests write strategies in themselves. */
const isOwn = (file: string): boolean => file.startsWith(OWN) && !/\.test\.[jt]s$/.test(file);
