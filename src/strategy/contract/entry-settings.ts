import {
  numberFromFixed,
  fixedFromNumber,
  sign,
  subtract,
  textFromFixed,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderFactory } from '../target/order-factory.js';
import { protectionFor, type AttachedPrices, type Protection } from './protection.js';
import type { Size } from '../target/size/sizing.js';
import { isReduction } from '../target/size/next-leg.js';
import { timerCause } from '../host/decision-context.js';
import type { PersistedState } from './strategy-port.js';

/** When a changed size or stop applies to an open position: from its next entry on, or at once. */
export const APPLY_POLICIES = ['next_entry', 'now'] as const;
export type ApplyPolicy = (typeof APPLY_POLICIES)[number];

/** Settings at the entry of a position, for people and for comparison. */
export interface EntryTerms {
  readonly size: string;
  /** Per cent of the entry; absent: none. */
  readonly stopLossPct?: number;
  readonly takeProfitPct?: number;
  /** The last setting while the position was open. */
  readonly leverage?: string;
}

/** Effect of a changed size setting on an open position. */
export type SizeChange = 'unchanged' | 'kept' | 'resized';

/** Whether the position that a previous run left has reached its target. */
export function isReached(desired: Quantity, position: Quantity, sizeChange: SizeChange): boolean {
  if (sizeChange === 'resized' && position !== 0) return false;
  const isMissing =
    sizeChange === 'kept' &&
    position !== 0 &&
    sign(desired) === sign(position) &&
    !isReduction(desired, position);
  return desired === position || isMissing;
}

const VERSION = 1;

export const entryStateKey = (symbol: string): string => `entry:${symbol}`;

export const entryTermsOf = (
  size: Size,
  protection: Protection,
  leverage: string | undefined,
): EntryTerms => {
  const stopLossPct = protection.stopLossPct ?? protection.trailingPct;
  const { takeProfitPct } = protection;
  return {
    size: sizeText(size),
    ...(stopLossPct !== undefined && { stopLossPct }),
    ...(takeProfitPct !== undefined && { takeProfitPct }),
    ...(leverage !== undefined && { leverage }),
  };
};

/** undefined: not known. */
export function parseEntryTerms(persisted: PersistedState | undefined): EntryTerms | undefined {
  if (persisted === undefined || persisted.version !== VERSION) return undefined;
  return JSON.parse(persisted.value) as EntryTerms;
}

/** The same settings, of an owner with another leverage. */
export function withEntryLeverage(persisted: PersistedState, leverage: string): PersistedState {
  const terms = parseEntryTerms(persisted);
  if (terms === undefined) return persisted;
  return { version: VERSION, value: JSON.stringify({ ...terms, leverage }) };
}

export interface EntrySettingsParts {
  readonly orderFactory: OrderFactory;
  readonly size: Size;
  readonly apply: ApplyPolicy;
  readonly leverage: string | undefined;
}

/** Persists the entry settings of each open position, and applies changed ones with `apply: now`. */
export class NextEntrySettings {
  readonly #orderFactory: OrderFactory;
  readonly #apply: ApplyPolicy;
  readonly #terms: EntryTerms;
  /** Side of the position whose terms are persisted; 0: flat. */
  readonly #sides = new Map<string, number>();

  constructor({ orderFactory, size, apply, leverage }: EntrySettingsParts) {
    this.#orderFactory = orderFactory;
    this.#apply = apply;
    this.#terms = entryTermsOf(size, orderFactory.settings.protection, leverage);
  }

  /** Restores the position of a previous run, before its target is restored. */
  restore(symbol: string): SizeChange {
    const { port } = this.#orderFactory;
    if (!port.isDurable) return 'unchanged';
    const position = port.position(symbol);
    this.#sides.set(symbol, sign(position));
    if (position === 0) return 'unchanged';
    const entered = parseEntryTerms(port.persisted(entryStateKey(symbol)));
    if (entered === undefined) {
      this.#persist(symbol);
      return 'unchanged';
    }
    // The venue has one leverage per symbol, and the startup has set it.
    const { leverage } = this.#terms;
    this.#persist(symbol, { ...entered, ...(leverage !== undefined && { leverage }) });
    const isResized = entered.size !== this.#terms.size;
    if (this.#apply === 'now') {
      this.#moveStop(symbol, entered);
      this.#persist(symbol);
    }
    if (!isResized) return 'unchanged';
    return this.#apply === 'now' ? 'resized' : 'kept';
  }

