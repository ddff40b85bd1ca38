import type { CloseReport } from '../core/account.js';
import type { OrderIntent } from '../core/intent.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import type { ExitReason } from '../report/trades.js';
import { ON_ERROR } from '../strategy/host/error-policy.js';

/** Why the orders of a run take positions off. */
export class ExitReasons {
  readonly #trails: boolean;
  /** Orders that nobody's signal gave. */
  readonly #flattens = new Set<string>();
  /** Positions whose stop was moved. */
  readonly #moved = new Set<string>();
  #flattening = false;

  /** @param trails stops follow the price */
  constructor(trails: boolean) {
    this.#trails = trails;
  }

  /** An order of ours is about to be placed; `placed` tells its id, if it is. */
  placing(intent: Pick<OrderIntent, 'cause'> | undefined): void {
    const cause = intent?.cause;
    this.#flattening =
      cause?.kind === 'operator' || (cause?.kind === 'timer' && cause.key === ON_ERROR);
  }

  /** @param orderId absent: it was not taken */
  placed(orderId?: string): void {
    if (this.#flattening && orderId !== undefined) this.#flattens.add(orderId);
    this.#flattening = false;
  }

  /** The stop of a position was given another price. */
  moved(positionId: string): void {
    if (this.#trails) this.#moved.add(positionId);
  }

  /** Of a fill, before it is known what it closes. */
  reasonOf({ role, orderId }: ExchangeOrder): ExitReason {
    if (role === 'stop-loss') return 'stop_loss';
    if (role === 'take-profit') return 'take_profit';
    return this.#flattening || this.#flattens.has(orderId) ? 'flatten' : 'signal';
  }

  /** Of a fill that has closed something. */
  closed({ kind, positionId }: CloseReport, reason: ExitReason): ExitReason {
    const moved = this.#moved.has(positionId);
    if (kind !== 'partial') this.#moved.delete(positionId);
    if (kind === 'liquidated') return 'liquidation';
    return reason === 'stop_loss' && moved ? 'trailing_stop' : reason;
  }
}
