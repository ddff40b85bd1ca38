import { z } from 'zod';
import { clientOrderId, kept, milliseconds, text } from './journal-values.js';

/**
 * A person's decision between two runs on everything that a strategy id holds. It names each thing that changes its
 * owner, so that a start needs no configuration to read it.
 */
export const ownership = {
  /** `rename`: the same strategy. `adopt`: another one takes the positions. `retire`: no strategy owns them. */
  decision: z.enum(['rename', 'adopt', 'retire']),
  strategyId: text,
  /** The owner from now on; absent: none. */
  to: z.exactOptional(text),
  /** Symbols of its positions and unfinished orders. */
  symbols: z.array(text),
  /** The next start closes its positions. */
  close: z.exactOptional(z.boolean()),
  /** `adopt`: unfinished orders that change their owner. `retire`: entries that the next start cancels. */
  orders: z.array(clientOrderId),
  /** Durable states that `to` has from now on. */
  kept: z.array(kept),
  /** Keys of durable states that `strategyId` loses. */
  dropped: z.array(text),
  reason: text,
  /** ms UTC of this machine. */
  decidedAt: milliseconds,
};
