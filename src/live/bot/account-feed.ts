import type { Subscription } from 'rxjs';
import type { AccountSnapshot } from '../../core/account.js';
import { CURRENCIES } from '../../core/currency.js';
import type { Clock } from '../../core/ports.js';
import type { Engine } from '../../engine/engine.js';
import type { AccountMessage, Venue, AccountSubscription } from '../../venue/venue.js';
import type { ReportedPositions } from '../summary/run-summary.js';
import type { AvailabilityMonitor } from './availability-monitor.js';
import type { ApiKeyMonitor } from './api-key-monitor.js';
import type { EventSink } from './engine-loop.js';

/** Four requests a minute: an external position is not urgent. */
const OTHER_CURRENCY_INTERVAL_MS = 30_000;

export interface AccountFeedParts {
  readonly engine: Pick<Engine, 'currency' | 'mode'>;
  readonly venue: Pick<Venue, 'account$'>;
  readonly pollMs: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly loop: EventSink;
  /** Each poll, failed or not, shows whether the venue can be read. */
  readonly availability: Pick<AvailabilityMonitor, 'onPolled'>;
  /** The same, and whether the venue accepts the key. */
  readonly keyMonitor: Pick<ApiKeyMonitor, 'onPolled'>;
  /** Checks the account before the engine does. @throws ConfigError when no order could be placed on it */
  readonly checkAccount: (snapshot: AccountSnapshot) => void;
}

type PositionSnapshot = Extract<AccountSnapshot, { readonly kind: 'positions' }>;

/** Polls of the account: positions, open orders and wallets. */
export class AccountFeed {
  readonly #parts: AccountFeedParts;
  #lastPositions: PositionSnapshot | undefined;

  constructor(parts: AccountFeedParts) {
    this.#parts = parts;
  }

  /** The last poll of the positions in the engine's currency, with its age. */
  get reportedPositions(): ReportedPositions | undefined {
    if (this.#lastPositions === undefined) return undefined;
    const { positions, startedAt } = this.#lastPositions;
    return { positions, ageMs: Math.round(this.#parts.clock.monotonicMs() - startedAt) };
  }

  subscribe(): Subscription {
    const { venue, loop } = this.#parts;
    return venue.account$(this.#subscription()).subscribe({
      next: (message) => {
        this.#onMessage(message);
      },
      error: (error) => {
        loop.fail(error);
      },
    });
  }

  #subscription(): AccountSubscription {
    const { engine, pollMs } = this.#parts;
    const { currency } = engine;
    return {
      currencies: [currency],
      everyMs: pollMs,
      // We hold nothing in the other currency, but external positions there are reported too.
      infrequent: {
        currencies: CURRENCIES.filter((each) => each !== currency),
        everyMs: OTHER_CURRENCY_INTERVAL_MS,
      },
      // Many starts within a minute use up the polls' share of the rate budget.
      isAwaited: () => engine.mode === 'STARTING' || engine.mode === 'RECONCILING',
    };
  }

  #onMessage(message: AccountMessage): void {
    const { keyMonitor, availability } = this.#parts;
    if (message.kind === 'snapshot') this.#onSnapshot(message.snapshot);
    availability.onPolled(message);
    keyMonitor.onPolled(message);
  }

  /** A configuration that the account contradicts ends the run before the engine trades. */
  #onSnapshot(snapshot: AccountSnapshot): void {
    const { engine, loop, checkAccount } = this.#parts;
    if (snapshot.kind === 'positions' && snapshot.currency === engine.currency) {
      this.#lastPositions = snapshot;
    }
    try {
      checkAccount(snapshot);
    } catch (error) {
      loop.fail(error);
      return;
    }
    loop.push({ kind: 'account', snapshot });
  }
}
