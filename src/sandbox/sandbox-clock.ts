import type { Clock } from '../core/ports.js';

/** Speed of venue time relative to real time. */
export type ClockMode =
  | { readonly kind: 'real' }
  | { readonly kind: 'fast'; readonly factor: number }
  | { readonly kind: 'manual' };

/** An option of the sandbox is invalid. The message is for the user. */
export class SandboxOptionError extends Error {
  override readonly name = 'SandboxOptionError';
}

const MAX_FACTOR = 100_000;

/**
 * Parses `real`, `manual` or `fast:60`.
 * @throws SandboxOptionError
 */
export function parseClockMode(text: string): ClockMode {
  if (text === 'real' || text === 'manual') return { kind: text };
  const factor = /^fast:(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (factor !== undefined && Number(factor) > 0 && Number(factor) <= MAX_FACTOR) {
    return { kind: 'fast', factor: Number(factor) };
  }
  throw new SandboxOptionError(
    `clock "${text}" is not one of real, manual or fast:N (0 < N ≤ ${MAX_FACTOR})`,
  );
}

export interface SandboxClockOptions {
  /** Default real. */
  readonly clock?: ClockMode;
  /** Venue ms UTC at the start. Default: this machine's UTC. */
  readonly startMs?: number;
  /** Hold venue time until `release`. */
  readonly held?: boolean;
}

/** Venue time. Integer ms UTC; never steps back. */
export interface SandboxClock {
  now(): number;
  /** Current venue ms per real ms: 0 while held or manual. */
  rate(): number;
  hold(): void;
  release(): void;
  /** Changes the speed from now on; a held clock keeps still until `release`. */
  setMode(mode: ClockMode): void;
  /** Manual clocks only. @returns false on other clocks */
  advance(ms: number): boolean;
  /** Real ms until venue time reaches `venueMs`; undefined while it is held or manual. */
  realMsUntil(venueMs: number): number | undefined;
}

export function createSandboxClock(options: SandboxClockOptions, clock: Clock): SandboxClock {
  let mode = options.clock ?? { kind: 'real' };
  let baseMs = options.startMs ?? clock.utcMs();
  let originMs = clock.monotonicMs();
  let held = options.held ?? false;

  const rate = (): number => (held ? 0 : factorOf(mode));
  const exactNow = (): number => baseMs + (clock.monotonicMs() - originMs) * rate();
  const rebase = (): void => {
    baseMs = exactNow();
    originMs = clock.monotonicMs();
  };

  return {
    now: () => Math.floor(exactNow()),
    rate,
    hold() {
      rebase();
      held = true;
    },
    release() {
      rebase();
      held = false;
    },
    setMode(next) {
      rebase();
      mode = next;
    },
    advance(ms) {
      if (mode.kind !== 'manual') return false;
      baseMs += ms;
      return true;
    },
    realMsUntil(venueMs) {
      const perMs = rate();
      return perMs === 0 ? undefined : Math.max(0, (venueMs - exactNow()) / perMs);
    },
  };
}

function factorOf(mode: ClockMode): number {
  if (mode.kind === 'fast') return mode.factor;
  return mode.kind === 'real' ? 1 : 0;
}
