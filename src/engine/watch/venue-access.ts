import type { EngineEventBody, EventTime } from '../../core/events.js';
import { durationText } from '../../core/time-text.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { RunCounts } from '../account/run-counts.js';
import type { Reconciliation } from '../reconciliation/reconciliation.js';
import type { TradingState } from '../trading-state.js';

export interface VenueAccessParts {
  readonly stamp: Readonly<EventTime>;
  readonly journal: Journal;
  readonly effects: EffectSink;
  readonly counts: RunCounts;
  readonly protocol: Pick<OrderProtocol, 'pauseSubmission'>;
  readonly tradingState: TradingState;
  readonly reconciliation: Pick<Reconciliation, 'restart'>;
}

/** Whether the venue can be read, and whether it accepts the key. */
export class VenueAccess {
  readonly #parts: VenueAccessParts;
  /** Monotonic ms since which it cannot be read. */
  #unavailableSince: number | undefined;

  constructor(parts: VenueAccessParts) {
    this.#parts = parts;
  }

  onEvent(event: Extract<EngineEventBody, { readonly kind: 'availability' | 'access' }>): void {
    if (event.kind === 'access') this.#onKey(event.refused, event.cause);
    else if (event.available) this.#onAvailable();
    else this.#onUnavailable(event.cause);
  }

  /** Maintenance, an outage, or a lost connection: entries stop, exits are tried again. */
  #onUnavailable(cause: string): void {
    this.#unavailableSince ??= this.#parts.stamp.monotonic;
    this.#restrict(`the venue cannot be read: ${cause}`);
  }

  #onAvailable(): void {
    const { stamp, journal, effects } = this.#parts;
    if (this.#unavailableSince === undefined) return;
    // Renewed: 60 s without a failure count from now.
    this.#restrict('the venue can be read again');
    const elapsed = durationText(stamp.monotonic - this.#unavailableSince);
    this.#unavailableSince = undefined;
    const text = `the venue can be read again, after ${elapsed}`;
    journal.accountNote('info', text);
    effects.notify({ level: 'info', text });
  }

  /** Attempts wait while the key is refused, and resume after a clean reconciliation. */
  #onKey(refused: boolean, cause: string): void {
    const { counts, protocol, tradingState, reconciliation } = this.#parts;
    if (refused === tradingState.isKeyRefused) return;
    if (refused) {
      counts.keyRefusals += 1;
      protocol.pauseSubmission();
    }
    tradingState.setKeyRefused(refused, cause);
    if (!refused) reconciliation.restart();
  }

  #restrict(cause: string): void {
    this.#parts.tradingState.restrict({
      control: 'R25',
      to: 'REDUCE_ONLY',
      class: 'self-clearing',
      cause,
    });
  }
}
