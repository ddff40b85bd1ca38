import type { ControlId } from './control-id.js';
import { stricter, type Mode, type RestrictedMode } from './mode.js';

/** `self-clearing`: ends after two clean reconciliations and 60 s. `latching`: a person resumes. */
export type RestrictionClass = 'self-clearing' | 'latching';

/** A control keeps the account, or one symbol, from adding exposure. */
export interface Restriction {
  readonly control: ControlId;
  /** Absent: the account. */
  readonly symbol?: string;
  readonly to: RestrictedMode;
  readonly class: RestrictionClass;
  /** Reason of its first trigger. */
  readonly cause: string;
}

export interface ActiveRestriction extends Restriction {
  /** Monotonic ms of its last trigger; `PREVIOUS_RUN`: not in this run. */
  readonly triggeredAt: number;
  /** Clean reconciliations since then. */
  readonly cleanReads: number;
}

/** Restrictions in force, one for each control and scope. Immutable. */
export interface Restrictions {
  readonly active: readonly ActiveRestriction[];
  /** Monotonic ms at which self-clearing restrictions began, by control and scope, within the hour. */
  readonly starts: ReadonlyMap<string, readonly number[]>;
}

export const PREVIOUS_RUN = Number.NEGATIVE_INFINITY;
export const NO_RESTRICTIONS: Restrictions = { active: [], starts: new Map() };

/** Conditions of the end of a self-clearing restriction (docs/risk.md). */
export const CLEAN_READS = 2;
export const CLEARING_MS = 60_000;
/** This many starts within the window latch a self-clearing restriction. */
export const LATCHING_STARTS = 4;
export const LATCHING_WINDOW_MS = 3_600_000;

type Scope = Pick<Restriction, 'control' | 'symbol'>;

const keyOf = ({ control, symbol }: Scope): string => `${control} ${symbol ?? ''}`;
const isOf =
  (scope: Scope) =>
  (each: Scope): boolean =>
    each.control === scope.control && each.symbol === scope.symbol;

export const restrictionOf = (
  restrictions: Restrictions,
  scope: Scope,
): ActiveRestriction | undefined => restrictions.active.find(isOf(scope));

/**
 * A control triggers at `now` (monotonic ms). The same control and scope again renews the clearing time,
 * and can only become stricter or latch; the first cause stays. The fourth start within an hour latches.
 */
export function restrict(
  restrictions: Restrictions,
  restriction: Restriction,
  now: number,
): Restrictions {
  const present = restrictionOf(restrictions, restriction);
  if (present !== undefined) {
    const latches = present.class === 'latching' || restriction.class === 'latching';
    const renewed: ActiveRestriction = {
      ...present,
      to: stricter(present.to, restriction.to),
      class: latches ? 'latching' : 'self-clearing',
      triggeredAt: now,
      cleanReads: 0,
    };
    const active = restrictions.active.map((each) => (each === present ? renewed : each));
    return { ...restrictions, active };
  }
  if (restriction.class === 'latching') return add(restrictions, restriction, now);
  const key = keyOf(restriction);
  const starts = [...(restrictions.starts.get(key) ?? []), now].filter(
    (at) => now - at < LATCHING_WINDOW_MS,
  );
  const counted = { ...restrictions, starts: new Map(restrictions.starts).set(key, starts) };
  if (starts.length < LATCHING_STARTS) return add(counted, restriction, now);
  const cause = `${restriction.cause}; the ${LATCHING_STARTS}th time within an hour`;
  return add(counted, { ...restriction, class: 'latching', cause }, now);
}

const add = (restrictions: Restrictions, restriction: Restriction, now: number): Restrictions => ({
  ...restrictions,
  active: [...restrictions.active, { ...restriction, triggeredAt: now, cleanReads: 0 }],
});

/** A restriction in force has a graver cause now. */
export const withCause = (
  restrictions: Restrictions,
  scope: Scope,
  cause: string,
): Restrictions => ({
  ...restrictions,
  active: restrictions.active.map((each) => (isOf(scope)(each) ? { ...each, cause } : each)),
});

/**
 * A clean reconciliation, whose read left at `startedAt`, is known at `now` (monotonic ms). It counts for
 * restrictions that were last triggered before the read left.
 */
export function reconcile(
  restrictions: Restrictions,
  startedAt: number,
  now: number,
): Restrictions {
  const isCounted = (each: ActiveRestriction): boolean =>
    each.class === 'self-clearing' && each.triggeredAt < startedAt;
  if (!restrictions.active.some(isCounted)) return restrictions;
  const active = restrictions.active
    .map((each) => (isCounted(each) ? { ...each, cleanReads: each.cleanReads + 1 } : each))
    .filter((each) => !hasCleared(each, now));
  return { ...restrictions, active };
}

const hasCleared = (
  { class: restrictionClass, cleanReads, triggeredAt }: ActiveRestriction,
  now: number,
): boolean =>
  restrictionClass === 'self-clearing' &&
  cleanReads >= CLEAN_READS &&
  now - triggeredAt >= CLEARING_MS;

/** Ends a restriction whose own condition has ended. Without one the same object is returned. */
export function lift(restrictions: Restrictions, scope: Scope): Restrictions {
  const present = restrictionOf(restrictions, scope);
  if (present === undefined) return restrictions;
  return { ...restrictions, active: restrictions.active.filter((each) => each !== present) };
}

/** Ends a restriction on a person's command: its next start is the first again. */
export function resume(restrictions: Restrictions, scope: Scope): Restrictions {
  const starts = new Map(restrictions.starts);
  starts.delete(keyOf(scope));
  return { ...lift(restrictions, scope), starts };
}

/** The strictest mode of the account's restrictions. */
export function accountMode({ active }: Restrictions): Mode {
  let mode: Mode = 'TRADING';
  for (const each of active) if (each.symbol === undefined) mode = stricter<Mode>(mode, each.to);
  return mode;
}

/** The strictest mode of each restricted symbol, beside the account's. */
export function symbolModes(active: readonly Restriction[]): ReadonlyMap<string, Mode> {
  const modes = new Map<string, Mode>();
  for (const { symbol, to } of active)
    if (symbol !== undefined) modes.set(symbol, stricter<Mode>(to, modes.get(symbol) ?? to));
  return modes;
}
