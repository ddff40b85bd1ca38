import type { Currency } from '../../core/currency.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { recoverOrders } from '../../execution/recovery/recovered-orders.js';
import type { LedgerRow } from '../../report/books/ledger-row.js';
import { EXTERNAL, OrderOwners, type Handover, type Owner } from '../../report/books/owner.js';
import type { WalletReading } from '../../report/books/statement.js';

/** The owners of all orders that a journal has. */
export function ownersOf(records: readonly JournalRecord[]): OrderOwners {
  const [header] = records;
  const account = header?.type === 'header' ? header.account : '';
  return new OrderOwners(
    recoverOrders(records, account).map((recovered, key) => {
      const { clientOrderId, orderId, owner, terms } = recovered.create(key);
      const ids = { clientOrderId, ...(orderId !== undefined && { orderId }) };
      return { ...ids, owner, symbol: terms.symbol };
    }),
    handoversOf(records),
  );
}

/** Under the newest ids: a renamed strategy owns its orders from the first on, so that it needs no handover. */
function handoversOf(records: readonly JournalRecord[]): readonly Handover[] {
  let handovers: Handover[] = [];
  for (const record of records) {
    if (record.type !== 'ownership') continue;
    const { decision, venueTime: at, strategyId: from, to = EXTERNAL, symbols, close } = record;
    const renamed = (owner: Owner): Owner => (owner === from ? to : owner);
    if (decision === 'rename')
      handovers = handovers.map((each) => ({
        ...each,
        from: renamed(each.from),
        to: renamed(each.to),
      }));
    else if (from !== to && close !== true)
      handovers.push(...symbols.map((symbol) => ({ at, symbol, from, to })));
  }
  return handovers;
}

/** Readings of the wallet that the records of losses hold. */
export const walletReadings = (
  records: readonly JournalRecord[],
  currency: Currency,
): readonly WalletReading[] =>
  records.flatMap((record) =>
    record.type === 'losses' && record.currency === currency
      ? [{ at: record.walletAt, wallet: record.wallet }]
      : [],
  );

/** A row so near may or may not be in a reading: the times of rows are whole seconds. */
const QUIET_MS = 3_000;

/**
 * The reading from which a range is checked: the last one before its start, else the first one after. A reading
 * with a row near it proves nothing.
 */
export function openingReading(
  readings: readonly WalletReading[],
  rows: readonly LedgerRow[],
  from: number | undefined,
): WalletReading | undefined {
  const quiet = readings.filter((reading) =>
    rows.every(({ at }) => Math.abs(at - reading.at) > QUIET_MS),
  );
  return quiet.findLast(({ at }) => from !== undefined && at <= from) ?? quiet[0];
}
