import { fileURLToPath } from 'node:url';
import type { Files, Scheduler } from '../../core/ports.js';
import { startNode, type Child, type ChildEnd } from '../ports/child-process.js';

/** As the engine says it in its log. */
const TRADING = '→ TRADING';
const LOOK_EVERY_MS = 10;
const PATIENCE_MS = 60_000;

export interface ChaosBotParts {
  readonly config: string;
  /** Path of the command's entry. */
  readonly program: string;
  readonly scheduler: Scheduler;
  /** Nothing is started once it aborts, and what runs is killed. */
  readonly signal: AbortSignal;
}

/** The daemon of a scene: one configuration, one state folder, one process after another. */
export class ChaosBot {
  readonly #parts: ChaosBotParts;
  #child: Child | undefined;
  /** What earlier processes logged. */
  readonly logs: string[] = [];

  constructor(parts: ChaosBotParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => this.#child?.kill('SIGKILL'));
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** This process has said something: it reads its journal or is beyond that. */
  get hasLogged(): boolean {
    return this.#child?.stderr().includes('"msg"') === true;
  }

  start(): void {
    const { program, config, signal } = this.#parts;
    signal.throwIfAborted();
    this.#child = startNode([program, 'run', '--config', config, '--json']);
  }

  /** SIGKILL: it cannot see it coming. */
  async kill(): Promise<ChildEnd | undefined> {
    return this.#end('SIGKILL');
  }

  /** Asks it to stop. @returns the summary that it prints, undefined when it ended without one */
  async stop(): Promise<unknown> {
    const child = this.#child;
    const end = await this.#end('SIGINT');
    const last = child?.stdout().trim().split('\n').at(-1);
    if (end?.code !== 0 || last === undefined || last === '') return undefined;
    return JSON.parse(last);
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<ChildEnd | undefined> {
    const child = this.#child;
    if (child === undefined) return undefined;
    child.kill(signal);
    const end = await child.ended;
    this.logs.push(child.stderr());
    this.#child = undefined;
    return end;
  }

  /** Resolves when this process trades. */
  trades(): Promise<void> {
    return this.until('the bot trades', () => this.#child?.stderr().includes(TRADING) === true);
  }

  /** @throws Error when it does not hold within a minute, or when the bot ended meanwhile */
  async until(what: string, holds: () => boolean): Promise<void> {
    let ended = false;
    void this.#child?.ended.then(() => (ended = true));
    const { signal, scheduler } = this.#parts;
    for (let waited = 0; !holds(); waited += LOOK_EVERY_MS) {
      signal.throwIfAborted();
      if (ended || waited > PATIENCE_MS) {
        const why = ended ? 'the bot ended before' : 'a minute was too short until';
        throw new Error(`${why} ${what}:\n${this.#child?.stderr().trim() ?? ''}`);
      }
      await new Promise<void>((resolve) => scheduler.after(LOOK_EVERY_MS, resolve));
    }
  }
}

/** The program's own entry, from `dist/src/app/chaos` or `src/app/chaos`. */
export async function ownProgram(files: Pick<Files, 'exists'>): Promise<string> {
  for (const up of ['../../../../', '../../../']) {
    const path = fileURLToPath(new URL(`${up}bin/sluice.mjs`, import.meta.url));
    if (await files.exists(path)) return path;
  }
  throw new Error('bin/sluice.mjs is not where it belongs');
}
