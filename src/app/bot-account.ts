import type { Subscription } from 'rxjs';
import { CURRENCIES } from '../core/currency.js';
import type { Happening } from '../core/events.js';
import type { Logger } from '../core/ports.js';
import type { Engine } from '../engine/engine.js';
import type { AccountMessage, Venue, WantedAccount } from '../venue/venue.js';

/** Four requests a minute: a foreign position there is no haste. */
const OTHER_CURRENCY_EVERY_MS = 30_000;

export interface BotAccountParts {
  readonly engine: Pick<Engine, 'currency' | 'mode'>;
  readonly venue: Pick<Venue, 'account$'>;
  readonly pollMs: number;
  readonly logger: Logger;
  readonly push: (happening: Happening) => void;
  /** Whatever it says, it tells whether the venue accepts the key. */
  readonly polled: (message: AccountMessage) => void;
  readonly fail: (error: unknown) => void;
}

/** What a bot hears of its account: positions, orders and wallets, as polls tell them. */
export class BotAccount {
  readonly #parts: BotAccountParts;

  constructor(parts: BotAccountParts) {
    this.#parts = parts;
  }

  subscribe(): Subscription {
    const { venue, fail } = this.#parts;
    return venue.account$(this.#wanted()).subscribe({
      next: (message) => {
        this.#meet(message);
      },
      error: fail,
    });
  }

  #wanted(): WantedAccount {
    const { engine, pollMs } = this.#parts;
    const { currency } = engine;
    return {
      currencies: [currency],
      everyMs: pollMs,
      // Nothing of ours is in the other currency; what others have there is to be known all the same.
      seldom: {
        currencies: CURRENCIES.filter((each) => each !== currency),
        everyMs: OTHER_CURRENCY_EVERY_MS,
      },
      // After many starts in a minute the share of the budget that polls have is used up.
      isAwaited: () => engine.mode === 'STARTING' || engine.mode === 'RECONCILING',
    };
  }

  #meet(message: AccountMessage): void {
    const { push, logger, polled } = this.#parts;
    if (message.kind === 'snapshot') push({ kind: 'account', snapshot: message.snapshot });
    else logger.warn({ what: message.what }, `poll failed: ${message.cause}`);
    polled(message);
  }
}
