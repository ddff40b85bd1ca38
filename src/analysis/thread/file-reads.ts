import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

type Call = (...args: readonly unknown[]) => unknown;

/** Functions whose first argument is a path to read. */
const READERS = ['readFileSync', 'openSync', 'readFile', 'open', 'createReadStream'] as const;
const PROMISED = ['readFile', 'open'] as const;
const PROGRAMS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync'] as const;
/** Enough to find the code that called through a library. */
const FRAMES = 60;

/** A call that reads files. */
export interface ReadCall {
  /** The absolute path of a file; of a program, the words of its command line. */
  readonly words: readonly string[];
  readonly isProgram: boolean;
  /** Its stack has the caller. */
  readonly stack: Error;
}

/**
 * Reports each call of Node's functions that opens a file or starts a program, in this thread, from now on.
 * Modules that are imported later see the same functions. Files are read as before.
 */
export function watchFileReads(onCall: (call: ReadCall) => void): void {
  const wrapped = (holder: object, name: string, isProgram: boolean): void => {
    const target = holder as Record<string, Call>;
    const original = target[name] as Call;
    target[name] = (...args) => {
      const words = isProgram ? args.flat(2).filter((arg) => typeof arg === 'string') : [args[0]];
      const paths = words.flatMap((word) => textOf(word, isProgram));
      if (paths.length > 0) onCall({ words: paths, isProgram, stack: stackHere() });
      return original(...args);
    };
  };
  for (const name of READERS) wrapped(fs, name, false);
  for (const name of PROMISED) wrapped(fs.promises, name, false);
  for (const name of PROGRAMS) wrapped(childProcess, name, true);
  syncBuiltinESMExports();
}

/** The file of any path, such as one through a symbolic link; undefined: there is none. */
export function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A descriptor is no path: its `open` was seen. */
function textOf(value: unknown, isProgram: boolean): readonly string[] {
  if (typeof value === 'string') return isProgram ? value.split(/\s+/) : [resolve(value)];
  if (value instanceof URL && value.protocol === 'file:') return [fileURLToPath(value)];
  return Buffer.isBuffer(value) ? [resolve(value.toString())] : [];
}

function stackHere(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const stack = new Error('a read');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
