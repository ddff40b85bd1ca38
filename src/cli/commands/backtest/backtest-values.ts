import { AUTO_SLIPPAGE, type Slippage } from '../../../backtest/slippage.js';
import type { DataCatalog } from '../../../catalog/catalog.js';
import { isPlainDecimal } from '../../../core/fixed/decimal.js';
import { sizeFromText, type Size } from '../../../strategy/target/size/sizing.js';
import * as values from '../../values.js';

export type InrRateOption =
  | { readonly kind: 'rate'; readonly rate: string }
  | { readonly kind: 'file'; readonly path: string };

export type FundingOption =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'rate'; readonly rate: string }
  /** A file, or a folder with one file per symbol. */
  | { readonly kind: 'file'; readonly path: string }
  /** Those of the catalogue: `auto` on data of the catalogue. */
  | { readonly kind: 'catalog'; readonly catalog: DataCatalog };

export type RiskOption =
  | { readonly kind: 'none' }
  | { readonly kind: 'research' }
  | { readonly kind: 'file'; readonly path: string };

/** The sizes that `--size` takes: one of each kind. */
export const SIZE_FORM =
  'quantity=0.01, notional=250, equity_pct=10, risk_pct=0.5 or volatility_pct=20';

/** A size such as `notional=250`. */
export function parseSize(text: string): Size {
  const [kind = '', amount = ''] = values.splitAtEquals(text) ?? [];
  return sizeFromText(kind, amount) ?? values.expected(SIZE_FORM, text);
}

/** Half the price: a larger value is a mistake in the unit. */
const MAX_SLIPPAGE_BPS = 5_000;

/** Of the price, at the whole volume of a candle: half the price, as in basis points. */
const MAX_IMPACT = 0.5;

export const parseSlippage = values.optionParser(
  'auto, basis points (at most 5000), or volume=0.1 (at most 0.5)',
  (text): Slippage | undefined => {
    if (text === 'auto') return AUTO_SLIPPAGE;
    const [name, factor] = values.splitAtEquals(text) ?? [undefined, text];
    const number = isPlainDecimal(factor) ? Number(factor) : NaN;
    if (name === 'volume')
      return number > 0 && number <= MAX_IMPACT ? { kind: 'volume', impact: number } : undefined;
    if (name !== undefined) return undefined;
    return number >= 0 && number <= MAX_SLIPPAGE_BPS ? { kind: 'fixed', bps: number } : undefined;
  },
);

/** A typed number is checked here, a file when it is read. */
export function parseInrRate(text: string): InrRateOption {
  return isPlainDecimal(text)
    ? { kind: 'rate', rate: values.parseHedgeRate(text) }
    : { kind: 'file', path: text };
}

export function parseFunding(text: string): FundingOption {
  if (text === 'auto' || text === 'none') return { kind: text };
  return isPlainDecimal(text) ? { kind: 'rate', rate: text } : { kind: 'file', path: text };
}

export function parseRisk(text: string): RiskOption {
  return text === 'none' || text === 'research' ? { kind: text } : { kind: 'file', path: text };
}
