import type { Side } from '../core/order.js';

/**
 * An entry. Refused: a number that is NaN, 0, negative or above 1e15, a stop on the winning side of the last
 * price, and a target on its losing side.
 */
export interface EnterWish {
  /** A buy is long, a sell short. */
  readonly side: Side;
  /** Default: the symbol of the context. */
  readonly symbol?: string;
  /** Of the configured size: above 0, at most 1. Default 1. */
  readonly conviction?: number;
  /** Base units, instead of the configured size; `conviction` does not count then. */
  readonly quantity?: number;
  /** Trigger price in USDT, instead of the configured percentage. */
  readonly stopLoss?: number;
  /** Trigger price in USDT, instead of the configured percentage. */
  readonly takeProfit?: number;
}

/** A resting order. Refused: a number that is NaN, 0, negative or above 1e15, or below one step. */
export interface LimitWish {
  /** Its direction. */
  readonly side: Side;
  /** Default: the symbol of the context. */
  readonly symbol?: string;
  /** USDT; rounded onto the step, away from the market. */
  readonly price: number;
  /** Base units. Default: the configured size, or the whole position when it reduces. */
  readonly quantity?: number;
}

/**
 * Trigger prices in USDT of the open position; an absent one stays as it is. Refused: neither of them, a
 * number that is NaN, 0, negative or above 1e15, and a price on the wrong side of the last price.
 */
export interface ProtectWish {
  /** Default: the symbol of the context. */
  readonly symbol?: string;
  /** Below the price for a long position, above it for a short. */
  readonly stopLoss?: number;
  /** Above the price for a long position, below it for a short. */
  readonly takeProfit?: number;
}

/** An intent about one symbol; the intent of `exit` has no more. */
export interface SymbolIntent<Kind extends string> {
  /** Its kind. */
  readonly kind: Kind;
  /** The symbol that it is about. */
  readonly symbol: string;
}

/** The intent of `target`. */
export interface TargetIntent extends SymbolIntent<'target'> {
  /** −1 … 1 of the configured size. */
  readonly conviction: number;
}

/** The intent of `targetQuantity`. */
export interface TargetQuantityIntent extends SymbolIntent<'target-quantity'> {
  /** Signed base units. */
  readonly quantity: number;
}

/** The intents of `enter`, `limit` and `protect`. */
export interface WishIntent<Kind extends string, Wish> extends SymbolIntent<Kind> {
  /** The argument of the method. */
  readonly wish: Wish;
}

/** The intent of `cancel`. */
export interface CancelIntent {
  /** Its kind. */
  readonly kind: 'cancel';
  /** As in `orders`. */
  readonly orderKey: number;
}

/** A wish of a strategy: not sized, not judged. */
export type Intent =
  | TargetIntent
  | TargetQuantityIntent
  | WishIntent<'enter', EnterWish>
  | SymbolIntent<'exit'>
  | WishIntent<'limit', LimitWish>
  | WishIntent<'protect', ProtectWish>
  | CancelIntent;

/** The largest number that a venue can print: no price and no quantity is beyond it. */
export const LARGEST = 1e15;

/**
 * Why an intent cannot be taken as it stands, or undefined. Types hold at compile time only, and an
 * indicator may yield NaN (hazard H8): every number that reaches sizing is checked here.
 */
export function intentFault(intent: Intent): string | undefined {
  if (typeof intent !== 'object' || intent === null) return `${String(intent)} is no intent`;
  if ('wish' in intent && (typeof intent.wish !== 'object' || intent.wish === null))
    return 'says nothing';
  switch (intent.kind) {
    case 'target':
      return convictionFault(intent.conviction, -1);
    case 'target-quantity':
      return Math.abs(intent.quantity) <= LARGEST
        ? undefined
        : `quantity is ${intent.quantity}, not a number within ±${LARGEST}`;
    case 'enter':
      return sideFault(intent.wish.side) ?? enterFault(intent.wish);
    case 'limit':
      return sideFault(intent.wish.side) ?? limitFault(intent.wish);
    case 'protect':
      return protectFault(intent.wish);
    case 'exit':
    case 'cancel':
      return undefined;
    default:
      return `"${String((intent as { readonly kind?: unknown }).kind)}" is no intent`;
  }
}

function enterFault({ conviction, quantity, stopLoss, takeProfit }: EnterWish): string | undefined {
  return (
    (conviction === undefined ? undefined : convictionFault(conviction, 0)) ??
    (conviction === 0 ? 'conviction is 0: use exit' : undefined) ??
    positiveFault('quantity', quantity) ??
    positiveFault('stopLoss', stopLoss) ??
    positiveFault('takeProfit', takeProfit)
  );
}

const protectFault = ({ stopLoss, takeProfit }: ProtectWish): string | undefined =>
  (stopLoss === undefined && takeProfit === undefined ? 'says nothing' : undefined) ??
  positiveFault('stopLoss', stopLoss) ??
  positiveFault('takeProfit', takeProfit);

const limitFault = ({ price, quantity }: LimitWish): string | undefined =>
  (price === undefined ? 'price is missing' : positiveFault('price', price)) ??
  positiveFault('quantity', quantity);

const sideFault = (side: Side): string | undefined =>
  side === 'buy' || side === 'sell' ? undefined : `side is ${String(side)}, not buy or sell`;

const convictionFault = (conviction: number, lowest: number): string | undefined =>
  conviction >= lowest && conviction <= 1
    ? undefined
    : `conviction is ${conviction}, not within ${lowest} … 1`;

const positiveFault = (name: string, value: number | undefined): string | undefined =>
  value === undefined || (value > 0 && value <= LARGEST)
    ? undefined
    : `${name} is ${value}, not a number above 0 and up to ${LARGEST}`;
