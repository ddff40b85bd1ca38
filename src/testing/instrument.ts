import { fixedFromNumber, fixedFromText } from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';

/** Rules of an instrument that matter to a test. The defaults restrict nothing. */
export interface InstrumentRules {
  /** Base units; quantities are multiples of it; default 0.001. */
  readonly quantityStep?: number;
  /** Base units; default 0.001. */
  readonly minQuantity?: number;
  /** Base units; default 1,000,000. */
  readonly maxQuantity?: number;
  /** Base units of one market order; default 1,000,000. */
  readonly maxMarketQuantity?: number;
  /** USDT; prices are multiples of it; default 0.01. */
  readonly priceStep?: number;
  /** USDT; default 0.01. */
  readonly minPrice?: number;
  /** USDT; default 1,000,000. */
  readonly maxPrice?: number;
  /** USDT; default 0.01. */
  readonly minNotional?: number;
  /** Default 100. */
  readonly maxLeverage?: number;
}

/** An instrument with fine steps and low minimums, so that its rules do not affect a test. */
export const testInstrument = (changes: Partial<Instrument> = {}): Instrument => ({
  symbol: 'TESTUSDT',
  assetId: 'test',
  baseAsset: 'TEST',
  quantityStep: fixedFromText('0.001'),
  minQuantity: fixedFromText('0.001'),
  maxQuantity: fixedFromText('1000000'),
  maxMarketQuantity: fixedFromText('1000000'),
  priceStep: fixedFromText('0.01'),
  minPrice: fixedFromText('0.01'),
  maxPrice: fixedFromText('1000000'),
  minNotional: fixedFromText('0.01'),
  leverageStep: fixedFromText('0.01'),
  minLeverage: fixedFromText('1'),
  maxLeverage: fixedFromText('100'),
  ...changes,
});

/** @throws RangeError for a rule that is not a number above 0 that the ledger can hold */
export function instrumentOf(symbol: string, rules: InstrumentRules = {}): Instrument {
  const entries = Object.entries(rules).map(([rule, value]: [string, number | undefined]) => {
    if (value === undefined || !(value > 0 && Number.isFinite(value)))
      throw new RangeError(`instruments: ${rule} of ${symbol} is ${value}, not a number above 0`);
    return [rule, fixedFromNumber(value)] as const;
  });
  const changes = Object.fromEntries(entries) as Partial<Instrument>;
  const baseAsset = symbol.replace(/USDT$/, '');
  return testInstrument({ symbol, assetId: symbol, baseAsset, ...changes });
}
