import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  subtract,
  textFromFixed,
  withSign,
  ZERO,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import { backoffDelay } from '../../execution/constants.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OwnPosition } from '../../execution/position-ledger.js';
import type { RecoveredFlatten } from '../../execution/recovery/recovered-flatten.js';
import { ENGINE_ID, submitExit, type EngineExitParts } from '../engine-exit.js';
import type { TradingState } from '../trading-state.js';

/** Monotonic ms between the rounds of an unfinished flatten. */
const RETRY_DELAYS_MS: readonly number[] = [500, 1_000, 2_000];

export interface FlattenParts extends EngineExitParts {
  readonly effects: EffectSink;
  readonly requests: RequestTracker;
  readonly journal: Journal;
  readonly tradingState: TradingState;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  /** Whether the venue's positions, read after our last change, equal ours. */
  readonly positionsAgree: () => boolean;
  readonly readPositions: () => void;
  /** The flatten closed a position while the strategies of its symbol were not running. `before`: signed. */
  readonly onClosed: (symbol: string, before: Quantity) => void;
}

interface FlattenRequest extends RecoveredFlatten {
  /** Exits of one command are numbered across all runs, because a client order id is used once. */
  ordinal: number;
  /** Requested in a previous run, or before the strategies of this one: they do not see its fills. */
  readonly isBeforeStrategies: boolean;
}

/**
 * Cancels every order of ours and closes our share of every position, until the venue has proved both. The
 * request is journaled first, so that the next run continues it.
 */
export class Flatten {
  readonly #parts: FlattenParts;
  #request: FlattenRequest | undefined;
  #end: 'flat' | 'withdrawn' | undefined;
  /** An operator's session leaves it to the next run. */
  #isDeferred = false;
  #attempts = 0;
  #timer: string | undefined;
  /** Symbols whose exit could not be submitted: reported once. */
  readonly #reported = new Set<string>();

  constructor(parts: FlattenParts) {
    this.#parts = parts;
  }

  /** Requested and unfinished. */
  get pending(): RecoveredFlatten | undefined {
    return this.#request;
  }

  /** Its progress; undefined where none was requested. */
  get state(): 'flat' | 'withdrawn' | 'unfinished' | undefined {
    return this.#request === undefined ? this.#end : 'unfinished';
  }

  /** In progress in this run: nothing else is traded before its end. */
  get isActive(): boolean {
    return this.#request !== undefined && !this.#isDeferred;
  }

  /** Restores the flatten of a previous run. `waits`: this session does not carry it out. */
  restore(flatten: RecoveredFlatten, isDeferred: boolean): void {
    const ordinal = this.#nextOrdinal(flatten.commandId);
    this.#request = { ...flatten, ordinal, isBeforeStrategies: true };
    this.#isDeferred = isDeferred;
  }

  start(commandId: string, text: string): void {
    const ordinal = this.#nextOrdinal(commandId);
    const isBeforeStrategies = this.#parts.tradingState.phase === 'starting';
    this.#request = { commandId, text, ordinal, isBeforeStrategies };
    this.#isDeferred = false;
    this.#parts.journal.flatten(commandId, 'wanted', text);
    this.#run();
  }

  /** At a start: orders are canceled at once, positions are closed as soon as they are known. */
  resume(): void {
    const { effects } = this.#parts;
    if (this.#request === undefined) return;
    if (this.#isDeferred) {
      effects.notify({ level: 'warn', text: `a flatten is unfinished: ${this.#request.text}` });
      return;
    }
    effects.notify({ level: 'warn', text: `a flatten continues: ${this.#request.text}` });
    this.#run();
  }

  /** Withdrawn by a person: its pending exits are canceled. */
  withdraw(text: string): void {
    const { effects } = this.#parts;
    if (this.#request === undefined) {
      effects.notify({ level: 'warn', text: 'there is no flatten to drop' });
      return;
    }
    const { commandId } = this.#request;
    this.#cancel((order) => isExitOf(order, commandId));
    this.#finish('withdrawn', text);
  }

  /** An order in flight has filled, ended or changed. */
  continueClosing(): void {
    if (this.isActive) this.#closeRemaining();
  }

  /** Ends the flatten where the venue proves that everything is flat. */
  checkFlat(): void {
    if (this.isActive && this.#isConfirmedFlat()) this.#finish('flat', 'flat, and proved');
  }

  #run(): void {
    this.#attempts = 0;
    this.#cancel(isNotMarketExit);
    this.#closeRemaining();
  }

  #cancel(which: (order: OwnOrder) => boolean): void {
    for (const order of [...this.#parts.ledger.allOpenOrders()]) {
      if (which(order)) this.#parts.protocol.cancel(order);
    }
  }

  /** Sends reduce-only market orders. The next round handles an entry that fills after its cancel. */
  #closeRemaining(): void {
    this.#scheduleRetry();
    const { tradingState, ledger, positionsAgree, readPositions } = this.#parts;
    if (tradingState.exitHold !== undefined) return;
    const remaining = this.#parts.positions.ownPositions();
    for (const position of remaining) this.#close(position);
    // The next poll may be a minute away.
    if (remaining.length === 0 && ledger.orderCount === 0 && !positionsAgree()) readPositions();
  }

