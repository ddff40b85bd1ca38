import { hashPair, hashText, mix } from './integer-hash.js';
import type { Market } from './market.js';
import type { TickerRow } from './stream-session.js';
import type { Switches } from './switches.js';

const WITHOUT_MARK_ONE_IN = 10;

interface KnownRow extends TickerRow {
  readonly last: number;
  readonly mark: number | undefined;
}

export interface TickerRowsOptions {
  readonly market: Market;
  /** Venue ms up to which prices have been told. */
  readonly nowMs: () => number;
  readonly tickerMark: Switches['tickerMark'];
  readonly seed: number;
}

/** The ticker row of each symbol, made anew only when last or mark changes. */
export function createTickerRows(
  options: TickerRowsOptions,
): (lowerSymbol: string) => TickerRow | undefined {
  const rows = new Map<string, KnownRow>();
  let changes = 0;
  return (lowerSymbol) => {
    const { market, nowMs, tickerMark, seed } = options;
    const symbol = lowerSymbol.toUpperCase();
    const last = market.priceAt('last', symbol, nowMs());
    if (last === undefined) return undefined;
    const mark = market.priceAt('mark', symbol, nowMs());
    const known = rows.get(lowerSymbol);
    if (known?.last === last && known.mark === mark) return known;
    changes += 1;
    const draw = hashPair(hashPair(mix(seed), hashText(symbol)), changes);
    const isBare = tickerMark === 'sometimes-absent' && draw % WITHOUT_MARK_ONE_IN === 0;
    const told = { s: lowerSymbol, p: last, ...(!isBare && mark !== undefined && { mp: mark }) };
    const prices = `${last} ${mark ?? ''}`;
    const row: KnownRow = { last, mark, prices, text: JSON.stringify(told) };
    rows.set(lowerSymbol, row);
    return row;
  };
}
