import type { CloseReport } from '../../core/account.js';
import type { OrderIntent } from '../../core/intent.js';
import type { ExchangeOrder } from '../../exchange/simulated-exchange.js';
import type { ExitReason } from '../../report/round-trips.js';
import { ON_ERROR } from '../../strategy/host/error-policy.js';

/** Finds the exit reason of each fill of a run. */
export class ExitReasonTracker {
  readonly #hasTrailingStop: boolean;
  /** Orders of an operator or of `on_error`. */
  readonly #flattens = new Set<string>();
  /** Positions with a moved trailing stop. */
  readonly #movedStops = new Set<string>();
  #isFlattening = false;

  /** @param hasTrailingStop stops trail the price */
  constructor(hasTrailingStop: boolean) {
    this.#hasTrailingStop = hasTrailingStop;
  }

  /** Call before an order is placed; `afterPlace` follows. */
  beforePlace(intent: Pick<OrderIntent, 'cause'> | undefined): void {
    const cause = intent?.cause;
    this.#isFlattening =
      cause?.kind === 'operator' || (cause?.kind === 'timer' && cause.key === ON_ERROR);
  }

  /** @param orderId undefined if the exchange rejected the order */
  afterPlace(orderId?: string): void {
    if (this.#isFlattening && orderId !== undefined) this.#flattens.add(orderId);
    this.#isFlattening = false;
  }

  /** Call when the stop of a position gets another price. */
  onStopMoved(positionId: string): void {
    if (this.#hasTrailingStop) this.#movedStops.add(positionId);
  }

  /** The reason of a fill, before the close event. */
  reasonOf({ role, orderId }: ExchangeOrder): ExitReason {
    if (role === 'stop-loss') return 'stop_loss';
    if (role === 'take-profit') return 'take_profit';
    return this.#isFlattening || this.#flattens.has(orderId) ? 'flatten' : 'signal';
  }

  /** The reason of a fill that closed quantity. */
  closeReasonOf({ kind, positionId }: CloseReport, reason: ExitReason): ExitReason {
    const moved = this.#movedStops.has(positionId);
    if (kind !== 'partial') this.#movedStops.delete(positionId);
    if (kind === 'liquidated') return 'liquidation';
    return reason === 'stop_loss' && moved ? 'trailing_stop' : reason;
  }
}
