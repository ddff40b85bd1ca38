/**
 * Trading mode of the account, or of one symbol. In `STARTING` and `RECONCILING` too little is known to
 * trade: only cancels and reads are allowed. `REDUCE_ONLY`, `CANCEL_ONLY` and `HALTED` stop entries.
 */
export type Mode =
  'STARTING' | 'RECONCILING' | 'TRADING' | 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED';
/** A mode that a control can require. */
export type RestrictedMode = 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED';
/** Levels of the kill switch (R30). */
export type KillLevel = 'pause' | 'cancel' | 'flatten';
/** `starting` and `reconciling`: the believed state is not compared with the venue yet. */
export type TradingPhase = 'starting' | 'reconciling' | 'ready';

/** From unrestricted to safe. The phases before trading let no exit leave, so that they are strictest. */
const SEVERITY: Readonly<Record<Mode, number>> = {
  TRADING: 0,
  REDUCE_ONLY: 1,
  CANCEL_ONLY: 2,
  HALTED: 3,
  STARTING: 4,
  RECONCILING: 4,
};
export const MODES = Object.keys(SEVERITY) as readonly Mode[];

/** The stricter of two modes, such as those of an account and a symbol. */
export const stricter = <M extends Mode>(a: M, b: M): M => (SEVERITY[b] > SEVERITY[a] ? b : a);

/** The mode of a phase, which hides every restriction until it is over. */
export const modeOf = (phase: TradingPhase, restricted: Mode): Mode => {
  if (phase === 'ready') return restricted;
  return phase === 'starting' ? 'STARTING' : 'RECONCILING';
};

/**
 * Whether the mode allows the order. A mode that a control requires stops entries only, so that no exit is
 * trapped; kill level `cancel`, a failed journal and a second writer stop exits beside it.
 */
export const permits = (mode: Mode, exit: boolean): boolean =>
  mode === 'TRADING' || (exit && mode !== 'STARTING' && mode !== 'RECONCILING');

/** `cancel` cancels every order and allows none; the other levels allow exits. */
export const killPermits = (level: KillLevel | undefined, exit: boolean): boolean =>
  level === undefined || (exit && level !== 'cancel');

/** The mode that a kill switch requires. */
export const restrictionOfKill = (level: KillLevel): RestrictedMode =>
  level === 'cancel' ? 'CANCEL_ONLY' : 'REDUCE_ONLY';
