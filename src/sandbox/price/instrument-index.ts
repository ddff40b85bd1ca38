import type { SandboxListing } from '../../market/synthetic/listings.js';

/** Listings by symbol and by asset id. */
export interface InstrumentIndex {
  readonly all: readonly SandboxListing[];
  bySymbol(symbol: string): SandboxListing | undefined;
  byAssetId(assetId: string): SandboxListing | undefined;
  /** '' for a symbol that is not listed. */
  assetIdOf(symbol: string): string;
}

export function createInstrumentIndex(listings: readonly SandboxListing[]): InstrumentIndex {
  const bySymbol = new Map(listings.map((listing) => [listing.instrument.symbol, listing]));
  const byAssetId = new Map(listings.map((listing) => [listing.instrument.assetId, listing]));
  return {
    all: listings,
    bySymbol: (symbol) => bySymbol.get(symbol),
    byAssetId: (assetId) => byAssetId.get(assetId),
    assetIdOf: (symbol) => bySymbol.get(symbol)?.instrument.assetId ?? '',
  };
}
