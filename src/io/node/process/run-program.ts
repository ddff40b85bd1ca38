import { execFile } from 'node:child_process';

const MAX_OUTPUT_BYTES = 65_536;
/** Only these variables of the environment reach the program: others may hold secrets. */
const PASSED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'] as const;

/** A program to run. */
export interface ProgramToRun {
  readonly file: string;
  readonly args: readonly string[];
  /** Standard input. */
  readonly input: string;
  /** Real ms after which it is killed. */
  readonly timeoutMs: number;
}

/** Runs a program without a shell. @throws Error when it cannot start, is killed or exits with another code than 0 */
export function runProgram({ file, args, input, timeoutMs }: ProgramToRun): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
      shell: false,
      env: passedEnvironment(),
    } as const;
    const child = execFile(file, [...args], options, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(failureText(error, timeoutMs, stderr), { cause: error }));
    });
    // A program that does not read its input ends the pipe early; its exit code decides.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

const passedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function failureText(
  error: Error & { readonly code?: unknown; readonly killed?: boolean },
  timeoutMs: number,
  stderr: string,
): string {
  if (error.killed === true) return `killed after ${timeoutMs} ms`;
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.code === 'EACCES') return 'it is not executable: chmod +x';
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return `exit code ${String(error.code)}${last === '' ? '' : `: ${last.slice(0, 200)}`}`;
}
