import type { BootClock, Clock, Logger, Net, Random, Scheduler } from '../../core/ports.js';
import type { Priority } from '../../core/request.js';
import type { StateFile } from '../../transport/connection-budget.js';
import { assetCalls } from './asset-calls.js';
import { Caller, type CallerOptions } from './caller.js';
import type { FuturesApi } from './futures-api.js';
import { DEFAULT_LIMITS, type FuturesApiLimits } from './limits.js';
import { marketCalls } from './market-calls.js';
import { OPERATIONS } from './operations.js';
import { orderCalls } from './order-calls.js';
import { ping } from './ping-call.js';
import { positionCalls } from './position-calls.js';
import { RequestLimits } from './request-limits.js';
import { Requester, type RequesterOptions } from './requester.js';
import type { SecretSource } from './secret.js';
import { restUrls, type RestUrls } from './url.js';
import { walletCalls } from './wallet-calls.js';

export interface FuturesApiOptions extends Pick<
  CallerOptions,
  'onServerDate' | 'onAuthentication'
> {
  /** Scheme, host and port: `https://…`, or `http://` on a literal loopback IP. */
  readonly baseUrl: string;
  readonly secret: SecretSource;
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** With `stateDir` (which must exist): used limits survive a restart. */
  readonly files?: StateFile['files'];
  readonly stateDir?: string;
  /** See `RequestLimitsOptions`. */
  readonly processAgeMs?: number;
  readonly boot?: BootClock;
  readonly limits?: Partial<FuturesApiLimits>;
  /** Of every call, in place of the one that its row has in `OPERATIONS`. */
  readonly priority?: Priority;
}

/** The interface with limits of its own. */
export interface OpenFuturesApi extends FuturesApi {
  /** Saves the used limits; who waits for a slot waits for ever. */
  close(): Promise<void>;
}

/**
 * The whole interface over HTTP, within its rate limits.
 * @throws VenueUrlError for an address that must not be used
 */
export function createFuturesApi(options: FuturesApiOptions): OpenFuturesApi {
  const connection = openConnection(options);
  const close = (): Promise<void> => connection.requestLimits.close();
  return { ...apiOver(connection, options.priority), close };
}

/** What every call to one venue with one key shares. */
export interface Connection {
  readonly urls: RestUrls;
  readonly limits: FuturesApiLimits;
  readonly caller: Caller;
  readonly requestLimits: RequestLimits;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
}

/** @throws VenueUrlError for an address that must not be used */
export function openConnection(options: FuturesApiOptions): Connection {
  const urls = restUrls(options.baseUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  return {
    urls,
    limits,
    caller: new Caller({ ...options, origin: urls.origin }),
    requestLimits: new RequestLimits({
      ...options,
      tiers: limits.tiers,
      ...stateFile(options, 'rate-usage.json'),
    }),
    logger: options.logger,
    redact: (text) => options.secret.redact(text),
  };
}

/** Every method waits for its slot. */
export function apiOver(connection: Connection, priority?: Priority): FuturesApi {
  const slot: RequesterOptions['slot'] = (operation) => {
    const { tiers, priority: usual } = OPERATIONS[operation];
    return connection.requestLimits.acquire(tiers, priority ?? usual);
  };
  return apiOf(connection, slot);
}

/** For a caller that has got its slots itself: no method waits. */
export const unlimitedApiOver = (connection: Connection): FuturesApi =>
  apiOf(connection, () => Promise.resolve());

function apiOf(connection: Connection, slot: RequesterOptions['slot']): FuturesApi {
  const { urls, logger } = connection;
  const requester = new Requester({ ...connection, slot });
  return {
    ping: () => ping(requester, urls),
    ...walletCalls(requester, urls),
    ...assetCalls(requester, urls, logger),
    ...orderCalls(requester, urls),
    ...positionCalls(requester, urls),
    ...marketCalls(requester, urls, logger),
  };
}

/** A file in the state folder, when there is one. */
export function stateFile(
  { files, stateDir }: Pick<FuturesApiOptions, 'files' | 'stateDir'>,
  name: string,
): { readonly file?: StateFile } {
  if (files === undefined || stateDir === undefined) return {};
  return { file: { files, path: `${stateDir}/${name}` } };
}
