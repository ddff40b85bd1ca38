import { fileURLToPath } from 'node:url';
import type { Files, Scheduler } from '../../core/ports.js';
import { spawnNode, type Child, type ChildExit } from '../../io/node/process/child-process.js';

/** The log line of the engine when trading starts. */
const TRADING = '→ TRADING';
const POLL_INTERVAL_MS = 10;
const WAIT_TIMEOUT_MS = 60_000;

export interface ChaosBotParts {
  readonly config: string;
  /** Path of bin/sluice.mjs. */
  readonly program: string;
  readonly scheduler: Scheduler;
  /** An abort kills the running process and prevents a start. */
  readonly signal: AbortSignal;
}

/** The daemon of a scenario: one configuration, one state folder, consecutive processes. */
export class ChaosBot {
  readonly #parts: ChaosBotParts;
  #child: Child | undefined;
  /** The logs of earlier processes. */
  readonly logs: string[] = [];

  constructor(parts: ChaosBotParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => this.#child?.kill('SIGKILL'));
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The process has logged a line, so it has at least started to read its journal. */
  get hasLogged(): boolean {
    return this.#child?.stderr().includes('"msg"') === true;
  }

  start(): void {
    const { program, config, signal } = this.#parts;
    signal.throwIfAborted();
    this.#child = spawnNode([program, 'run', '--config', config, '--json']);
  }

  /** Sends SIGKILL, which a process cannot handle. */
  async kill(): Promise<ChildExit | undefined> {
    return this.#end('SIGKILL');
  }

  /** Asks the bot to stop. @returns its summary, undefined when it ended without one */
  async stop(): Promise<unknown> {
    const child = this.#child;
    const end = await this.#end('SIGINT');
    const last = child?.stdout().trim().split('\n').at(-1);
    if (end?.code !== 0 || last === undefined || last === '') return undefined;
    return JSON.parse(last);
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<ChildExit | undefined> {
    const child = this.#child;
    if (child === undefined) return undefined;
    child.kill(signal);
    const end = await child.exited;
    this.logs.push(child.stderr());
    this.#child = undefined;
    return end;
  }

  /** Resolves when the process trades. */
  waitUntilTrading(): Promise<void> {
    return this.waitUntil('the bot trades', () => this.#child?.stderr().includes(TRADING) === true);
  }

  /** @throws Error when the condition does not hold within a minute, or when the bot ends */
  async waitUntil(what: string, condition: () => boolean): Promise<void> {
    let ended = false;
    void this.#child?.exited.then(() => (ended = true));
    const { signal, scheduler } = this.#parts;
    for (let waited = 0; !condition(); waited += POLL_INTERVAL_MS) {
      signal.throwIfAborted();
      if (ended || waited > WAIT_TIMEOUT_MS) {
        const why = ended ? 'the bot ended before' : 'the bot timed out before';
        throw new Error(`${why} ${what}:\n${this.#child?.stderr().trim() ?? ''}`);
      }
      await new Promise<void>((resolve) => scheduler.after(POLL_INTERVAL_MS, resolve));
    }
  }
}

/** Path of bin/sluice.mjs, seen from `dist/src/tools/chaos` or `src/tools/chaos`. */
export async function sluiceEntryPath(files: Pick<Files, 'exists'>): Promise<string> {
  for (const up of ['../../../../', '../../../']) {
    const path = fileURLToPath(new URL(`${up}bin/sluice.mjs`, import.meta.url));
    if (await files.exists(path)) return path;
  }
  throw new Error('bin/sluice.mjs is missing: reinstall sluice');
}
