import type { Command } from '../core/events.js';
import { fixed, floorToStep, smaller, type Quantity } from '../core/fixed.js';
import type { Cause } from '../core/intent.js';
import type { Currency } from '../core/currency.js';
import { spaced } from '../execution/constants.js';
import type { Desk } from '../execution/desk.js';
import type { Journal } from '../execution/journal.js';
import type { OwnOrder } from '../execution/own-order.js';
import type { PositionBook } from '../execution/position-book.js';
import type { StrategyHost } from '../strategy/host.js';
import { OperatorOrders, type OperatorOrdersParts } from './operator-orders.js';
import type { SeriesBook } from './series-book.js';
import type { Standing } from './standing.js';

/** Exits that an operator asked for carry this owner. */
const ENGINE_ID = 'sluice';
/** How long such an exit may wait for its slot, venue ms. */
const VALIDITY_MS = 600_000;
/** Monotonic ms between the rounds of a flattening that does not come to its end at once. */
const ROUNDS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];

export interface OperatorParts extends OperatorOrdersParts {
  readonly desk: Desk;
  readonly journal: Journal;
  readonly standing: Standing;
  readonly positions: PositionBook;
  readonly series: SeriesBook;
  readonly hosts: readonly StrategyHost[];
}

/** Carries out what a person says: orders by hand, stop, and the levels of the kill switch (R30). */
export class Operator {
  readonly #parts: OperatorParts;
  readonly #orders: OperatorOrders;
  #flattening: Cause | undefined;
  #ordinal = 0;
  #rounds = 0;
  #timer: string | undefined;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    this.#orders = new OperatorOrders(parts);
  }

  command(commandId: string, command: Command): void {
    this.#parts.journal.command(commandId, command);
    const cause: Cause = { kind: 'operator', commandId };
    switch (command.kind) {
      case 'stop':
        this.#stop(command.policy, cause);
        return;
      case 'kill':
        this.#kill(command, cause);
        return;
      case 'order':
        this.#orders.place(command, cause);
        return;
      case 'cancel':
        this.#orders.cancel(command);
        return;
      case 'amend':
        this.#orders.amend(command, cause);
        return;
      case 'operation':
      // It stands in the journal now.
    }
  }

  ended(order: OwnOrder): void {
    this.#orders.ended(order);
  }

  /** What is on its way fills, ends or moves; a flattening goes on with what is left. */
  goOn(): void {
    if (this.#flattening !== undefined) this.#flattenWhatIsLeft(this.#flattening);
  }

  #stop(policy: Extract<Command, { kind: 'stop' }>['policy'], cause: Cause): void {
    this.#parts.standing.stopping = true;
    for (const host of this.#parts.hosts) host.stop();
    if (policy !== 'keep') this.#cancel(isEntry);
    if (policy === 'flatten') this.#flatten(cause);
  }

  #kill({ level, reason }: Extract<Command, { kind: 'kill' }>, cause: Cause): void {
    this.#parts.standing.kill(level, reason);
    if (level === 'pause') return;
    this.#flattening = undefined;
    this.#cancel(() => true);
    if (level === 'flatten') this.#flatten(cause);
  }

  #cancel(which: (order: OwnOrder) => boolean): void {
    for (const order of [...this.#parts.ledger.allActive()]) {
      if (which(order)) this.#parts.protocol.cancel(order);
    }
  }

  #flatten(cause: Cause): void {
    this.#cancel((order) => isEntry(order) || order.terms.type === 'limit');
    this.#flattening = cause;
    this.#ordinal = 0;
    this.#rounds = 0;
    this.#flattenWhatIsLeft(cause);
  }

  /**
   * Closes what no reduction under way will close, by reduce-only market orders. An entry that fills
   * after its cancel is met by the next round.
   */
  #flattenWhatIsLeft(cause: Cause): void {
    const { positions, series, ledger } = this.#parts;
    let open = false;
    for (const { symbol, currency, quantity } of [...positions.open()]) {
      if (series.find(symbol) === undefined) continue;
      open = true;
      const left = Math.abs(quantity) - ledger.of(symbol, currency).reducing;
      if (left > 0) this.#exit(cause, { symbol, currency, quantity, left: fixed(left) });
    }
    if (open || ledger.orders > 0) this.#again();
  }

  #exit(
    cause: Cause,
    position: {
      readonly symbol: string;
      readonly currency: Currency;
      readonly quantity: Quantity;
      readonly left: Quantity;
    },
  ): void {
    const { facts, stamp, submit } = this.#parts;
    const { symbol, currency, left } = position;
    const price = facts.lastPrice(symbol);
    const instrument = facts.instrument(symbol);
    if (price === undefined || instrument === undefined) return;
    const most = floorToStep(instrument.maxMarketQuantity, instrument.quantityStep);
    submit({
      strategyId: ENGINE_ID,
      cause,
      ordinal: this.#ordinal++,
      leg: 0,
      terms: {
        symbol,
        currency,
        side: position.quantity > 0 ? 'sell' : 'buy',
        type: 'market',
        quantity: smaller(left, most),
        reduceOnly: true,
      },
      referencePrice: price,
      decidedAt: stamp.venueTime,
      validUntil: stamp.venueTime + VALIDITY_MS,
    });
  }

  #again(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#parts.desk.after(spaced(ROUNDS_MS, this.#rounds++), () => {
      this.#timer = undefined;
      this.goOn();
    });
  }
}

/** What could still increase, and can still be called back. */
const isEntry = ({ terms, state }: OwnOrder): boolean =>
  !terms.reduceOnly && (terms.type === 'limit' || state === 'waiting' || state === 'retrying');
