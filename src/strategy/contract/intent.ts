import type { Side } from '../../core/order.js';

/**
 * An entry. Refused: a number that is NaN, 0, negative or above 1e15, a stop on the winning side of the last
 * price, and a target on its losing side.
 */
export interface EnterRequest {
  /** A buy is long, a sell short. */
  readonly side: Side;
  /** Default: the symbol of the context. */
  readonly symbol?: string;
  /** Of the configured size: above 0, at most 1. Default 1. */
  readonly conviction?: number;
  /** Base units, instead of the configured size; `conviction` is then ignored. */
  readonly quantity?: number;
  /** Trigger price in USDT, instead of the configured percentage. */
  readonly stopLoss?: number;
  /** Trigger price in USDT, instead of the configured percentage. */
  readonly takeProfit?: number;
}

/** A resting order. Refused: a number that is NaN, 0, negative or above 1e15, or below one step. */
export interface LimitRequest {
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
export interface ProtectRequest {
  /** Default: the symbol of the context. */
  readonly symbol?: string;
  /** Below the price for a long position, above it for a short. */
  readonly stopLoss?: number;
  /** Above the price for a long position, below it for a short. */
  readonly takeProfit?: number;
}

/** An intent about one symbol; the intent of `exit` has nothing more. */
export interface SymbolIntent<Kind extends string> {
  /** Its kind. */
  readonly kind: Kind;
  /** The symbol that it concerns. */
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
export interface RequestIntent<Kind extends string, Request> extends SymbolIntent<Kind> {
  /** The argument of the method. */
  readonly request: Request;
}

/** The intent of `cancel`. */
export interface CancelIntent {
  /** Its kind. */
  readonly kind: 'cancel';
  /** As in `orders`. */
  readonly orderKey: number;
}

/** A request of a strategy, before sizing and risk checks. */
export type Intent =
  | TargetIntent
  | TargetQuantityIntent
  | RequestIntent<'enter', EnterRequest>
  | SymbolIntent<'exit'>
  | RequestIntent<'limit', LimitRequest>
  | RequestIntent<'protect', ProtectRequest>
  | CancelIntent;

/** The largest number that a venue can print: no price and no quantity is beyond it. */
export const LARGEST = 1e15;

/**
 * Reason why an intent is malformed, or undefined. Types hold at compile time only, and an indicator
 * may yield NaN (hazard H8): every number that reaches sizing is checked here.
 */
export function intentFault(intent: Intent): string | undefined {
  if (typeof intent !== 'object' || intent === null) return `${String(intent)} is no intent`;
  if ('request' in intent && (typeof intent.request !== 'object' || intent.request === null))
    return 'says nothing';
  switch (intent.kind) {
    case 'target':
      return convictionFault(intent.conviction, -1);
    case 'target-quantity':
      return isWithin(intent.quantity, -LARGEST, LARGEST)
        ? undefined
        : `quantity is ${shownValue(intent.quantity)}, not a number within ±${LARGEST}`;
    case 'enter':
      return sideFault(intent.request.side) ?? enterFault(intent.request);
    case 'limit':
      return sideFault(intent.request.side) ?? limitFault(intent.request);
    case 'protect':
      return protectFault(intent.request);
    case 'exit':
    case 'cancel':
      return undefined;
    default:
      return `"${String((intent as { readonly kind?: unknown }).kind)}" is no intent`;
  }
}

function enterFault({
  conviction,
  quantity,
  stopLoss,
  takeProfit,
}: EnterRequest): string | undefined {
  return (
    (conviction === undefined ? undefined : convictionFault(conviction, 0)) ??
    (conviction === 0 ? 'conviction is 0: use exit' : undefined) ??
    positiveFault('quantity', quantity) ??
    positiveFault('stopLoss', stopLoss) ??
    positiveFault('takeProfit', takeProfit)
  );
}

const protectFault = ({ stopLoss, takeProfit }: ProtectRequest): string | undefined =>
  (stopLoss === undefined && takeProfit === undefined ? 'says nothing' : undefined) ??
  positiveFault('stopLoss', stopLoss) ??
  positiveFault('takeProfit', takeProfit);

const limitFault = ({ price, quantity }: LimitRequest): string | undefined =>
  (price === undefined ? 'price is missing' : positiveFault('price', price)) ??
  positiveFault('quantity', quantity);

const sideFault = (side: Side): string | undefined =>
  side === 'buy' || side === 'sell' ? undefined : `side is ${String(side)}, not buy or sell`;

const convictionFault = (conviction: number, lowest: number): string | undefined =>
  isWithin(conviction, lowest, 1)
    ? undefined
    : `conviction is ${shownValue(conviction)}, not a number within ${lowest} … 1`;

const positiveFault = (name: string, value: number | undefined): string | undefined =>
  value === undefined || (value !== 0 && isWithin(value, 0, LARGEST))
    ? undefined
    : `${name} is ${shownValue(value)}, not a number above 0 and up to ${LARGEST}`;

/** Plain JavaScript passes a text too: '1' compares like 1, and '1' + 0 is '10'. */
const isWithin = (value: unknown, lowest: number, highest: number): boolean =>
  typeof value === 'number' && value >= lowest && value <= highest;

/** A value as a message shows it: `1`, `the text "1"`, `an array`. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
