import type { EventTime } from '../core/events.js';
import type { EffectSink } from '../execution/effects.js';
import type { Journal, RestrictionChange } from '../execution/journal/journal.js';
import type { ControlId } from '../risk/control-id.js';
import {
  modeOf,
  restrictionOfKill,
  stricter,
  type KillLevel,
  type Mode,
  type TradingPhase,
} from '../risk/mode.js';
import { restrictionText } from '../risk/restriction-text.js';
import {
  accountMode,
  lift,
  NO_RESTRICTIONS,
  PREVIOUS_RUN,
  reconcile,
  restrict,
  restrictionOf,
  resume,
  symbolModes,
  type ActiveRestriction,
  type Restriction,
  type Restrictions,
  withCause,
} from '../risk/restrictions.js';

export interface TradingStateParts {
  readonly stamp: Readonly<EventTime>;
  readonly journal: Journal;
  readonly effects: EffectSink;
  /** Latched restrictions of previous runs. */
  readonly recovered?: readonly Restriction[];
}

/** Scope of a resume; `symbol` absent: the account. */
export interface ResumeScope {
  readonly symbol?: string;
  /** Of the person. */
  readonly reason?: string;
}

/** Permissions of the bot and their causes: its modes, the kill switch, whether it is stopping. */
export class TradingState {
  readonly #parts: TradingStateParts;
  #phase: TradingPhase = 'starting';
  #restrictions: Restrictions = NO_RESTRICTIONS;
  /** The mode of the account, and of each symbol with a restriction: derived from the fields above. */
  #mode: Mode = 'STARTING';
  #symbolModes: ReadonlyMap<string, Mode> = new Map();
  #gateModes: ReadonlyMap<string, Mode> = new Map();
  #killLevel: KillLevel | undefined;
  #haltReason: string | undefined;
  #isKeyRefused = false;
  /** A stop was requested: nothing new is opened. */
  isStopping = false;

  constructor(parts: TradingStateParts) {
    this.#parts = parts;
    for (const each of parts.recovered ?? [])
      this.#restrictions = restrict(this.#restrictions, each, PREVIOUS_RUN);
    this.#derive();
  }

  /** The mode of the account: the strictest of its restrictions, the kill switch and the phase. */
  get mode(): Mode {
    return this.#mode;
  }

  /** The stricter mode of the account and the symbol. */
  modeOf(symbol: string): Mode {
    const mode = this.#symbolModes.get(symbol);
    return mode === undefined ? this.#mode : stricter(this.#mode, mode);
  }

  /** `modeOf` without R22, a control of its own, because a person's own order passes it. */
  gateMode(symbol: string): Mode {
    return stricter(this.#mode, this.#gateModes.get(symbol) ?? this.#mode);
  }

  /** The strictest restriction of the account or the symbol, without R22; undefined: there is none. */
  modeCause(symbol: string): string | undefined {
    const relevant = this.#restrictions.active.filter(
      (each) => each.symbol === undefined || (each.symbol === symbol && each.control !== 'R22'),
    );
    const [first] = relevant;
    if (first === undefined) return undefined;
    const { control, cause } = relevant.find(({ to }) => to === this.gateMode(symbol)) ?? first;
    return `${control}: ${cause}`;
  }

  get phase(): TradingPhase {
    return this.#phase;
  }

  /** The phases before trading are over: the account is reconciled. */
  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** Restrictions in force, the oldest first. The kill switch and a refused key are none of them. */
  get restrictions(): readonly ActiveRestriction[] {
    return this.#restrictions.active;
  }

