import {
  numberFromFixed,
  fixedFromNumber,
  sign,
  subtract,
  textFromFixed,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { OrderDesk } from './order-desk.js';
import { protectionFor, type AttachedPrices, type Protection } from './protection.js';
import type { Size } from './size/sizing.js';
import { isReduction } from './size/target.js';
import { causeOfNow } from './host/step.js';
import type { KeptState } from './world.js';

/** When a changed size or stop counts for a position that is open: from its next entry on, or at once. */
export const APPLY_POLICIES = ['next_entry', 'now'] as const;
export type ApplyPolicy = (typeof APPLY_POLICIES)[number];

/** With what a position was entered, for people and to be compared. */
export interface EntryTerms {
  readonly size: string;
  /** Per cent of the entry; absent: none. */
  readonly stopLossPct?: number;
  readonly takeProfitPct?: number;
  /** As it was set last while the position was open. */
  readonly leverage?: string;
}

/** The fate of the size of an open position whose setting has changed. */
export type Resizing = 'unchanged' | 'kept' | 'resized';

/** Whether a position that a life before this one left stands for what was wanted. */
export function isReached(desired: Quantity, position: Quantity, resizing: Resizing): boolean {
  if (resizing === 'resized' && position !== 0) return false;
  const isMissing =
    resizing === 'kept' &&
    position !== 0 &&
    sign(desired) === sign(position) &&
    !isReduction(desired, position);
  return desired === position || isMissing;
}

const VERSION = 1;

export const entryKeyOf = (symbol: string): string => `entry:${symbol}`;

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

/** undefined: nothing is known of it. */
export function readEntryTerms(kept: KeptState | undefined): EntryTerms | undefined {
  if (kept === undefined || kept.version !== VERSION) return undefined;
  return JSON.parse(kept.value) as EntryTerms;
}

export interface EntrySettingsParts {
  readonly desk: OrderDesk;
  readonly size: Size;
  readonly apply: ApplyPolicy;
  readonly leverage: string | undefined;
}

/** Keeps with which settings each open position was entered, and applies changed ones where that is asked. */
export class EntrySettings {
  readonly #desk: OrderDesk;
  readonly #apply: ApplyPolicy;
  readonly #terms: EntryTerms;
  /** Side of the position whose terms are kept; 0: flat. */
  readonly #sides = new Map<string, number>();

  constructor({ desk, size, apply, leverage }: EntrySettingsParts) {
    this.#desk = desk;
    this.#apply = apply;
    this.#terms = entryTermsOf(size, desk.settings.protection, leverage);
  }

  /** Takes over the position of an earlier life, before its target is restored. */
  adopt(symbol: string): Resizing {
    const { world } = this.#desk;
    if (!world.isDurable) return 'unchanged';
    const position = world.position(symbol);
    this.#sides.set(symbol, sign(position));
    if (position === 0) return 'unchanged';
    const entered = readEntryTerms(world.kept(entryKeyOf(symbol)));
    if (entered === undefined) {
      this.#keep(symbol);
      return 'unchanged';
    }
    // The venue has one leverage of a symbol, and the start has set it.
    const { leverage } = this.#terms;
    this.#keep(symbol, { ...entered, ...(leverage !== undefined && { leverage }) });
    const isResized = entered.size !== this.#terms.size;
    if (this.#apply === 'now') {
      this.#moveStop(symbol, entered);
      this.#keep(symbol);
    }
    if (!isResized) return 'unchanged';
    return this.#apply === 'now' ? 'resized' : 'kept';
  }

  /** The position has changed: one that begins was entered with the settings of now. */
  moved(symbol: string): void {
    const { world } = this.#desk;
    if (!world.isDurable) return;
    const side = sign(world.position(symbol));
    if (side === this.#sides.get(symbol)) return;
    this.#sides.set(symbol, side);
    if (side !== 0) this.#keep(symbol);
  }

  #keep(symbol: string, terms = this.#terms): void {
    const { world } = this.#desk;
    const key = entryKeyOf(symbol);
    const value = JSON.stringify(terms);
    if (world.kept(key)?.value !== value) world.keep(key, { version: VERSION, value });
  }

  /** Moves the stop to where the settings of now would have set it at the entry. Candles alone move a trailing stop. */
  #moveStop(symbol: string, entered: EntryTerms): void {
    const { settings, world } = this.#desk;
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
      this.#desk.say('error', `${symbol}: stop and target stay: the entry price is not known`);
      return;
    }
    const text = pricesText(prices);
    if (this.#isPassed(symbol, prices)) {
      this.#desk.say('warn', `${symbol}: ${text} is beyond the last price: it stays as it is`);
      return;
    }
    this.#desk.protect(symbol, prices, causeOfNow(world, `apply:${symbol}`));
    this.#desk.say('info', `${symbol}: ${text}, as the configuration says now (apply: now)`);
  }

  #pricesOf(symbol: string, moves: Protection): AttachedPrices | undefined {
    const { world } = this.#desk;
    const [instrument, price] = [world.instrument(symbol), world.entryPrice(symbol)];
    if (instrument === undefined || price === undefined) return undefined;
    const side = world.position(symbol) > 0 ? 'buy' : 'sell';
    return protectionFor({ side, price, instrument }, moves);
  }

  #isPassed(symbol: string, { stopLoss, takeProfit }: AttachedPrices): boolean {
    const { world } = this.#desk;
    const last = world.lastPrice(symbol);
    if (last === undefined) return false;
    const side = sign(world.position(symbol));
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

/** As a person reads it: `0.01`, `250 USDT`, `10 % of equity`. */
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
