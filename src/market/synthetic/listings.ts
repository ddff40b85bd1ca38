import { Decimal } from '../../core/fixed/decimal.js';
import { fixedFromDecimal, fixedFromText } from '../../core/fixed/fixed.js';
import type { Instrument, Listing } from '../../core/instrument.js';
import { hashText, uuidOf } from '../../core/integer-hash.js';

/** A listing with the parameters of its synthetic market. */
export interface SandboxListing extends Listing {
  readonly name: string;
  /** 1 is the most popular. */
  readonly popularity: number;
  /** Price around which the synthetic price moves, USDT. */
  readonly referencePrice: number;
  /** Amplitude of the one-minute scale, a fraction of the price. */
  readonly volatility: number;
}

interface ListingRow {
  readonly symbol: string;
  readonly name: string;
  readonly referencePrice: number;
  readonly priceStep: string;
  readonly maxPrice: string;
  readonly quantityStep: string;
  readonly maxQuantity: string;
  readonly maxMarketQuantity: string;
  readonly maxLeverage: string;
  readonly volatility: number;
}

/** BTC's limits come from the supplement (instruments); the others are modeled on them. */
const ROWS: readonly ListingRow[] = [
  row('BTCUSDT', 'Bitcoin', 60_000, '0.1', '1999999.8', '0.001', '1500', '150', '100', 0.0006),
  row('ETHUSDT', 'Ethereum', 2_500, '0.01', '199999.98', '0.01', '9000', '1500', '100', 0.0007),
  row('SOLUSDT', 'Solana', 150, '0.01', '19999.98', '0.1', '80000', '8000', '75', 0.0009),
  row('XRPUSDT', 'XRP', 0.6, '0.0001', '199.9998', '0.1', '5000000', '400000', '75', 0.0008),
  row('BNBUSDT', 'BNB', 600, '0.01', '19999.98', '0.01', '20000', '2000', '75', 0.0006),
  row('DOGEUSDT', 'Dogecoin', 0.15, '0.00001', '19.99998', '1', '30000000', '3000000', '75', 0.001),
  row('ADAUSDT', 'Cardano', 0.45, '0.0001', '199.9998', '1', '5000000', '500000', '75', 0.0009),
  row('LINKUSDT', 'Chainlink', 14, '0.001', '1999.998', '0.1', '300000', '30000', '50', 0.0009),
  row('AVAXUSDT', 'Avalanche', 25, '0.001', '1999.998', '0.1', '200000', '20000', '50', 0.001),
  row('LTCUSDT', 'Litecoin', 80, '0.01', '19999.98', '0.1', '60000', '6000', '50', 0.0008),
];

function row(
  symbol: string,
  name: string,
  referencePrice: number,
  priceStep: string,
  maxPrice: string,
  quantityStep: string,
  maxQuantity: string,
  maxMarketQuantity: string,
  maxLeverage: string,
  volatility: number,
): ListingRow {
  const prices = { referencePrice, priceStep, maxPrice, volatility };
  return { symbol, name, ...prices, quantityStep, maxQuantity, maxMarketQuantity, maxLeverage };
}

/** An id depends on the symbol only: it is the same in every sandbox. The time gives it a realistic form. */
const ASSET_ID_STAMP_MS = 1_735_689_600_000;

const assetIdOf = (symbol: string): string => uuidOf(ASSET_ID_STAMP_MS, hashText(symbol), 0);

function listingOf(facts: ListingRow, popularity: number): SandboxListing {
  const instrument: Instrument = {
    symbol: facts.symbol,
    assetId: assetIdOf(facts.symbol),
    baseAsset: facts.symbol.replace(/USDT$/, ''),
    quantityStep: fixedFromText(facts.quantityStep),
    minQuantity: fixedFromText(facts.quantityStep),
    maxQuantity: fixedFromText(facts.maxQuantity),
    maxMarketQuantity: fixedFromText(facts.maxMarketQuantity),
    priceStep: fixedFromText(facts.priceStep),
    minPrice: fixedFromText(facts.priceStep),
    maxPrice: fixedFromText(facts.maxPrice),
    minNotional: fixedFromText('5'),
    leverageStep: fixedFromText('0.01'),
    minLeverage: fixedFromText('1'),
    maxLeverage: fixedFromText(facts.maxLeverage),
  };
  const { name, referencePrice, volatility } = facts;
  // The assumed default of 1 % (supplement: margin).
  const maintenanceRate = fixedFromText<'ratio'>('0.01');
  return { instrument, maintenanceRate, name, popularity, referencePrice, volatility };
}

/** The ten instruments of the synthetic market. */
export const STANDARD_LISTINGS: readonly SandboxListing[] = ROWS.map((facts, index) =>
  listingOf(facts, index + 1),
);

const STEPS_BY_PRICE: readonly (readonly [number, string])[] = [
  [10_000, '0.001'],
  [1_000, '0.01'],
  [2, '0.1'],
  [0, '1'],
];

/** A listing for an instrument that is known by its candles only. */
export function listingFromPrices(
  symbol: string,
  referencePrice: number,
  priceDecimals: number,
): SandboxListing {
  const standard = STANDARD_LISTINGS.find((listing) => listing.instrument.symbol === symbol);
  if (standard !== undefined) return standard;
  const quantityStep = STEPS_BY_PRICE.find(([above]) => referencePrice >= above)?.[1] ?? '1';
  const wholeUnits = (notional: number): string => Math.ceil(notional / referencePrice).toFixed(0);
  const priceStep = new Decimal(1).div(new Decimal(10).pow(priceDecimals));
  const maxPrice = fixedFromDecimal<'price'>(priceStep.times(9_999_999));
  const listing = listingOf(
    {
      symbol,
      name: symbol.replace(/USDT$/, ''),
      referencePrice,
      priceStep: priceStep.toFixed(),
      maxPrice: priceStep.toFixed(),
      quantityStep,
      maxQuantity: wholeUnits(5_000_000),
      maxMarketQuantity: wholeUnits(500_000),
      maxLeverage: '50',
      volatility: 0.0008,
    },
    1_000,
  );
  return { ...listing, instrument: { ...listing.instrument, maxPrice } };
}
