import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import {
  withChanges,
  type LimitChange,
  type TightenedLimit,
} from '../../risk/catalog/limit-changes.js';
import { limitText } from '../../risk/catalog/limit-catalog.js';
import type { Gate } from '../../risk/gate.js';
import type { RiskLimits } from '../../risk/limits/risk-limits.js';

export interface LimitTighteningParts {
  readonly gate: Gate;
  readonly journal: Journal;
  readonly effects: EffectSink;
  /** Changes that previous runs left in force. */
  readonly recovered?: readonly LimitChange[];
}

/**
 * Limits that a person tightens at run time (R44). They stand over restarts, until the configuration is as tight
 * or a person accepts its limits.
 */
export class LimitTightening {
  readonly #parts: LimitTighteningParts;
  readonly #configured: RiskLimits;
  #changes: readonly LimitChange[];
  #tightened: readonly TightenedLimit[] = [];

  constructor(parts: LimitTighteningParts) {
    this.#parts = parts;
    this.#configured = parts.gate.limits;
    this.#changes = parts.recovered ?? [];
    this.#apply();
  }

  /** Limits that differ from the configuration's. */
  get tightened(): readonly TightenedLimit[] {
    return this.#tightened;
  }

  /** Names the limits that previous runs left tightened. */
  start(): void {
    for (const each of this.#tightened) this.#note(`${tightenedText(each)} still holds`);
  }

  /** A key that would allow more changes nothing. */
  tighten(limits: Readonly<Record<string, string>>, reason: string): void {
    const before = new Map(this.#tightened.map((each) => [each.key, each.to]));
    const changes = Object.entries(limits).map(([key, value]) => ({ key, value, reason }));
    this.#changes = [...this.#changes, ...changes];
    this.#apply();
    const news = this.#tightened.filter(({ key, to }) => before.get(key) !== to);
    if (news.length === 0) this.#note('no limit is tightened: each is as tight already');
    for (const each of news) this.#note(tightenedText(each));
  }

  /** A person has accepted the limits of the configuration. */
  loosen(reason: string): void {
    const ended = this.#tightened;
    this.#changes = [];
    this.#apply();
    for (const { key, unit, from } of ended)
      this.#note(`${key} is ${limitText(from ?? undefined, unit)} again: ${reason}`);
  }

  #apply(): void {
    const { limits, tightened } = withChanges(this.#configured, this.#changes);
    this.#parts.gate.setLimits(limits);
    this.#tightened = tightened;
  }

  #note(text: string): void {
    this.#parts.journal.accountNote('info', text);
    this.#parts.effects.notify({ level: 'info', text });
  }
}

/** `max_leverage 2 x, tightened from 3 x by a person (the news at noon)`. */
export const tightenedText = ({ key, unit, from, to, reason }: TightenedLimit): string =>
  `${key} ${limitText(to, unit)}, tightened from ${limitText(from ?? undefined, unit)} by a person (${reason})`;
