import type { Currency } from '../../core/currency.js';
import type { Ratio } from '../../core/fixed.js';
import type { SettingLeverage } from '../../execution/operation/setting-leverage.js';

interface Setting {
  readonly symbol: string;
  readonly wanted: Ratio;
  /** As the venue last told it. */
  read: Ratio | undefined;
  failure: string | undefined;
  /** It was read as wanted, or cannot be had. */
  done: boolean;
  /** It is being read or set. */
  asking: boolean;
}

/** Leverage per symbol, as it must be before the first order (hazard A33). */
export class LeverageBook {
  readonly #setting: Pick<SettingLeverage, 'want'>;
  readonly #currency: Currency;
  readonly #settings = new Map<string, Setting>();
  readonly #changed: () => void;

  constructor(parts: {
    readonly setting: Pick<SettingLeverage, 'want'>;
    readonly currency: Currency;
    readonly changed: () => void;
  }) {
    this.#setting = parts.setting;
    this.#currency = parts.currency;
    this.#changed = parts.changed;
  }

  want(symbol: string, leverage: Ratio): void {
    this.#settings.set(symbol, {
      symbol,
      wanted: leverage,
      read: undefined,
      failure: undefined,
      done: false,
      asking: false,
    });
  }

  start(): void {
    for (const setting of this.#settings.values()) this.#see(setting);
  }

  /** The venue has none any more, and without one not even an exit is taken: it is set anew. */
  unset(symbol: string): void {
    const setting = this.#settings.get(symbol);
    if (setting === undefined || setting.asking) return;
    setting.read = undefined;
    this.#see(setting);
  }

  wanted(symbol: string): Ratio | undefined {
    return this.#settings.get(symbol)?.wanted;
  }

  /** A later read of a symbol that is settled. */
  told(symbol: string, read: Ratio): void {
    const setting = this.#settings.get(symbol);
    if (setting !== undefined) setting.read = read;
  }

  read(symbol: string): Ratio | undefined {
    return this.#settings.get(symbol)?.read;
  }

  /** Every one was as wanted once, or will not be. */
  get settled(): boolean {
    return [...this.#settings.values()].every(({ done }) => done);
  }

  /** Why one is not as wanted, and will not be. */
  get failure(): string | undefined {
    return [...this.#settings.values()].find(({ failure }) => failure !== undefined)?.failure;
  }

  #see(setting: Setting): void {
    const { symbol, wanted: leverage } = setting;
    setting.asking = true;
    this.#setting.want(
      { symbol, currency: this.#currency, leverage },
      {
        read: (read) => {
          setting.read = read;
          setting.done ||= read === leverage;
        },
        set: () => {
          setting.asking = false;
          this.#changed();
        },
        failed: (reason) => {
          setting.asking = false;
          setting.failure = reason;
          setting.done = true;
          this.#changed();
        },
      },
    );
  }
}
