import type { Clock, Logger, Net, Random, Scheduler } from '../../core/ports.js';
import type { VenueRequest } from '../../core/request.js';
import { ConnectionBudget, type StateFile } from '../../transport/connection-budget.js';
import type { Venue } from '../venue.js';
import { pollAccount } from './account-poller.js';
import { Caller, type Call, type CallResult, type ServerDate } from './caller.js';
import { DEFAULT_LIMITS, tiersOf, type FuturesApiLimits } from './limits.js';
import { MarketData } from './market-data.js';
import { marketStream } from './market-stream.js';
import { RequestLimits } from './request-limits.js';
import type { Secret } from './secret.js';
import { Trading } from './trading.js';
import { venueUrls } from './url.js';

export interface FuturesApiVenueOptions {
  /** Scheme, host and port: `https://…`, or `http://` on a literal loopback IP. */
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly secret: Secret;
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** With `stateDir` (which must exist): used limits survive a restart. */
  readonly files?: StateFile['files'];
  readonly stateDir?: string;
  readonly limits?: Partial<FuturesApiLimits>;
  /** ms UTC at the venue: a candle that closes after it is not handed out, whatever was asked. */
  readonly venueTime?: () => number;
  /** Told with every answer that carries a Date header. */
  readonly onServerDate?: (date: ServerDate) => void;
}

export interface FuturesApiVenue extends Venue {
  /** Saves the used limits; who waits for a slot waits for ever. Streams end by unsubscribing. */
  close(): Promise<void>;
}

/**
 * The venue of the futures service interface, over HTTP and WebSocket.
 * @throws VenueUrlError for an address that must not be used
 */
export function createFuturesApiVenue(options: FuturesApiVenueOptions): FuturesApiVenue {
  const urls = venueUrls(options.baseUrl, options.wsUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const caller = new Caller(options);
  const requestLimits = new RequestLimits({
    ...options,
    tiers: limits.tiers,
    ...stateFile(options, 'rate-usage.json'),
  });
  const connections = new ConnectionBudget({
    ...options,
    perMinute: limits.connectionsPerMinute,
    ...stateFile(options, 'connections.json'),
  });
  const call = async (asked: Call, request: VenueRequest): Promise<CallResult> => {
    const result = await caller.trading(asked);
    if (result.kind === 'answer') {
      const { status, headers } = result.response;
      requestLimits.answered(tiersOf(request), status, headers['retry-after']);
    }
    return result;
  };
  const redact = (text: string): string => options.secret.redact(text);
  const trading = new Trading({ urls, limits, call, redact });
  const marketData = new MarketData({ ...options, urls, limits, requestLimits, caller });
  return {
    instruments: () => marketData.instruments(),
    candles: (range) => marketData.candles(range),
    market$: (wanted) =>
      marketStream(wanted, {
        ...options,
        url: urls.stream,
        connections,
        streamsPerConnection: limits.streamsPerConnection,
      }),
    account$: (wanted) =>
      pollAccount(wanted, {
        ...options,
        slot: (request, signal) => requestLimits.acquire(tiersOf(request), 'poll', signal),
        send: (request) => trading.send(request),
      }),
    slot: (request, priority) => requestLimits.acquire(tiersOf(request), priority),
    send: (request) => trading.send(request),
    close: () => requestLimits.close(),
  };
}

function stateFile(
  { files, stateDir }: FuturesApiVenueOptions,
  name: string,
): { readonly file?: StateFile } {
  if (files === undefined || stateDir === undefined) return {};
  return { file: { files, path: `${stateDir}/${name}` } };
}
