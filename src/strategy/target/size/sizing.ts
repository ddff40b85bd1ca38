import { isPlainDecimal } from '../../../core/fixed/decimal.js';
import {
  fixedFromNumber,
  fixedFromText,
  floorToStep,
  numberFromFixed,
  type Quantity,
} from '../../../core/fixed/fixed.js';
import { quantize, type Instrument } from '../../../core/instrument.js';
import { LARGEST } from '../../contract/intent.js';
import { affordableNotional, type TradeCosts } from './affordable-notional.js';
import type { SizeSpec } from './size-spec.js';

/**
 * The size of a conviction of 1.
 *
 * - `quantity`: base units, exact.
 * - `notional`: USDT.
 * - `equity-pct`: notional as a percentage of equity; leverage does not multiply it.
 * - `risk-pct`: the loss at the stop as a percentage of equity, before fees and slippage.
 * - `volatility-pct`: yearly volatility that the position adds to the equity, in per cent. The notional is
 *   equity × percent ÷ the yearly volatility of the last `lookback` closes (volatility.ts), and at most
 *   `maxEquityPct` of the equity.
 *
 * Sizes that follow the equity leave margin and fees of both legs unspent
 * (affordable-notional.ts).
 */
export type Size = (
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  | { readonly kind: 'notional'; readonly notional: number }
  | { readonly kind: 'equity-pct'; readonly percent: number }
  | { readonly kind: 'risk-pct'; readonly percent: number }
  | {
      readonly kind: 'volatility-pct';
      readonly percent: number;
      readonly lookback: number;
      readonly maxEquityPct: number;
    }
) & {
  /** Absent: `cap` for a size that follows the equity, `refuse` for a fixed one. */
  readonly onLimit?: LimitPolicy;
};

/**
 * The treatment of a size above the headroom under the risk limits.
 *
 * - `cap`: it is cut to the headroom.
 * - `refuse`: it is not cut, and the gate refuses the order.
 */
export const LIMIT_POLICIES = ['cap', 'refuse'] as const;
type LimitPolicy = (typeof LIMIT_POLICIES)[number];

export const limitPolicyOf = ({ onLimit, kind }: Size): LimitPolicy =>
  onLimit ?? (kind === 'quantity' || kind === 'notional' ? 'refuse' : 'cap');

const DEFAULT_LOOKBACK = 100;
const DEFAULT_MAX_EQUITY_PCT = 100;

export interface SizingFacts {
  /** 0 < x ≤ 1. */
  readonly conviction: number;
  /** USDT: the decision's candle close, or the last price. */
  readonly price: number;
  /** In USDT; undefined until the wallet was read. Called only where the size needs it. */
  readonly equity: () => number | undefined;
  /** USDT between entry and stop; undefined without a stop. */
  readonly stopDistance: () => number | undefined;
  /** Yearly, as a fraction, over `lookback` candles; undefined while there are fewer. */
  readonly volatility: (lookback: number) => number | undefined;
  /** Costs of the position, for sizes that follow the equity. Absent: such a size is not bounded. */
  readonly costs?: TradeCosts | undefined;
  readonly instrument: Instrument;
}

export type SizingResult =
  | { readonly kind: 'sized'; readonly quantity: Quantity }
  | { readonly kind: 'unsized'; readonly reason: string };

/** Unsigned base units on the quantity step, toward zero: the only conversion from number to order. */
export function sizeOf(size: Size, facts: SizingFacts): SizingResult {
  const { conviction, instrument } = facts;
  if (size.kind === 'quantity' && conviction === 1)
    return { kind: 'sized', quantity: floorToStep(size.quantity, instrument.quantityStep) };
  const units = unitsOf(size, facts);
  if (typeof units === 'string') return { kind: 'unsized', reason: units };
  const requested = Math.min(units * conviction, affordableUnits(size, facts));
  if (!(requested <= LARGEST))
    return { kind: 'unsized', reason: `a size of ${requested} cannot be held` };
  return { kind: 'sized', quantity: quantize(requested, instrument) };
}

/** Base units that the equity can pay for: the bound of a size that follows it. */
function affordableUnits({ kind }: Size, { costs, equity, price }: SizingFacts): number {
  if (costs === undefined || kind === 'quantity' || kind === 'notional') return Infinity;
  const knownEquity = equity();
  return knownEquity === undefined ? Infinity : affordableNotional(knownEquity, costs) / price;
}