  #close({ symbol, currency, quantity }: OwnPosition): void {
    const request = this.#request;
    const remaining = subtract(absolute(quantity), this.#reducing(symbol, currency));
    if (request === undefined || remaining <= 0) return;
    const cause: DecisionCause = { kind: 'operator', commandId: request.commandId };
    const signedRemaining = withSign(quantity > 0 ? 1 : -1, remaining);
    const exit = { cause, ordinal: request.ordinal++, symbol, currency, quantity: signedRemaining };
    const refusal = submitExit(this.#parts, exit);
    if (refusal === undefined || this.#reported.has(symbol)) return;
    this.#reported.add(symbol);
    const text = `flatten cannot close ${textFromFixed(quantity)} ${symbol}: ${refusal}`;
    this.#parts.effects.notify({ level: 'error', text });
  }

  /** Counts active exits only: an abandoned one, or one whose cancel is pending, may never reduce. */
  #reducing(symbol: string, currency: Currency): Quantity {
    let sum = ZERO as Quantity;
    for (const { terms, active, state, remaining } of this.#parts.ledger.openOrders(
      symbol,
      currency,
    )) {
      if (terms.reduceOnly && active && state !== 'quarantined') sum = add(sum, remaining);
    }
    return sum;
  }

  #isConfirmedFlat(): boolean {
    const { tradingState, ledger, positionsAgree } = this.#parts;
    const canConfirm = tradingState.exitHold === undefined && !tradingState.isKeyRefused;
    return (
      canConfirm &&
      ledger.orderCount === 0 &&
      positionsAgree() &&
      this.#parts.positions.ownPositions().length === 0
    );
  }

  #scheduleRetry(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#parts.requests.after(
      backoffDelay(RETRY_DELAYS_MS, this.#attempts++),
      () => {
        this.#timer = undefined;
        // A strategy may have placed a resting exit since.
        this.#cancel(
          (order) => order.active && order.cancelState === 'none' && isNotMarketExit(order),
        );
        this.checkFlat();
        this.continueClosing();
      },
    );
  }

  #finish(state: 'flat' | 'withdrawn', text: string): void {
    const { requests, journal, effects } = this.#parts;
    const request = this.#request;
    if (request === undefined) return;
    this.#request = undefined;
    this.#end = state;
    requests.cancelTimer(this.#timer);
    this.#timer = undefined;
    if (request.isBeforeStrategies) this.#notifyClosed(request.commandId);
    journal.flatten(request.commandId, state, text);
    effects.notify({ level: 'info', text: `flatten: ${text}` });
  }

  /**
   * Positions that this flatten closed, in this run and previous ones. Strategies start after it, within the
   * same step.
   */
  #notifyClosed(commandId: string): void {
    const before = new Map<string, Quantity>();
    for (const order of this.#parts.ledger.all) {
      const { symbol, side } = order.terms;
      if (!isExitOf(order, commandId) || order.filledQuantity === 0) continue;
      const closed = withSign(side === 'sell' ? 1 : -1, order.filledQuantity);
      before.set(symbol, add(before.get(symbol) ?? (ZERO as Quantity), closed));
    }
    for (const [symbol, closed] of before) this.#parts.onClosed(symbol, closed);
  }

  #nextOrdinal(commandId: string): number {
    const used = this.#parts.ledger.all.filter((order) => isExitOf(order, commandId));
    return Math.max(0, ...used.map(({ intent }) => intent.ordinal + 1));
  }
}

/** A market exit helps the flatten; every other open order is canceled. */
export const isNotMarketExit = ({ terms }: OwnOrder): boolean =>
  !terms.reduceOnly || terms.type === 'limit';

const isExitOf = ({ intent: { strategyId, cause } }: OwnOrder, commandId: string): boolean =>
  strategyId === ENGINE_ID && cause.kind === 'operator' && cause.commandId === commandId;
