import type { Currency } from '../core/currency.js';
import { textFromFixed, type Ratio } from '../core/fixed.js';
import type { Outcome } from '../core/request.js';
import { RETRY_SPACING_MS, spaced } from '../execution/constants.js';
import type { Desk } from '../execution/desk.js';

/** Sets that the venue took and that did not show in the next read: somebody else sets it too. */
const MAX_LOST_SETS = 5;

interface Setting {
  readonly symbol: string;
  readonly wanted: Ratio;
  /** As the venue last told it. */
  read: Ratio | undefined;
  /** Sets that the venue took. */
  sets: number;
  /** Rounds so far; spaces the next. */
  rounds: number;
  failure: string | undefined;
}

/**
 * Leverage per symbol: read, set where it differs, and read back before the first order (hazard A33).
 * Setting is idempotent by value, so a lost answer is met by reading again.
 */
export class LeverageBook {
  readonly #desk: Desk;
  readonly #currency: Currency;
  readonly #settings = new Map<string, Setting>();
  readonly #changed: () => void;

  constructor(parts: {
    readonly desk: Desk;
    readonly currency: Currency;
    readonly changed: () => void;
  }) {
    this.#desk = parts.desk;
    this.#currency = parts.currency;
    this.#changed = parts.changed;
  }

  want(symbol: string, leverage: Ratio): void {
    this.#settings.set(symbol, {
      symbol,
      wanted: leverage,
      read: undefined,
      sets: 0,
      rounds: 0,
      failure: undefined,
    });
  }

  start(): void {
    for (const setting of this.#settings.values()) this.#read(setting);
  }

  wanted(symbol: string): Ratio | undefined {
    return this.#settings.get(symbol)?.wanted;
  }

  read(symbol: string): Ratio | undefined {
    return this.#settings.get(symbol)?.read;
  }

  get ready(): boolean {
    return [...this.#settings.values()].every((setting) => setting.read === setting.wanted);
  }

  /** Why it is not ready and will not be: the venue refused to set it. */
  get failure(): string | undefined {
    return [...this.#settings.values()].find((setting) => setting.failure !== undefined)?.failure;
  }

  #read(setting: Setting): void {
    this.#desk.ask<'read-leverage'>({
      request: { kind: 'read-leverage', symbol: setting.symbol, currency: this.#currency },
      priority: 'verify',
      answered: (outcome) => {
        this.#wasRead(setting, outcome);
      },
    });
  }

  #wasRead(setting: Setting, outcome: Outcome<Ratio>): void {
    if (outcome.kind === 'yes') setting.read = outcome.value;
    const neverSet = outcome.kind === 'no' && outcome.code === 'leverage-not-set';
    const { symbol, wanted, read, rounds } = setting;
    if (read === wanted) this.#changed();
    else if (setting.sets === MAX_LOST_SETS) {
      const text = textFromFixed(wanted);
      this.#fail(setting, `leverage of ${symbol} does not stay at ${text}: who else sets it?`);
    } else if (outcome.kind === 'yes' || neverSet) {
      if (rounds === 0) this.#set(setting);
      else
        this.#later(setting, () => {
          this.#set(setting);
        });
    } else
      this.#later(setting, () => {
        this.#read(setting);
      });
  }

  #set(setting: Setting): void {
    const { symbol, wanted: leverage } = setting;
    setting.rounds += 1;
    this.#desk.ask<'set-leverage'>({
      request: { kind: 'set-leverage', symbol, currency: this.#currency, leverage },
      priority: 'place',
      answered: (outcome) => {
        this.#wasSet(setting, outcome);
      },
    });
  }

  /** Refused for the moment or without a clear answer: what holds is for the next read to tell. */
  #wasSet(setting: Setting, outcome: Outcome<Ratio>): void {
    const forNow =
      outcome.kind === 'no' && (outcome.code === 'rate-limited' || outcome.code === 'locked');
    if (outcome.kind === 'no' && !forNow) {
      const { symbol, wanted } = setting;
      const text = textFromFixed(wanted);
      this.#fail(setting, `the venue refuses leverage ${text} on ${symbol}: ${outcome.text}`);
      return;
    }
    if (outcome.kind === 'yes') setting.sets += 1;
    this.#read(setting);
  }

  #fail(setting: Setting, reason: string): void {
    setting.failure = reason;
    this.#changed();
  }

  #later(setting: Setting, run: () => void): void {
    const delay = spaced(RETRY_SPACING_MS, setting.rounds);
    setting.rounds += 1;
    this.#desk.after(delay, run);
  }
}
