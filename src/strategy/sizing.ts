import { z } from 'zod';
import { isPlainDecimal } from '../core/decimal.js';
import { fixedFromText, floorToStep, numberFromFixed, type Quantity } from '../core/fixed.js';
import { quantize, type Instrument } from '../core/instrument.js';
import { LARGEST } from './intent.js';

/**
 * How much a conviction of 1 is.
 *
 * - `quantity`: base units, exact.
 * - `notional`: USDT.
 * - `equity-pct`: notional as a percentage of equity; leverage does not multiply it.
 * - `risk-pct`: the loss at the stop as a percentage of equity, before fees and slippage.
 */
export type Size =
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  | { readonly kind: 'notional'; readonly notional: number }
  | { readonly kind: 'equity-pct'; readonly percent: number }
  | { readonly kind: 'risk-pct'; readonly percent: number };

export interface SizingFacts {
  /** 0 < x ≤ 1. */
  readonly conviction: number;
  /** USDT: the decision's candle close, or the last price. */
  readonly price: number;
  /** In USDT; undefined until the wallet was read. Asked only where the size needs it. */
  readonly equity: () => number | undefined;
  /** USDT between entry and stop; undefined without a stop. */
  readonly stopDistance: () => number | undefined;
  readonly instrument: Instrument;
}

export type Sized =
  | { readonly kind: 'sized'; readonly quantity: Quantity }
  | { readonly kind: 'unsized'; readonly reason: string };

/** Unsigned base units on the quantity step, toward zero; the one crossing from number to order. */
export function sizeOf(size: Size, facts: SizingFacts): Sized {
  const { conviction, instrument } = facts;
  if (size.kind === 'quantity' && conviction === 1)
    return { kind: 'sized', quantity: floorToStep(size.quantity, instrument.quantityStep) };
  const units = unitsOf(size, facts);
  if (typeof units === 'string') return { kind: 'unsized', reason: units };
  const wanted = units * conviction;
  if (!(wanted <= LARGEST))
    return { kind: 'unsized', reason: `a size of ${wanted} cannot be held` };
  return { kind: 'sized', quantity: quantize(wanted, instrument) };
}

/** Base units at conviction 1, or why there are none. */
function unitsOf(size: Size, facts: SizingFacts): number | string {
  if (size.kind === 'quantity') return numberFromFixed(size.quantity);
  if (size.kind === 'notional') return size.notional / facts.price;
  const equity = facts.equity();
  if (equity === undefined) return `${size.kind} needs the equity in USDT, which is not known yet`;
  const part = (Math.max(equity, 0) * size.percent) / 100;
  if (size.kind === 'equity-pct') return part / facts.price;
  const stopDistance = facts.stopDistance();
  return stopDistance === undefined
    ? 'risk-pct needs a stop: set protect.stop_loss_pct'
    : part / stopDistance;
}

const KINDS = ['quantity', 'notional', 'equity_pct', 'risk_pct'] as const;

const amount = z
  .union([z.string(), z.number()], { error: 'expected a plain decimal such as "250"' })
  .transform(String)
  .refine((text) => isPlainDecimal(text) && Number(text) > 0, {
    error: 'expected a plain decimal above 0 such as "250"',
  });

/** `{ notional: "250" }`, `{ quantity: "0.01" }`, `{ equity_pct: 10 }` or `{ risk_pct: 0.5 }`. */
export const sizeSchema = z
  .strictObject({
    quantity: amount.optional(),
    notional: amount.optional(),
    equity_pct: amount.optional(),
    risk_pct: amount.refine((text) => Number(text) <= 100, 'at most 100').optional(),
  })
  .transform((given, context): Size => {
    const kinds = KINDS.filter((kind) => given[kind] !== undefined);
    const kind = kinds[0];
    const text = kind === undefined ? undefined : given[kind];
    if (kinds.length !== 1 || kind === undefined || text === undefined) {
      context.addIssue({ code: 'custom', message: `expected exactly one of ${KINDS.join(', ')}` });
      return z.NEVER;
    }
    if (kind !== 'quantity') return sizeFromNumber(kind, Number(text));
    try {
      return { kind, quantity: fixedFromText<'quantity'>(text) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue({ code: 'custom', path: ['quantity'], message: error.message });
      return z.NEVER;
    }
  });

function sizeFromNumber(kind: 'notional' | 'equity_pct' | 'risk_pct', value: number): Size {
  switch (kind) {
    case 'notional':
      return { kind, notional: value };
    case 'equity_pct':
      return { kind: 'equity-pct', percent: value };
    case 'risk_pct':
      return { kind: 'risk-pct', percent: value };
  }
}
