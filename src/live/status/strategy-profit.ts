import {
  absolute,
  add,
  proportion,
  textFromFixed,
  ZERO,
  type Usdt,
} from '../../core/fixed/fixed.js';
import type { Engine } from '../../engine/engine.js';
import type { LedgerRow } from '../../report/books/ledger-row.js';
import { groupRows, ledgerTotals } from '../../report/books/owner-books.js';
import { tradingDayOf } from '../../risk/loss/trading-day.js';
import type { ProfitStatus } from './status-report.js';

/** Of our shares of the positions of some symbols at their last prices, USDT; undefined: a price is not known. */
export function unrealisedUsdt(
  { positions, facts, currency }: Pick<Engine, 'positions' | 'facts' | 'currency'>,
  symbols: readonly string[],
): Usdt | undefined {
  let sum = ZERO as Usdt;
  for (const symbol of symbols) {
    const [own, whole] = [
      positions.ownQuantity(symbol, currency),
      positions.quantity(symbol, currency),
    ];
    if (own === 0) continue;
    const last = facts.lastPrice(symbol);
    if (last === undefined || positions.entryPrice(symbol, currency) === undefined)
      return undefined;
    const gain = positions.unrealised(symbol, currency, last);
    sum = add(sum, proportion(gain, absolute(own), absolute(whole)));
  }
  return sum;
}

/**
 * Realised profit of each owner, net of fees, funding and rebates, from the rows of one currency. Transfers are no
 * profit.
 * @param now ms UTC at the venue: it names the day
 */
export function profitStatuses(
  rows: readonly LedgerRow[],
  now: number,
  unrealised: ReadonlyMap<string, string | null>,
): readonly ProfitStatus[] {
  const day = tradingDayOf(now);
  const trades = rows.filter(({ kind }) => kind !== 'transfer' && kind !== 'gap');
  const groups = groupRows(trades, ({ owner }) => owner);
  return [...new Set([...unrealised.keys(), ...groups.keys()])].map((owner) => {
    const own = groups.get(owner) ?? [];
    return {
      owner,
      realised: netText(own),
      today: netText(own.filter(({ at }) => at >= day)),
      unrealised: unrealised.get(owner) ?? null,
    };
  });
}

const netText = (rows: readonly LedgerRow[]): string => textFromFixed(ledgerTotals(rows).net);