/** Base units at conviction 1, or the reason why there are none. */
function unitsOf(size: Size, facts: SizingFacts): number | string {
  if (size.kind === 'quantity') return numberFromFixed(size.quantity);
  if (size.kind === 'notional') return size.notional / facts.price;
  const equity = facts.equity();
  if (equity === undefined) return `${size.kind} needs the equity in USDT, which is not known yet`;
  if (size.kind === 'volatility-pct') return unitsOfVolatility(size, Math.max(equity, 0), facts);
  const part = (Math.max(equity, 0) * size.percent) / 100;
  if (size.kind === 'equity-pct') return part / facts.price;
  const stopDistance = facts.stopDistance();
  return stopDistance === undefined
    ? 'risk-pct needs a stop: set protect.stop_loss_pct'
    : part / stopDistance;
}

function unitsOfVolatility(
  { percent, lookback, maxEquityPct }: Extract<Size, { kind: 'volatility-pct' }>,
  equity: number,
  { volatility, price }: SizingFacts,
): number | string {
  const measured = volatility(lookback);
  if (measured === undefined) return `volatility-pct needs ${lookback + 1} candles`;
  const most = (equity * maxEquityPct) / 100;
  const requested = measured > 0 ? (equity * percent) / 100 / measured : most;
  return Math.min(requested, most) / price;
}

/**
 * A size from code.
 * @throws RangeError unless it has exactly one measure, with numbers in range
 */
export function sizeFromSpec(spec: SizeSpec): Size {
  const { quantity, notional, equityPct, riskPct, volatilityPct, lookback } = spec;
  const given = Object.entries({ quantity, notional, equityPct, riskPct, volatilityPct }).filter(
    ([, value]) => value !== undefined,
  );
  const [name, value] = given[0] ?? [];
  if (given.length !== 1 || value === undefined)
    throw new RangeError(
      'a size is exactly one of quantity, notional, equityPct, riskPct, volatilityPct',
    );
  if (!(value > 0 && value <= LARGEST)) throw new RangeError(`${name} is ${value}, not above 0`);
  checkDetails(spec);
  switch (name) {
    case 'quantity':
      return { kind: 'quantity', quantity: fixedFromNumber(value) };
    case 'notional':
      return { kind: 'notional', notional: value };
    case 'equityPct':
      return { kind: 'equity-pct', percent: value };
    case 'riskPct':
      return { kind: 'risk-pct', percent: value };
    default:
      return {
        kind: 'volatility-pct',
        percent: value,
        lookback: lookback ?? DEFAULT_LOOKBACK,
        maxEquityPct: DEFAULT_MAX_EQUITY_PCT,
      };
  }
}

/** A NaN here would pass every comparison, and yield the largest size. @throws RangeError */
function checkDetails({ lookback, stopLoss }: SizeSpec): void {
  if (lookback !== undefined && !(Number.isSafeInteger(lookback) && lookback >= 2))
    throw new RangeError(`lookback is ${lookback}, not a whole number from 2`);
  if (stopLoss !== undefined && !(stopLoss > 0 && stopLoss <= LARGEST))
    throw new RangeError(`stopLoss is ${stopLoss}, not above 0`);
}

export const SIZE_KINDS = [
  'quantity',
  'notional',
  'equity_pct',
  'risk_pct',
  'volatility_pct',
] as const;
export type SizeKind = (typeof SIZE_KINDS)[number];

/** The measures among the keys of a size. */
export const kindsAmong = (given: Readonly<Record<string, unknown>>): readonly SizeKind[] =>
  SIZE_KINDS.filter((kind) => given[kind] !== undefined);

export const MAX_RISK_PCT = 100;

/** The form of an amount: a plain decimal above 0. */
export const isSizeAmount = (text: string): boolean => isPlainDecimal(text) && Number(text) > 0;

/** A size of one measure, such as `notional` and `250`. @returns undefined if it is none */
export function sizeFromText(name: string, text: string): Size | undefined {
  const kind = SIZE_KINDS.find((each) => each === name);
  if (kind === undefined || !isSizeAmount(text)) return undefined;
  if (kind === 'risk_pct' && Number(text) > MAX_RISK_PCT) return undefined;
  try {
    return sizeOfKind(kind, text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError for a quantity with more places than the ledger has */
export function sizeOfKind(kind: SizeKind, text: string): Size {
  switch (kind) {
    case 'quantity':
      return { kind, quantity: fixedFromText<'quantity'>(text) };
    case 'notional':
      return { kind, notional: Number(text) };
    case 'equity_pct':
      return { kind: 'equity-pct', percent: Number(text) };
    case 'risk_pct':
      return { kind: 'risk-pct', percent: Number(text) };
    case 'volatility_pct':
      return {
        kind: 'volatility-pct',
        percent: Number(text),
        lookback: DEFAULT_LOOKBACK,
        maxEquityPct: DEFAULT_MAX_EQUITY_PCT,
      };
  }
}
