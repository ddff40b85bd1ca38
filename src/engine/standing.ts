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

/** What the bot may do now, and why: its mode, the kill switch, whether it is stopping. */
export class Standing {
  readonly #journal: Journal;
  readonly #effects: EffectSink;
  #mode: ModeState = INITIAL_MODE;
  #killLevel: KillLevel | undefined;
  #haltReason: string | undefined;
  #accessRefused = false;
  /** A stop was asked for: nothing new is opened. */
  stopping = false;

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
  /** Everything is canceled for good: no strategy begins to trade in this life. */
  get killed(): boolean {
    return this.#killLevel === 'cancel' || this.#killLevel === 'flatten';
  }
  /** The first reason, which the others may follow from. */
  get haltReason(): string | undefined {
    return this.#haltReason;
  }

  /** The venue refuses the key: nothing that is sent can have an effect. */
  get accessRefused(): boolean {
    return this.#accessRefused;
  }

  advance(event: ModeEvent): void {
    const before = this.mode;
    this.#mode = nextMode(this.#mode, event);
    if (this.mode === before) return;
    this.#journal.mode(this.mode, this.#mode.cause);
    this.#effects.notify({ level: 'info', text: `${before} → ${this.mode}` });
  }

  /**
   * Nothing weakens a switch that was thrown but an operator's own stronger wish: `flatten` after
   * `cancel` lets exits out again, so it is a re-arming for exits alone, by way of a reconciliation.
   */
  kill(level: KillLevel, cause: string): void {
    if (level === 'flatten' && this.#killLevel === 'cancel' && this.mode === 'CANCEL_ONLY') {
      this.advance({ kind: 're-armed', cause });
    }
    if (level !== 'pause' || this.#killLevel === undefined) this.#killLevel = level;
    this.advance({ kind: 'restricted', to: restrictionOfKill(level), soft: false, cause });
  }

  /**
   * Soft, so that it ends with a clean reconciliation; exits may be wanted, and wait. What was believed
   * meanwhile is in doubt once the key is accepted again.
   */
  access(refused: boolean, cause: string): void {
    this.#accessRefused = refused;
    if (refused) this.advance({ kind: 'restricted', to: 'REDUCE_ONLY', soft: true, cause });
    else this.advance({ kind: 'doubted', cause });
  }

  /** Nothing more is placed; what is unproved is still looked at. */
  halt(reason: string): void {
    if (this.#haltReason === reason) return;
    this.#haltReason ??= reason;
    this.advance({ kind: 'restricted', to: 'HALTED', soft: false, cause: reason });
    this.#effects.notify({ level: 'error', text: `halted: ${reason}` });
  }
}
