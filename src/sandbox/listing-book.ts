import type { SandboxListing } from './listings.js';

/** Listings by the two names the interface gives an asset. */
export interface ListingBook {
  readonly all: readonly SandboxListing[];
  bySymbol(symbol: string): SandboxListing | undefined;
  byAssetId(assetId: string): SandboxListing | undefined;
  /** '' for a symbol that is not listed. */
  assetIdOf(symbol: string): string;
}

export function createListingBook(listings: readonly SandboxListing[]): ListingBook {
  const bySymbol = new Map(listings.map((listing) => [listing.instrument.symbol, listing]));
  const byAssetId = new Map(listings.map((listing) => [listing.instrument.assetId, listing]));
  return {
    all: listings,
    bySymbol: (symbol) => bySymbol.get(symbol),
    byAssetId: (assetId) => byAssetId.get(assetId),
    assetIdOf: (symbol) => bySymbol.get(symbol)?.instrument.assetId ?? '',
  };
}
