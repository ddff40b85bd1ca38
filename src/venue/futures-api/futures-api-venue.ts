import type { Priority, VenueRequest } from '../../core/request.js';
import { ConnectionBudget } from '../../transport/connection-budget.js';
import type { Venue } from '../venue.js';
import { pollAccount } from './account-poller.js';
import {
  apiOver,
  openConnection,
  stateFile,
  unlimitedApiOver,
  type FuturesApiOptions,
} from './create-futures-api.js';
import { feedCheck } from './feed-check.js';
import type { FuturesApi } from './futures-api.js';
import { MarketData } from './market-data.js';
import { marketStream } from './market-stream.js';
import { tiersOf } from './operations.js';
import { Trading } from './trading.js';
import { venueUrls } from './url.js';

export interface FuturesApiVenueOptions extends Omit<FuturesApiOptions, 'priority'> {
  readonly wsUrl: string;
  /** ms UTC at the venue: a candle that closes after it is not handed out, whatever was asked. */
  readonly venueTime?: () => number;
}

export interface FuturesApiVenue extends Venue {
  /** Saves the used limits; who waits for a slot waits for ever. Streams end by unsubscribing. */
  close(): Promise<void>;
  /**
   * The whole interface within the same limits, for what the port has no word for.
   * @param priority of every call, in place of the one that its row has in `OPERATIONS`
   */
  api(priority?: Priority): FuturesApi;
}

/**
 * The venue of the futures service interface, over HTTP and WebSocket.
 * @throws VenueUrlError for an address that must not be used
 */
export function createFuturesApiVenue(options: FuturesApiVenueOptions): FuturesApiVenue {
  const { stream } = venueUrls(options.baseUrl, options.wsUrl);
  const connection = openConnection(options);
  const { limits, requestLimits } = connection;
  const connections = new ConnectionBudget({
    ...options,
    perMinute: limits.connectionsPerMinute,
    ...stateFile(options, 'connections.json'),
  });
  const venueTime = options.venueTime ?? (() => options.clock.utcMs());
  const moved = feedCheck(apiOver(connection), venueTime);
  const marketData = new MarketData({ ...options, ...connection });
  const slot = (request: VenueRequest, priority: Priority, signal?: AbortSignal): Promise<void> =>
    requestLimits.acquire(tiersOf(request), priority, signal);
  const trading = new Trading({
    api: unlimitedApiOver(connection),
    limits,
    // A list that was begun is to be whole before it is old.
    slot: (request) => slot(request, 'verify'),
  });
  return {
    instruments: (wanted) => marketData.instruments(wanted),
    candles: (range) => marketData.candles(range),
    market$: (wanted) =>
      marketStream(wanted, {
        ...options,
        url: stream,
        connections,
        venueTime,
        moved,
        streamsPerConnection: limits.streamsPerConnection,
      }),
    account$: (wanted) =>
      pollAccount(wanted, {
        ...options,
        slot,
        send: (request) => trading.send(request),
      }),
    slotNow: (request, priority) => requestLimits.acquireNow(tiersOf(request), priority),
    slot: (request, priority) => slot(request, priority),
    send: (request) => trading.send(request),
    close: () => requestLimits.close(),
    api: (priority) => apiOver(connection, priority),
  };
}