  restriction(control: ControlId, symbol?: string): ActiveRestriction | undefined {
    return restrictionOf(this.#restrictions, scopeOf(control, symbol));
  }

  get killLevel(): KillLevel | undefined {
    return this.#killLevel;
  }
  /** Every order is canceled for good: no strategy starts to trade in this run. */
  get isKilled(): boolean {
    return this.#killLevel === 'cancel' || this.#killLevel === 'flatten';
  }
  /** Reason that ends the run: a failed journal or a second writer. The first: later ones may follow from it. */
  get haltReason(): string | undefined {
    return this.#haltReason;
  }
  /** The venue refuses the key: no request can have an effect. */
  get isKeyRefused(): boolean {
    return this.#isKeyRefused;
  }

  /** Why not even an exit may leave; undefined: exits may. A refused key holds them elsewhere: they wait. */
  get exitHold(): string | undefined {
    if (this.#haltReason !== undefined) return `the run ends: ${this.#haltReason}`;
    if (this.#killLevel === 'cancel') return 'the kill switch is on (cancel)';
    return this.isReady ? undefined : `mode ${this.mode}`;
  }

  /** Whether everything that stops an entry, or an exit, of the symbol ends by itself. */
  isTransient(symbol: string, exit: boolean): boolean {
    if (this.#haltReason !== undefined) return false;
    if (exit) return !this.isReady;
    if (this.#killLevel !== undefined) return false;
    return this.#restrictions.active.every(
      (each) =>
        each.class === 'self-clearing' || (each.symbol !== undefined && each.symbol !== symbol),
    );
  }

  /** Ports are open: the first reconciliation starts. */
  start(): void {
    if (this.#phase === 'starting') this.#enter('reconciling', 'start');
  }

  /** A start or a reconciliation after `doubt` is complete. */
  becomeReady(): void {
    if (this.#phase === 'reconciling') this.#enter('ready', 'clean reconciliation');
  }

  /** The believed state is unverified: it is compared with the venue before any order. */
  doubt(cause: string): void {
    if (this.#phase === 'ready') this.#enter('reconciling', cause);
  }

  /**
   * A control stops entries, of the account or of one symbol. Idempotent for one control and scope: it
   * renews the clearing time, and can become stricter or latch.
   */
  restrict(restriction: Restriction): void {
    const { control, symbol } = restriction;
    const before = this.restriction(control, symbol);
    this.#restrictions = restrict(this.#restrictions, restriction, this.#parts.stamp.monotonic);
    const after = this.restriction(control, symbol);
    if (after === undefined) return;
    if (before?.to === after.to && before.class === after.class) return;
    const cause = before === undefined ? after.cause : restriction.cause;
    this.#commit(after, after.to, cause);
    this.#parts.effects.notify({
      level: after.class === 'latching' ? 'error' : 'warn',
      text: restrictionText({ ...after, cause }),
    });
  }

  /** A graver cause takes the place of the first one, such as the hard limit that of the soft one. */
  replaceCause(control: ControlId, cause: string): void {
    this.#restrictions = withCause(this.#restrictions, { control }, cause);
    const restriction = this.restriction(control);
    if (restriction === undefined) return;
    this.#commit(restriction, restriction.to, cause);
    this.#parts.effects.notify({ level: 'error', text: restrictionText(restriction) });
  }

  /** The control's own condition has ended by its own rule, such as a new venue day. */
  lift(control: ControlId, symbol: string | undefined, cause: string): void {
    const restriction = this.restriction(control, symbol);
    if (restriction === undefined) return;
    this.#restrictions = lift(this.#restrictions, restriction);
    this.#commit(restriction, 'TRADING', cause);
  }

  /**
   * A person ends the latched restrictions of the account, or those of one symbol. Without a symbol the
   * kill switch ends too, and the account is unverified: the caller reconciles.
   * @returns the ended restrictions
   */
  resume({ symbol }: ResumeScope, cause: string): readonly Restriction[] {
    const ended = this.#restrictions.active.filter(
      (each) => each.class === 'latching' && each.symbol === symbol,
    );
    if (symbol === undefined) {
      const hadKill = this.#killLevel !== undefined;
      this.#killLevel = undefined;
      if (hadKill || ended.length > 0) this.doubt(cause);
    }
    for (const each of ended) {
      this.#restrictions = resume(this.#restrictions, each);
      this.#commit(each, 'TRADING', cause);
    }
    return ended;
  }

  /** A clean reconciliation, whose read left at `startedAt` (monotonic ms). */
  onCleanReconciliation(startedAt: number): void {
    const before = this.#restrictions;
    if (before.active.length === 0) return;
    this.#restrictions = reconcile(before, startedAt, this.#parts.stamp.monotonic);
    for (const each of before.active) {
      if (this.restriction(each.control, each.symbol) !== undefined) continue;
      this.#commit(each, 'TRADING', 'two clean reconciliations and 60 s');
    }
  }

  /**
   * Only a stronger level of an operator changes a kill switch that is set. `flatten` after `cancel`
   * lets exits leave again, after a reconciliation.
   */
  kill(level: KillLevel, cause: string): void {
    if (level === 'flatten' && this.#killLevel === 'cancel') this.doubt(cause);
    if (level !== 'pause' || this.#killLevel === undefined) this.#killLevel = level;
    this.#announce(cause);
  }

  /**
   * Temporary: it ends with a clean reconciliation. Exits are accepted and wait. Once the
   * venue accepts the key again, the believed positions are unverified.
   */
  setKeyRefused(refused: boolean, cause: string): void {
    this.#isKeyRefused = refused;
    if (!refused && this.isReady) this.#phase = 'reconciling';
    this.#announce(cause);
  }

  /** No more orders are placed, and the run ends: the journal failed, or another bot writes. */
  halt(reason: string): void {
    if (this.#haltReason === reason) return;
    this.#haltReason ??= reason;
    this.#announce(reason);
    this.#parts.effects.notify({ level: 'error', text: `halted: ${reason}` });
  }

  #enter(phase: TradingPhase, cause: string): void {
    this.#phase = phase;
    this.#announce(cause);
  }

  /** Journals a restriction's change, also where the mode stays. */
  #commit(
    { control, symbol, class: restrictionClass }: Restriction,
    to: Mode,
    cause: string,
  ): void {
    const change: RestrictionChange = { control, class: restrictionClass, restriction: to };
    if (symbol === undefined) {
      this.#announce(cause, change);
      return;
    }
    const from = this.#symbolModes.get(symbol) ?? 'TRADING';
    this.#derive();
    const after = this.#symbolModes.get(symbol) ?? 'TRADING';
    this.#parts.journal.symbolMode(symbol, { from, to: after }, cause, change);
  }

  /** Journals the mode of the account, if it or a restriction has changed. */
  #announce(cause: string, change?: RestrictionChange): void {
    const before = this.#mode;
    this.#derive();
    if (this.#mode === before && change === undefined) return;
    this.#parts.journal.mode(this.#mode, cause, change);
    if (this.#mode === before) return;
    this.#parts.effects.notify({ level: 'info', text: `${before} → ${this.#mode}` });
  }

  #derive(): void {
    this.#mode = this.#currentMode();
    const { active } = this.#restrictions;
    this.#symbolModes = symbolModes(active);
    this.#gateModes = symbolModes(active.filter(({ control }) => control !== 'R22'));
  }

  #currentMode(): Mode {
    if (this.#haltReason !== undefined) return 'HALTED';
    let restricted = accountMode(this.#restrictions);
    if (this.#killLevel !== undefined)
      restricted = stricter<Mode>(restricted, restrictionOfKill(this.#killLevel));
    if (this.#isKeyRefused) restricted = stricter<Mode>(restricted, 'REDUCE_ONLY');
    return modeOf(this.#phase, restricted);
  }
}

const scopeOf = (
  control: ControlId,
  symbol: string | undefined,
): Pick<Restriction, 'control' | 'symbol'> =>
  symbol === undefined ? { control } : { control, symbol };
