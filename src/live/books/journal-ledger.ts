import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  isLess,
  multiply,
  sign,
  subtract,
  ZERO,
  type Amount,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import { recoverOrders } from '../../execution/recovery/recovered-orders.js';
import { TrackedPosition } from '../../execution/tracked-position.js';
import type { LedgerRow } from '../../report/books/ledger-row.js';
import { statementOf, type Statement, type StatementRange } from '../../report/books/statement.js';
import { openingReading, walletReadings } from './journal-books.js';

export interface JournalLedgerInputs {
  readonly records: readonly JournalRecord[];
  readonly currency: Currency;
  readonly range: StatementRange;
  /** INR per USDT, for the profit of INR orders. Absent: it is not known. */
  readonly hedgeRate?: Ratio;
}

/**
 * The statement of a currency from the journal alone, for the time in which the venue cannot be read. Rows are the
 * fills of this bot's orders, one an order, as the venue last reported them. Their profit follows from the average
 * entry price. Fees, rebates, funding, transfers, and closes by stops, by a liquidation or by a person are in no row:
 * the gap between two readings of the wallet has their sum.
 */
export function journalStatement(inputs: JournalLedgerInputs): Statement {
  const { records, currency, range } = inputs;
  const rows = new JournalFills(inputs).rows();
  const readings = walletReadings(records, currency);
  const last = readings.at(-1);
  const later = rows.filter(({ at }) => last !== undefined && at > last.at);
  const wallet = later.reduce((sum, { amount }) => add(sum, amount), last?.wallet ?? NOTHING);
  const opening = openingReading(readings, rows, range.from);
  return statementOf({
    currency,
    rows,
    closing: { at: Number.POSITIVE_INFINITY, wallet },
    range,
    ...(opening !== undefined && { opening }),
  });
}

const NOTHING = ZERO as Amount;

type JournalEvent = { readonly at: number } & (
  { readonly order: OwnOrder } | { readonly position: JournalRecordOf<'position'> }
);

class JournalFills {
  readonly #inputs: JournalLedgerInputs;
  readonly #positions = new Map<string, TrackedPosition>();
  readonly #rows: LedgerRow[] = [];

  constructor(inputs: JournalLedgerInputs) {
    this.#inputs = inputs;
  }

  rows(): readonly LedgerRow[] {
    const events: JournalEvent[] = [...this.#fills(), ...this.#changes()];
    for (const event of events.sort((a, b) => a.at - b.at))
      if ('order' in event) this.#fill(event.order, event.at);
      else this.#change(event.position);
    return this.#rows;
  }

  *#fills(): Iterable<JournalEvent> {
    const { records, currency } = this.#inputs;
    const [header] = records;
    const account = header?.type === 'header' ? header.account : '';
    for (const [key, recovered] of recoverOrders(records, account).entries()) {
      const order = recovered.create(key);
      if (order.terms.currency === currency && order.filledQuantity > 0)
        yield { at: order.lastFilledAt, order };
    }
  }

  /** The newest record of a position is from before a compaction, or of a change that no order of ours made. */
  *#changes(): Iterable<JournalEvent> {
    for (const record of this.#inputs.records)
      if (record.type === 'position' && record.currency === this.#inputs.currency)
        yield { at: record.venueTime, position: record };
  }

  #fill(order: OwnOrder, at: number): void {
    const { clientOrderId, orderId, positionId, filledQuantity: quantity, terms, owner } = order;
    const { symbol, side } = terms;
    const { currency } = this.#inputs;
    const price = order.averagePrice ?? terms.price;
    const position = this.#positionOf(symbol);
    const fill = price === undefined ? undefined : { side, quantity, price, monotonic: at };
    const realised = fill === undefined ? ZERO : position.realised(fill);
    if (fill !== undefined) position.applyFill(fill);
    this.#rows.push({
      at: wholeSecond(at),
      kind: 'fill',
      currency,
      owner,
      amount: this.#inCurrency(realised as Amount),
      symbol,
      side,
      quantity,
      clientOrderId,
      ...(price !== undefined && { price }),
      ...(orderId !== undefined && { orderId }),
      ...(positionId !== undefined && { positionId }),
    });
  }

  /** The price of such a change is not known: what it closes leaves at the entry price. */
  #change({ symbol, quantity, venueTime }: JournalRecordOf<'position'>): void {
    const position = this.#positionOf(symbol);
    const { entryPrice, quantity: held } = position;
    if (quantity === held) return;
    const isReduced = sign(held) === sign(quantity) && isLess(absolute(quantity), absolute(held));
    if (entryPrice === undefined || !isReduced) {
      const changed = new TrackedPosition(symbol, this.#inputs.currency);
      changed.quantity = quantity;
      this.#positions.set(symbol, changed);
      return;
    }
    const closed = absolute(subtract(held, quantity));
    const side = held > 0 ? 'sell' : 'buy';
    position.applyFill({ side, quantity: closed, price: entryPrice, monotonic: venueTime });
  }

  #inCurrency(amount: Amount): Amount {
    const { currency, hedgeRate } = this.#inputs;
    if (currency === 'USDT' || amount === 0) return amount;
    return hedgeRate === undefined ? NOTHING : multiply(amount, hedgeRate);
  }

  #positionOf(symbol: string): TrackedPosition {
    let position = this.#positions.get(symbol);
    if (position === undefined) {
      position = new TrackedPosition(symbol, this.#inputs.currency);
      this.#positions.set(symbol, position);
    }
    return position;
  }
}

const wholeSecond = (ms: number): number => ms - (ms % 1_000);
