/** Differences of the books, as decimals. */
export interface Conservation {
  readonly conserved: boolean;
  /** Sum of those that must be 0. */
  readonly exact: string;
  /** Of the flow of money, which rounding makes. */
  readonly rounding: string;
}

export function units(text: string): bigint;
export function conservationOf(
  result: object,
  csv: string,
  prices: Readonly<Record<string, string>>,
): Conservation;
