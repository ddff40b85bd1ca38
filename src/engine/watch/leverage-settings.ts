import type { Currency } from '../../core/currency.js';
import type { Ratio } from '../../core/fixed/fixed.js';
import type { LeverageSetter } from '../../execution/operation/leverage-setter.js';

interface Setting {
  readonly symbol: string;
  readonly configured: Ratio;
  /** As the venue last reported it. */
  read: Ratio | undefined;
  failure: string | undefined;
  /** It was read as configured, or the venue refuses it. */
  isDone: boolean;
  /** A read or a change of it is pending. */
  isPending: boolean;
}

/** Leverage per symbol, which must match the configuration before the first order (hazard A33). */
export class LeverageSettings {
  readonly #setter: Pick<LeverageSetter, 'ensure'>;
  readonly #currency: Currency;
  readonly #settings = new Map<string, Setting>();
  readonly #onChanged: () => void;
  readonly #onFailed: (symbol: string, reason: string) => void;

  constructor(parts: {
    readonly setter: Pick<LeverageSetter, 'ensure'>;
    readonly currency: Currency;
    readonly onChanged: () => void;
    /** The venue refuses the leverage, or it does not stay. */
    readonly onFailed: (symbol: string, reason: string) => void;
  }) {
    this.#setter = parts.setter;
    this.#currency = parts.currency;
    this.#onChanged = parts.onChanged;
    this.#onFailed = parts.onFailed;
  }

  configure(symbol: string, leverage: Ratio): void {
    this.#settings.set(symbol, {
      symbol,
      configured: leverage,
      read: undefined,
      failure: undefined,
      isDone: false,
      isPending: false,
    });
  }

  start(): void {
    for (const setting of this.#settings.values()) this.#apply(setting);
  }

  /** The venue has no leverage for the symbol and refuses even exits: it is set again. */
  onUnset(symbol: string): void {
    const setting = this.#settings.get(symbol);
    if (setting === undefined || setting.isPending) return;
    setting.read = undefined;
    this.#apply(setting);
  }

  configured(symbol: string): Ratio | undefined {
    return this.#settings.get(symbol)?.configured;
  }

  /** A later read of a settled symbol. */
  update(symbol: string, read: Ratio): void {
    const setting = this.#settings.get(symbol);
    if (setting !== undefined) setting.read = read;
  }

  read(symbol: string): Ratio | undefined {
    return this.#settings.get(symbol)?.read;
  }

  /** Every leverage was read as configured once, or failed for good. */
  get isSettled(): boolean {
    return [...this.#settings.values()].every(({ isDone }) => isDone);
  }

  /** Symbols whose leverage is neither. */
  get unsettled(): readonly string[] {
    return [...this.#settings.values()].flatMap(({ isDone, symbol }) => (isDone ? [] : [symbol]));
  }

  /** Why the symbol's leverage differs from the configuration for good. */
  failure(symbol: string): string | undefined {
    return this.#settings.get(symbol)?.failure;
  }

  /** Sets a leverage again that the venue refused. */
  retry(symbol: string, onEnd: (failure: string | undefined) => void): void {
    const setting = this.#settings.get(symbol);
    if (setting === undefined || setting.isPending) return;
    this.#apply(setting, onEnd);
  }

  #apply(setting: Setting, onEnd?: (failure: string | undefined) => void): void {
    const { symbol, configured: leverage } = setting;
    setting.isPending = true;
    this.#setter.ensure(
      { symbol, currency: this.#currency, leverage },
      {
        onRead: (read) => {
          setting.read = read;
          setting.isDone ||= read === leverage;
        },
        onSet: () => {
          setting.isPending = false;
          setting.failure = undefined;
          onEnd?.(undefined);
          this.#onChanged();
        },
        onFailed: (reason) => {
          setting.isPending = false;
          setting.failure = reason;
          setting.isDone = true;
          this.#onFailed(symbol, reason);
          onEnd?.(reason);
          this.#onChanged();
        },
      },
    );
  }
}
