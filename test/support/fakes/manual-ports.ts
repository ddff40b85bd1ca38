import type { Cancel, Clock, Files, Logger, Random, Scheduler } from '../../../src/core/ports.js';

/** Time that the test moves. */
export class ManualTime implements Clock, Scheduler {
  readonly #startUtcMs: number;
  #nowMs = 0;
  #nextOrder = 0;
  #timers: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];

  constructor(startUtcMs = Date.UTC(2025, 4, 5)) {
    this.#startUtcMs = startUtcMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  utcMs(): number {
    return this.#startUtcMs + this.#nowMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = { at: this.#nowMs + Math.max(0, delayMs), order: this.#nextOrder++, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Runs what falls due, oldest first, with every promise settled in between. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settle();
    for (let next = this.#due(untilMs); next !== undefined; next = this.#due(untilMs)) {
      this.#nowMs = next.at;
      this.#timers = this.#timers.filter((other) => other !== next);
      next.run();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  #due(untilMs: number) {
    return this.#timers
      .filter(({ at }) => at <= untilMs)
      .sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Lets promise chains of a usual length run to their end. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
}

/** Whole files in memory. */
export class MemoryFileStore implements Pick<Files, 'read' | 'replace'> {
  readonly contents = new Map<string, Uint8Array>();

  read(path: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.contents.get(path));
  }

  replace(path: string, bytes: Uint8Array): Promise<void> {
    this.contents.set(path, bytes);
    return Promise.resolve();
  }
}

export const constantRandom = (value: number): Random => ({ next: () => value });

export interface LoggedLine {
  readonly level: keyof Logger;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that keeps its lines. */
export function memoryLogger(): Logger & { readonly lines: readonly LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at =
    (level: keyof Logger) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      lines.push({ level, fields, message });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
