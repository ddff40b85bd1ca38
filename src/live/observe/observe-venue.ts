import type { Currency } from '../../core/currency.js';
import type { Ratio } from '../../core/fixed/fixed.js';
import type { Logger } from '../../core/ports.js';
import type { Reply, RequestOf, VenueRequest } from '../../core/request.js';
import {
  createFuturesApiVenue,
  type FuturesApiVenue,
  type FuturesApiVenueOptions,
} from '../../venue/futures-api/futures-api-venue.js';
import { readOnlyNet } from './read-only-net.js';
import { isChange, type ChangeKind } from './change-kind.js';
import { requestText } from './request-text.js';

/** A request that would have left, as the summary counts it. */
export type WouldSend = Readonly<Record<'orders' | 'other', number>>;

export interface ObserveVenue extends FuturesApiVenue {
  /** Requests that would have left until now. */
  readonly wouldSend: WouldSend;
}

/**
 * The venue of a run that observes: real prices and the real account, through a network that reads only. A
 * change ends here: it is logged, and the reply says that it was not sent. The one exception is leverage: the
 * reply says that it is set, because otherwise no order would follow.
 * @throws VenueUrlError for an address that must not be used
 */
export function createObserveVenue(options: FuturesApiVenueOptions): ObserveVenue {
  const venue = createFuturesApiVenue({ ...options, net: readOnlyNet(options.net) });
  const observer = new ChangeObserver(options.logger);
  return {
    ...venue,
    send(request) {
      if (isChange(request)) return Promise.resolve(observer.onChange(request));
      const known = observer.knownReply(request);
      return known === undefined ? venue.send(request) : Promise.resolve(known);
    },
    get wouldSend() {
      return observer.counts;
    },
  };
}

class ChangeObserver {
  readonly #logger: Logger;
  readonly #leverage = new Map<string, Ratio>();
  counts: WouldSend = { orders: 0, other: 0 };

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  onChange(request: RequestOf<ChangeKind>): Reply {
    const { orders, other } = this.counts;
    this.counts =
      request.kind === 'place' ? { orders: orders + 1, other } : { orders, other: other + 1 };
    const text = requestText(request);
    const id = 'clientOrderId' in request ? { order: request.clientOrderId } : {};
    this.#logger.info({ would_send: request.kind, ...id }, `would send: ${text}`);
    if (request.kind === 'set-leverage') {
      this.#leverage.set(keyOf(request), request.leverage);
      return { to: 'set-leverage', outcome: { kind: 'yes', value: request.leverage } };
    }
    const outcome = {
      kind: 'no',
      code: 'observed',
      text: `would send: ${text}`,
      status: NO_STATUS,
    } as const;
    return { to: request.kind, outcome };
  }

  /** The reply to a read of what a change would have set. */
  knownReply(request: VenueRequest): Reply | undefined {
    if (request.kind !== 'read-leverage') return undefined;
    const value = this.#leverage.get(keyOf(request));
    return value === undefined
      ? undefined
      : { to: 'read-leverage', outcome: { kind: 'yes', value } };
  }
}

/** No answer of a venue. */
const NO_STATUS = 0;

const keyOf = ({ symbol, currency }: { symbol: string; currency: Currency }): string =>
  `${symbol} ${currency}`;
