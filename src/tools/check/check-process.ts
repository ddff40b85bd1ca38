import { spawn, type ChildProcess } from 'node:child_process';
import { CHECK_FD, type CheckJob, type CheckMessage } from './check-protocol.js';
import type { Finding } from './finding.js';
import { locateHang } from '../../strategy/isolation/hang-location.js';

const HEAP_MB = 1_024;
const INSPECTOR = /ws:\/\/127\.0\.0\.1:\S+/;

export interface CheckRun {
  readonly messages: readonly CheckMessage[];
  /** How the process ended, when it did not complete. */
  readonly crash?: string;
}

/**
 * Checks a strategy in its own process.
 * @param print receives the output of the strategy
 * @param timeoutMs real ms after which the process is killed
 */
export function runCheck(
  job: CheckJob,
  print: (text: string) => void,
  timeoutMs: number,
): Promise<CheckRun> {
  const child = startChild(job);
  let [output, errors] = ['', ''];
  let hang: Promise<Finding> | undefined;
  child.stdout?.on('data', (chunk: Buffer) => {
    print(chunk.toString());
  });
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdio[CHECK_FD]?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (hang === undefined && output.includes('"kind":"hung"')) hang = endHung(child, job.hangMs);
  });
  const deadline = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(deadline);
      const messages = messagesIn(output);
      if (hang !== undefined)
        hang.then((finding) => {
          resolve({ messages: [...messages, { kind: 'finding', finding }] });
        }, reject);
      else if (code === 0 && messages.some(isEnd)) resolve({ messages });
      else resolve({ messages, crash: endText(code, signal, errors) });
    });
  });
}

/** The inspector opens on SIGUSR1, on loopback only. */
const startChild = (job: CheckJob): ChildProcess =>
  spawn(
    process.execPath,
    [
      '--expose-gc',
      `--max-old-space-size=${HEAP_MB}`,
      '--inspect-port=127.0.0.1:0',
      new URL('./check-child.js', import.meta.url).pathname,
      JSON.stringify(job),
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );

const INSPECTOR_TIMEOUT_MS = 10_000;

/** Finds the place of the hang, then kills the process. */
async function endHung(child: ChildProcess, hangMs: number): Promise<Finding> {
  const url = await new Promise<string | undefined>((resolve) => {
    const deadline = setTimeout(resolve, INSPECTOR_TIMEOUT_MS, undefined);
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [found] = INSPECTOR.exec(text) ?? [];
      if (found === undefined) return;
      clearTimeout(deadline);
      resolve(found);
    });
    child.kill('SIGUSR1');
  });
  const location = url === undefined ? undefined : await locateHang(url);
  child.kill('SIGKILL');
  return {
    place: location ?? '',
    message: `it does not return: a call took more than ${hangMs / 1_000} s`,
    hint: 'check the loop at this line: nothing else can run while a strategy computes',
  };
}

const messagesIn = (output: string): readonly CheckMessage[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CheckMessage);

/** The check completed; a strategy may end the process before. */
const isEnd = ({ kind }: CheckMessage): boolean => ['done', 'not-found', 'finding'].includes(kind);

function endText(code: number | null, signal: string | null, errors: string): string {
  if (/heap out of memory/.test(errors)) return `it used up ${HEAP_MB} MB of memory`;
  const last = errors.trim().split('\n').slice(-3).join(' ');
  return `it ended the process, with ${signal ?? `exit code ${code}`}${last === '' ? '' : `: ${last}`}`;
}
