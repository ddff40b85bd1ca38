import type { EffectSink } from '../execution/effects.js';
import type { Journal } from '../execution/journal/journal.js';
import {
  INITIAL_MODE,
  modeOf,
  nextMode,
  restrictionOfKill,
  type KillLevel,
  type Mode,
  type ModeEvent,
  type ModeState,
} from '../risk/mode.js';

/** Permissions of the bot and their causes: its mode, the kill switch, whether it is stopping. */
export class TradingState {
  readonly #journal: Journal;
  readonly #effects: EffectSink;
  #mode: ModeState = INITIAL_MODE;
  #killLevel: KillLevel | undefined;
  #haltReason: string | undefined;
  #isKeyRefused = false;
  /** A stop was requested: nothing new is opened. */
  isStopping = false;

  constructor(parts: { readonly journal: Journal; readonly effects: EffectSink }) {
    this.#journal = parts.journal;
    this.#effects = parts.effects;
  }

  get mode(): Mode {
    return modeOf(this.#mode);
  }
  get killLevel(): KillLevel | undefined {
    return this.#killLevel;
  }
  /** Every order is canceled for good: no strategy starts to trade in this run. */
  get isKilled(): boolean {
    return this.#killLevel === 'cancel' || this.#killLevel === 'flatten';
  }
  /** The first reason: later ones may follow from it. */
  get haltReason(): string | undefined {
    return this.#haltReason;
  }

  /** The venue refuses the key: no request can have an effect. */
  get isKeyRefused(): boolean {
    return this.#isKeyRefused;
  }

  advance(event: ModeEvent): void {
    const before = this.mode;
    this.#mode = nextMode(this.#mode, event);
    if (this.mode === before) return;
    this.#journal.mode(this.mode, this.#mode.cause);
    this.#effects.notify({ level: 'info', text: `${before} → ${this.mode}` });
  }

  /**
   * Only a stronger level of an operator changes a kill switch that is set. `flatten` after `cancel`
   * lets exits leave again, after a reconciliation.
   */
  kill(level: KillLevel, cause: string): void {
    if (level === 'flatten' && this.#killLevel === 'cancel' && this.mode === 'CANCEL_ONLY') {
      this.advance({ kind: 're-armed', cause });
    }
    if (level !== 'pause' || this.#killLevel === undefined) this.#killLevel = level;
    this.advance({ kind: 'restricted', to: restrictionOfKill(level), soft: false, cause });
  }

  /**
   * Temporary: it ends with a clean reconciliation. Exits are accepted and wait. Once the
   * venue accepts the key again, the believed positions are unverified.
   */
  setKeyRefused(refused: boolean, cause: string): void {
    this.#isKeyRefused = refused;
    if (refused) this.advance({ kind: 'restricted', to: 'REDUCE_ONLY', soft: true, cause });
    else this.advance({ kind: 'doubted', cause });
  }

  /** No more orders are placed; unproved orders are still queried. */
  halt(reason: string): void {
    if (this.#haltReason === reason) return;
    this.#haltReason ??= reason;
    this.advance({ kind: 'restricted', to: 'HALTED', soft: false, cause: reason });
    this.#effects.notify({ level: 'error', text: `halted: ${reason}` });
  }
}
