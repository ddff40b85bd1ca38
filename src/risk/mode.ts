import { assertNever } from '../core/assert.js';

/**
 * Trading mode of the account, or of one symbol. In `STARTING` and `RECONCILING` too little is known to
 * trade: only cancels and reads are allowed.
 */
export type Mode =
  'STARTING' | 'RECONCILING' | 'TRADING' | 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED';
/** A mode that can be requested; the other two are phases before it. */
export type Restriction = 'TRADING' | 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED';
/** Levels of the kill switch (R30). */
export type KillLevel = 'pause' | 'cancel' | 'flatten';

/** From unrestricted to safe. Reconciliation is stricter than any trading mode, but does not lift a halt. */
const SEVERITY: Readonly<Record<Mode, number>> = {
  TRADING: 0,
  REDUCE_ONLY: 1,
  CANCEL_ONLY: 2,
  STARTING: 3,
  RECONCILING: 3,
  HALTED: 4,
};
export const MODES = Object.keys(SEVERITY) as readonly Mode[];

/** The stricter of two modes, such as those of an account and a symbol. */
export const stricter = (a: Mode, b: Mode): Mode => (SEVERITY[b] > SEVERITY[a] ? b : a);

export interface ModeState {
  readonly phase: 'starting' | 'reconciling' | 'ready';
  /** The mode once ready. */
  readonly restriction: Restriction;
  /** A soft restriction ends with the next clean reconciliation, a hard one only by re-arming. True without one. */
  readonly soft: boolean;
  /** Reason of the restriction. */
  readonly cause: string;
}

export type ModeEvent =
  /** Ports are open: the first reconciliation starts. */
  | { readonly kind: 'started' }
  /** The believed state is unverified: reconcile before any order. */
  | { readonly kind: 'doubted'; readonly cause: string }
  /** A reconciliation found no difference. */
  | { readonly kind: 'reconciled' }
  | {
      readonly kind: 'restricted';
      readonly to: Exclude<Restriction, 'TRADING'>;
      readonly soft: boolean;
      readonly cause: string;
    }
  /** An operator's command, the only end of a hard restriction. */
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
 * Automatic events only restrict. A soft restriction ends with a clean reconciliation; a hard one ends with
 * re-arming, followed by a reconciliation. Without a change the same object is returned.
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
  // Before the start no state can have been compared with the venue.
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
  // A soft restriction must not soften a hard one: its end would lift both.
  const soft = event.soft && state.soft;
  return { ...state, restriction: event.to, soft, cause: event.cause };
}

function reArmed(state: ModeState, cause: string): ModeState {
  if (state.restriction === 'TRADING') return state;
  const phase = state.phase === 'starting' ? 'starting' : 'reconciling';
  return { phase, restriction: 'TRADING', soft: true, cause };
}

/** Whether the mode allows the order: none, exits only, or any. */
export function permits(mode: Mode, exit: boolean): boolean {
  return mode === 'TRADING' || (mode === 'REDUCE_ONLY' && exit);
}

/** `cancel` cancels every order and allows none; the other levels allow exits. */
export const killPermits = (level: KillLevel | undefined, exit: boolean): boolean =>
  level === undefined || (exit && level !== 'cancel');

/** The mode that a kill switch requires. */
export const restrictionOfKill = (level: KillLevel): Exclude<Restriction, 'TRADING'> =>
  level === 'cancel' ? 'CANCEL_ONLY' : 'REDUCE_ONLY';
