import type { Command } from '../../core/events.js';
import { fixed } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import { spaced } from '../../execution/constants.js';
import type { Desk } from '../../execution/desk.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { Operation } from '../../execution/operation/operation.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { PositionBook } from '../../execution/position-book.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import { submitExit } from '../engine-exit.js';
import { OperatorOperations } from './operator-operations.js';
import { OperatorOrders, type OperatorOrdersParts } from './operator-orders.js';
import type { SeriesBook } from '../market/series-book.js';
import type { Standing } from '../standing.js';

/** Monotonic ms between the rounds of a flattening that does not come to its end at once. */
const ROUNDS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];

export interface OperatorParts extends OperatorOrdersParts {
  readonly desk: Desk;
  readonly journal: Journal;
  readonly standing: Standing;
  readonly positions: PositionBook;
  readonly series: SeriesBook;
  readonly hosts: readonly StrategyHost[];
  readonly adopt: (what: string) => void;
  /** What moved the position of a symbol is over. */
  readonly resume: (symbol: string) => void;
}

/** Carries out what a person says: orders by hand, stop, and the levels of the kill switch (R30). */
export class Operator {
  readonly #parts: OperatorParts;
  readonly #orders: OperatorOrders;
  readonly #operations: OperatorOperations;
  #flattening: Cause | undefined;
  #ordinal = 0;
  #rounds = 0;
  #timer: string | undefined;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    this.#orders = new OperatorOrders(parts);
    this.#operations = new OperatorOperations(parts);
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
      case 'adopt':
        this.#parts.adopt(command.what);
        return;
      case 'resume':
        this.#parts.resume(command.symbol);
        return;
      case 'amend':
        this.#orders.amend(command, cause);
        return;
      case 'transfer':
      case 'set-leverage':
      case 'margin':
      case 'protect':
        this.#operations.command(command, cause);
        return;
      case 'operation':
      // It stands in the journal now.
    }
  }

  operationEnded(operation: Operation): void {
    this.#orders.operationEnded(operation);
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
    for (const { symbol, currency } of [...positions.open()]) {
      const quantity = positions.own(symbol, currency);
      if (quantity === 0 || series.find(symbol) === undefined) continue;
      open = true;
      const left = Math.abs(quantity) - ledger.of(symbol, currency).reducing;
      if (left <= 0) continue;
      const exit = {
        cause,
        symbol,
        currency,
        quantity: fixed<'quantity'>(Math.sign(quantity) * left),
      };
      submitExit(this.#parts, { ...exit, ordinal: this.#ordinal++ });
    }
    if (open || ledger.orders > 0) this.#again();
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
