import { assertNever } from '../core/assert.js';

/**
 * What the account, or one symbol, may do. `STARTING` and `RECONCILING` know too little to trade:
 * they let nothing out but cancels and reads.
 */
export type Mode =
  'STARTING' | 'RECONCILING' | 'TRADING' | 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED';
/** A mode that can be asked for; the other two are phases on the way to one. */
export type Restriction = 'TRADING' | 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED';
/** Levels of the kill switch (R30). */
export type KillLevel = 'pause' | 'cancel' | 'flatten';

/** From free to safe. A reconciliation is safer than any trading, and no excuse for a halt. */
const SEVERITY: Readonly<Record<Mode, number>> = {
  TRADING: 0,
  REDUCE_ONLY: 1,
  CANCEL_ONLY: 2,
  STARTING: 3,
  RECONCILING: 3,
  HALTED: 4,
};
export const MODES = Object.keys(SEVERITY) as readonly Mode[];

/** The safer of two, as of an account and one of its symbols. */
export const stricter = (a: Mode, b: Mode): Mode => (SEVERITY[b] > SEVERITY[a] ? b : a);

export interface ModeState {
  readonly phase: 'starting' | 'reconciling' | 'ready';
  /** What holds once ready. */
  readonly restriction: Restriction;
  /** A soft restriction ends with the next clean reconciliation, a hard one by re-arming only. True of none. */
  readonly soft: boolean;
  /** Why the restriction holds. */
  readonly cause: string;
}

export type ModeEvent =
  /** Ports are open: the first reconciliation begins. */
  | { readonly kind: 'started' }
  /** What we believe is in doubt: look again before anything is sent. */
  | { readonly kind: 'doubted'; readonly cause: string }
  /** A reconciliation found nothing wrong. */
  | { readonly kind: 'reconciled' }
  | {
      readonly kind: 'restricted';
      readonly to: Exclude<Restriction, 'TRADING'>;
      readonly soft: boolean;
      readonly cause: string;
    }
  /** An operator's word, the only way out of a hard restriction. */
  | { readonly kind: 're-armed'; readonly cause: string };

export const INITIAL_MODE: ModeState = {
  phase: 'starting',
  restriction: 'TRADING',
  soft: true,
  cause: 'start',
};

export function modeOf(state: ModeState): Mode {
  if (state.restriction === 'HALTED' || state.phase === 'ready') return state.restriction;
  return state.phase === 'starting' ? 'STARTING' : 'RECONCILING';
}

/**
 * Automatic events move toward safety only; upward leads a clean reconciliation (soft) or re-arming,
 * and that through a reconciliation too (reliability, part 0.6). The same state comes back when
 * nothing changes.
 */
export function nextMode(state: ModeState, event: ModeEvent): ModeState {
  switch (event.kind) {
    case 'started':
      return state.phase === 'starting' ? { ...state, phase: 'reconciling' } : state;
    case 'doubted':
      return state.phase === 'ready' ? { ...state, phase: 'reconciling' } : state;
    case 'reconciled':
      return reconciled(state);
    case 'restricted':
      return restricted(state, event);
    case 're-armed':
      return reArmed(state, event.cause);
    default:
      return assertNever(event);
  }
}

function reconciled(state: ModeState): ModeState {
  // Before the start nothing can have been compared with the venue.
  if (state.phase === 'starting') return state;
  const lifted = state.soft && state.restriction !== 'TRADING';
  if (state.phase === 'ready' && !lifted) return state;
  return lifted
    ? { phase: 'ready', restriction: 'TRADING', soft: true, cause: 'clean reconciliation' }
    : { ...state, phase: 'ready' };
}

function restricted(
  state: ModeState,
  event: Extract<ModeEvent, { readonly kind: 'restricted' }>,
): ModeState {
  const before = SEVERITY[state.restriction];
  const after = SEVERITY[event.to];
  const hardens = after === before && state.soft && !event.soft;
  if (after <= before && !hardens) return state;
  // A soft restriction must not soften a hard one below it: the lift would take both away.
  const soft = event.soft && state.soft;
  return { ...state, restriction: event.to, soft, cause: event.cause };
}

function reArmed(state: ModeState, cause: string): ModeState {
  if (state.restriction === 'TRADING') return state;
  const phase = state.phase === 'starting' ? 'starting' : 'reconciling';
  return { phase, restriction: 'TRADING', soft: true, cause };
}

/** What a mode lets out: nothing, exits only, or any order. */
export function permits(mode: Mode, exit: boolean): boolean {
  return mode === 'TRADING' || (mode === 'REDUCE_ONLY' && exit);
}

/** `cancel` sweeps every order, so that it lets none out; the others still let a position be left. */
export const killPermits = (level: KillLevel | undefined, exit: boolean): boolean =>
  level === undefined || (exit && level !== 'cancel');

/** The mode that a kill switch asks for. */
export const restrictionOfKill = (level: KillLevel): Exclude<Restriction, 'TRADING'> =>
  level === 'cancel' ? 'CANCEL_ONLY' : 'REDUCE_ONLY';