  /** A position that opens now was entered with the current settings. */
  onPositionChanged(symbol: string): void {
    const { port } = this.#orderFactory;
    if (!port.isDurable) return;
    const side = sign(port.position(symbol));
    if (side === this.#sides.get(symbol)) return;
    this.#sides.set(symbol, side);
    if (side !== 0) this.#persist(symbol);
  }

  #persist(symbol: string, terms = this.#terms): void {
    const { port } = this.#orderFactory;
    const key = entryStateKey(symbol);
    const value = JSON.stringify(terms);
    if (port.persisted(key)?.value !== value) port.persist(key, { version: VERSION, value });
  }

  /** Moves the stop to the distance from the entry that the settings ask for now. Only candles move a trailing stop. */
  #moveStop(symbol: string, entered: EntryTerms): void {
    const { settings, port } = this.#orderFactory;
    const { protection } = settings;
    const moves = {
      ...(entered.stopLossPct !== protection.stopLossPct &&
        !trails(protection) &&
        protection.stopLossPct !== undefined && { stopLossPct: protection.stopLossPct }),
      ...(entered.takeProfitPct !== protection.takeProfitPct &&
        protection.takeProfitPct !== undefined && { takeProfitPct: protection.takeProfitPct }),
    };
    if (Object.keys(moves).length === 0) return;
    const prices = this.#pricesOf(symbol, moves);
    if (prices === undefined) {
      this.#orderFactory.log(
        'error',
        `${symbol}: stop and target stay: the entry price is not known`,
      );
      return;
    }
    const text = pricesText(prices);
    if (this.#isPassed(symbol, prices)) {
      this.#orderFactory.log(
        'warn',
        `${symbol}: ${text} is beyond the last price: it stays as it is`,
      );
      return;
    }
    this.#orderFactory.protect(symbol, prices, timerCause(port, `apply:${symbol}`));
    this.#orderFactory.log(
      'info',
      `${symbol}: ${text}, as the configuration says now (apply: now)`,
    );
  }

  #pricesOf(symbol: string, moves: Protection): AttachedPrices | undefined {
    const { port } = this.#orderFactory;
    const [instrument, price] = [port.instrument(symbol), port.entryPrice(symbol)];
    if (instrument === undefined || price === undefined) return undefined;
    const side = port.position(symbol) > 0 ? 'buy' : 'sell';
    return protectionFor({ side, price, instrument }, moves);
  }

  #isPassed(symbol: string, { stopLoss, takeProfit }: AttachedPrices): boolean {
    const { port } = this.#orderFactory;
    const last = port.lastPrice(symbol);
    if (last === undefined) return false;
    const side = sign(port.position(symbol));
    const beyond = (price: Price | undefined, way: number): boolean =>
      price !== undefined &&
      sign(subtract(fixedFromNumber<'price'>(last), price)) * side * way <= 0;
    return beyond(stopLoss, 1) || beyond(takeProfit, -1);
  }
}

const trails = ({ trailingPct, breakEvenPct }: Protection): boolean =>
  trailingPct !== undefined || breakEvenPct !== undefined;

const pricesText = ({ stopLoss, takeProfit }: AttachedPrices): string =>
  [
    ...(stopLoss === undefined ? [] : [`stop at ${textFromFixed(stopLoss)}`]),
    ...(takeProfit === undefined ? [] : [`target at ${textFromFixed(takeProfit)}`]),
  ].join(', ');

/** For people: `0.01`, `250 USDT`, `10 % of equity`. */
export function sizeText(size: Size): string {
  switch (size.kind) {
    case 'quantity':
      return String(numberFromFixed(size.quantity));
    case 'notional':
      return `${size.notional} USDT`;
    case 'equity-pct':
      return `${size.percent} % of equity`;
    case 'risk-pct':
      return `${size.percent} % of equity at the stop`;
    case 'volatility-pct':
      return `${size.percent} % yearly volatility over ${size.lookback} candles, at most ${size.maxEquityPct} % of equity`;
  }
}
