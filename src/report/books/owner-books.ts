import type { Currency } from '../../core/currency.js';
import { add, textFromFixed, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { LedgerKind, LedgerRow } from './ledger-row.js';

/**
 * Sums of ledger rows in one currency. Each is a change of balance and locked margin: above 0 is a gain, so that a
 * paid fee is below 0, and `net` is the sum of all but transfers and gaps.
 */
export interface BooksTotals {
  /** Realised by fills, before fees. */
  readonly price: Amount;
  /** Realised by liquidations, before fees. */
  readonly liquidation: Amount;
  readonly fees: Amount;
  readonly rebates: Amount;
  readonly funding: Amount;
  readonly transfers: Amount;
  readonly gaps: Amount;
  /** Price, liquidation, fees, rebates and funding. */
  readonly net: Amount;
  /** GST inside the fees, above 0. */
  readonly gst: Amount;
  /** Fills and liquidations. */
  readonly fills: number;
}

const NOTHING = ZERO as Amount;

const PART_OF = {
  fill: 'price',
  liquidation: 'liquidation',
  fee: 'fees',
  rebate: 'rebates',
  funding: 'funding',
  transfer: 'transfers',
  gap: 'gaps',
} as const satisfies Record<LedgerKind, keyof BooksTotals>;

/** @param rows of one currency */
export function ledgerTotals(rows: Iterable<LedgerRow>): BooksTotals {
  const sums = {
    price: NOTHING,
    liquidation: NOTHING,
    fees: NOTHING,
    rebates: NOTHING,
    funding: NOTHING,
    transfers: NOTHING,
    gaps: NOTHING,
  };
  let net = NOTHING;
  let gst = NOTHING;
  let fills = 0;
  for (const { kind, amount, gst: tax } of rows) {
    const part = PART_OF[kind];
    sums[part] = add(sums[part], amount);
    if (kind !== 'transfer' && kind !== 'gap') net = add(net, amount);
    if (tax !== undefined) gst = add(gst, tax);
    if (kind === 'fill' || kind === 'liquidation') fills += 1;
  }
  return { ...sums, net, gst, fills };
}

/** Totals as decimal texts, for `--json`. */
export interface BooksTotalsRow {
  readonly currency: Currency;
  readonly price: string;
  readonly liquidation: string;
  readonly fees: string;
  readonly rebates: string;
  readonly funding: string;
  readonly net: string;
  readonly gst: string;
  readonly fills: number;
}

export const totalsRow = (currency: Currency, totals: BooksTotals): BooksTotalsRow => ({
  currency,
  price: textFromFixed(totals.price),
  liquidation: textFromFixed(totals.liquidation),
  fees: textFromFixed(totals.fees),
  rebates: textFromFixed(totals.rebates),
  funding: textFromFixed(totals.funding),
  net: textFromFixed(totals.net),
  gst: textFromFixed(totals.gst),
  fills: totals.fills,
});

/** Rows by a key, in the order in which the keys first appear. */
export function groupRows(
  rows: readonly LedgerRow[],
  keyOf: (row: LedgerRow) => string,
): ReadonlyMap<string, readonly LedgerRow[]> {
  const groups = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
