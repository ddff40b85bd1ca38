/** A held position of a delisted instrument: left to a person, or closed after this many venue ms. */
export type DelistingPolicy =
  { readonly kind: 'hold' } | { readonly kind: 'close-after'; readonly ms: number };

/** A day: a person who reads one reminder can still decide otherwise. */
export const DEFAULT_DELISTING_POLICY: DelistingPolicy = { kind: 'close-after', ms: 86_400_000 };
