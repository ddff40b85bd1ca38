import { spawn, type ChildProcess } from 'node:child_process';
import { CHECK_FD, type CheckJob, type CheckMessage } from './check-protocol.js';
import type { Finding } from './finding.js';
import { hangPlace } from './hang-place.js';

const HEAP_MB = 1_024;
const INSPECTOR = /ws:\/\/127\.0\.0\.1:\S+/;

export interface CheckRun {
  readonly messages: readonly CheckMessage[];
  /** How it ended, when it did not end by itself. */
  readonly broken?: string;
}

/**
 * Examines a strategy in a process of its own.
 * @param print what the strategy itself writes
 * @param withinMs after which it is ended, whatever it does
 */
export function runCheck(
  job: CheckJob,
  print: (text: string) => void,
  withinMs: number,
): Promise<CheckRun> {
  const child = startChild(job);
  let [told, errors] = ['', ''];
  let hang: Promise<Finding> | undefined;
  child.stdout?.on('data', (chunk: Buffer) => {
    print(chunk.toString());
  });
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdio[CHECK_FD]?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
    if (hang === undefined && told.includes('"kind":"hung"')) hang = endHung(child, job.hangMs);
  });
  const deadline = setTimeout(() => child.kill('SIGKILL'), withinMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(deadline);
      const messages = messagesIn(told);
      if (hang !== undefined)
        hang.then((finding) => {
          resolve({ messages: [...messages, { kind: 'finding', finding }] });
        }, reject);
      else if (code === 0 && messages.some(isEnd)) resolve({ messages });
      else resolve({ messages, broken: endText(code, signal, errors) });
    });
  });
}

/** Its inspector opens when it is asked to, on loopback alone. */
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

const MOST_OPENING_MS = 10_000;

/** Asks where it hangs, then ends it. */
async function endHung(child: ChildProcess, hangMs: number): Promise<Finding> {
  const url = await new Promise<string | undefined>((resolve) => {
    const deadline = setTimeout(resolve, MOST_OPENING_MS, undefined);
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
  const place = url === undefined ? undefined : await hangPlace(url);
  child.kill('SIGKILL');
  return {
    place: place ?? '',
    message: `it does not return: nothing came back for ${hangMs / 1_000} s`,
    hint: 'look at the loop around this line: nothing else can happen while a strategy computes',
  };
}

const messagesIn = (told: string): readonly CheckMessage[] =>
  told
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CheckMessage);

/** The examination came to its end: a strategy may end the process before. */
const isEnd = ({ kind }: CheckMessage): boolean => ['done', 'not-found', 'finding'].includes(kind);

function endText(code: number | null, signal: string | null, errors: string): string {
  if (/heap out of memory/.test(errors)) return `it used up ${HEAP_MB} MB of memory`;
  const last = errors.trim().split('\n').slice(-3).join(' ');
  return `it ended the process, with ${signal ?? `exit code ${code}`}${last === '' ? '' : `: ${last}`}`;
}
