import { fileURLToPath } from 'node:url';

const FRAME = /\(?((?:file:\/\/)?\/[^()]+?|[A-Za-z]:\\[^()]+?):(\d+):\d+\)?$/;
/** `src/` or `dist/src/`: the code of Sluice. */
const OWN = fileURLToPath(new URL('../../', import.meta.url));

export interface StackLocation {
  readonly file: string;
  readonly line: number;
}

export const stackLocationText = ({ file, line }: StackLocation): string => `${file}:${line}`;

/** Frames of a stack, innermost first, without those of Node, libraries and Sluice. */
export function strategyFrames(stack: string | undefined): readonly StackLocation[] {
  return framesOf(stack).filter(isStrategyCode);
}

/** The innermost frame outside of Sluice, if a strategy's: a library is responsible for its own calls. */
export function directLocation(stack: string | undefined): StackLocation | undefined {
  const caller = framesOf(stack).find(({ file }) => !isSluiceCode(file));
  return caller !== undefined && isStrategyCode(caller) ? caller : undefined;
}

export const isStrategyCode = ({ file }: StackLocation): boolean =>
  !isSluiceCode(file) && !file.includes('node_modules') && !file.startsWith('node:');

const isSluiceCode = (file: string): boolean =>
  file.startsWith(OWN) && !/\.test\.[jt]s$/.test(file) && !file.includes('node_modules/.vite');

function framesOf(stack: string | undefined): readonly StackLocation[] {
  const frames: StackLocation[] = [];
  for (const line of (stack ?? '').split('\n').slice(1)) {
    const [, location = '', lineNumber] = FRAME.exec(line.trim()) ?? [];
    if (location === '') continue;
    frames.push({
      file: location.startsWith('file://') ? fileURLToPath(location) : location,
      line: Number(lineNumber),
    });
  }
  return frames;
}
