import { fileURLToPath } from 'node:url';

const FRAME = /\(?((?:file:\/\/)?\/[^()]+?|[A-Za-z]:\\[^()]+?):(\d+):\d+\)?$/;
/** `src/` or `dist/src/`: what lies there is ours. */
const OWN = fileURLToPath(new URL('../../', import.meta.url));

export interface CodePlace {
  readonly file: string;
  readonly line: number;
}

export const placeText = ({ file, line }: CodePlace): string => `${file}:${line}`;

/** The frames of a stack, innermost first, that are neither Node's, nor a library's, nor ours. */
export function strategyFrames(stack: string | undefined): readonly CodePlace[] {
  return framesOf(stack).filter(isStrategyCode);
}

/** The innermost frame that is not ours, when it is a strategy's: a library's own acts are its own. */
export function directPlace(stack: string | undefined): CodePlace | undefined {
  const caller = framesOf(stack).find(({ file }) => !isOurs(file));
  return caller !== undefined && isStrategyCode(caller) ? caller : undefined;
}

export const isStrategyCode = ({ file }: CodePlace): boolean =>
  !isOurs(file) && !file.includes('node_modules') && !file.startsWith('node:');

const isOurs = (file: string): boolean =>
  file.startsWith(OWN) && !/\.test\.[jt]s$/.test(file) && !file.includes('node_modules/.vite');

function framesOf(stack: string | undefined): readonly CodePlace[] {
  const frames: CodePlace[] = [];
  for (const line of (stack ?? '').split('\n').slice(1)) {
    const [, place = '', row] = FRAME.exec(line.trim()) ?? [];
    if (place === '') continue;
    frames.push({
      file: place.startsWith('file://') ? fileURLToPath(place) : place,
      line: Number(row),
    });
  }
  return frames;
}
