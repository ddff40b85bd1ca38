import type { Priority, VenueRequest } from '../../core/request.js';
import { ConnectionBudget } from '../../io/net/connection-budget.js';
import type { Venue } from '../venue.js';
import { pollAccount } from '../account-poller.js';
import {
  throttledApi,
  createApiContext,
  stateFile,
  unthrottledApi,
  type FuturesApiOptions,
} from './http/create-futures-api.js';
import { createStaleFeedCheck } from './stream/stale-feed-check.js';
import type { FuturesApi } from './futures-api.js';
import { MarketDataClient } from './market-data-client.js';
import { marketStream } from './stream/market-stream.js';
import { tiersOf } from './http/operations.js';
import { TradingClient } from './trading-client.js';
import { venueUrls } from './http/url.js';

export interface FuturesApiVenueOptions extends Omit<FuturesApiOptions, 'priority'> {
  readonly wsUrl: string;
  /** ms UTC at the venue: candles that close later are never returned. */
  readonly venueTime?: () => number;
}

export interface FuturesApiVenue extends Venue {
  /** Saves the used limits. Pending permits never resolve. Streams end when unsubscribed. */
  close(): Promise<void>;
  /**
   * The whole interface within the same limits, for operations that the port lacks.
   * @param priority of every call; default: the one in `OPERATIONS`
   */
  api(priority?: Priority): FuturesApi;
}

/**
 * The venue of the futures service interface, over HTTP and WebSocket.
 * @throws VenueUrlError for an address that must not be used
 */
export function createFuturesApiVenue(options: FuturesApiVenueOptions): FuturesApiVenue {
  const { stream } = venueUrls(options.baseUrl, options.wsUrl);
  const context = createApiContext(options);
  const { limits, requestLimits } = context;
  const connections = new ConnectionBudget({
    ...options,
    perMinute: limits.connectionsPerMinute,
    ...stateFile(options, 'connections.json'),
  });
  const venueTime = options.venueTime ?? (() => options.clock.utcMs());
  const hasMissedUpdates = createStaleFeedCheck(throttledApi(context), venueTime);
  const marketData = new MarketDataClient({ ...options, ...context });
  const acquirePermit = (
    request: VenueRequest,
    priority: Priority,
    signal?: AbortSignal,
  ): Promise<void> => requestLimits.acquire(tiersOf(request), priority, signal);
  const trading = new TradingClient({
    api: unthrottledApi(context),
    limits,
    // The first page of a list must not grow stale while later pages wait.
    acquirePermit: (request) => acquirePermit(request, 'verify'),
  });
  return {
    instruments: (symbols) => marketData.instruments(symbols),
    candles: (range) => marketData.candles(range),
    market$: (subscription) =>
      marketStream(subscription, {
        ...options,
        url: stream,
        connections,
        venueTime,
        hasMissedUpdates,
        streamsPerConnection: limits.streamsPerConnection,
      }),
    account$: (subscription) =>
      pollAccount(subscription, {
        ...options,
        acquirePermit,
        send: (request) => trading.send(request),
      }),
    tryAcquirePermit: (request, priority) => requestLimits.tryAcquire(tiersOf(request), priority),
    acquirePermit: (request, priority) => acquirePermit(request, priority),
    send: (request) => trading.send(request),
    close: () => requestLimits.close(),
    api: (priority) => throttledApi(context, priority),
  };
}
