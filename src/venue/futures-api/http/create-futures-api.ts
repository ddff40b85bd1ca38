import { z } from 'zod';
import type { BootClock, Logger, Random, Scheduler } from '../../../core/ports.js';
import type { Outcome, Priority } from '../../../core/request.js';
import type { StateFile } from '../../../io/net/connection-budget.js';
import type { RateUsage } from '../../../io/net/rate-budget.js';
import { assetCalls } from './asset-calls.js';
import { HttpClient, type HttpClientOptions } from './http-client.js';
import type { FuturesApi } from '../futures-api.js';
import { DEFAULT_API_LIMITS, type FuturesApiLimits } from './api-limits.js';
import { readJson, type JsonValue } from './lossless-json.js';
import { marketCalls } from './market-calls.js';
import { OPERATIONS } from './operations.js';
import { orderCalls } from './order-calls.js';
import { outcomeOfResponse } from './outcome.js';
import { positionCalls } from './position-calls.js';
import { RequestLimits } from './request-limits.js';
import { restUrls, type RestUrls } from './url.js';
import { walletCalls } from './wallet-calls.js';
import { ignoredSchema } from '../wire/wire-value.js';

export interface FuturesApiOptions extends Pick<
  HttpClientOptions,
  'net' | 'clock' | 'secret' | 'onServerDate'
> {
  /** Scheme, host and port: `https://…`, or `http://` on a literal loopback IP. */
  readonly baseUrl: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** With an existing `stateDir`, the used limits survive a restart. */
  readonly files?: StateFile['files'];
  readonly stateDir?: string;
  /** See `RequestLimitsOptions`. */
  readonly processAgeMs?: number;
  readonly boot?: BootClock;
  readonly earlierUsage?: RateUsage;
  readonly limits?: Partial<FuturesApiLimits>;
  /** Priority of every call; default: the one in `OPERATIONS`. */
  readonly priority?: Priority;
}

/** The interface with its own rate limits. */
export interface ClosableFuturesApi extends FuturesApi {
  /** Used of the limits so far, for the `earlierUsage` of another client. */
  usage(): RateUsage;
  /** Saves the used limits. Pending permits never resolve. */
  close(): Promise<void>;
}

/**
 * The whole interface over HTTP, within its rate limits.
 * @throws VenueUrlError for an address that must not be used
 */
export function createFuturesApi(options: FuturesApiOptions): ClosableFuturesApi {
  const context = createApiContext(options);
  const { requestLimits } = context;
  return {
    ...throttledApi(context, options.priority),
    usage: () => requestLimits.usage,
    close: () => requestLimits.close(),
  };
}

/** Shared by all clients of one venue and one API key. */
export interface ApiContext extends Omit<HttpClientOptions, 'acquirePermit'> {
  readonly urls: RestUrls;
  readonly limits: FuturesApiLimits;
  readonly requestLimits: RequestLimits;
  readonly logger: Logger;
}

/** @throws VenueUrlError for an address that must not be used */
export function createApiContext(options: FuturesApiOptions): ApiContext {
  const { net, clock, secret, logger, onServerDate } = options;
  const limits = { ...DEFAULT_API_LIMITS, ...options.limits };
  return {
    urls: restUrls(options.baseUrl),
    limits,
    net,
    clock,
    secret,
    logger,
    ...(onServerDate !== undefined && { onServerDate }),
    requestLimits: new RequestLimits({
      ...options,
      tiers: limits.tiers,
      ...stateFile(options, 'rate-usage.json'),
    }),
  };
}

/** Every method waits for its permit. */
export function throttledApi(context: ApiContext, priority?: Priority): FuturesApi {
  const acquirePermit: HttpClientOptions['acquirePermit'] = (operation) => {
    const { tiers, priority: defaultPriority } = OPERATIONS[operation];
    return context.requestLimits.acquire(tiers, priority ?? defaultPriority);
  };
  return buildApi(context, acquirePermit);
}

/** No method waits: the caller has acquired the permits itself. */
export const unthrottledApi = (context: ApiContext): FuturesApi =>
  buildApi(context, () => Promise.resolve());

function buildApi(
  context: ApiContext,
  acquirePermit: HttpClientOptions['acquirePermit'],
): FuturesApi {
  const { urls, logger } = context;
  const client = new HttpClient({ ...context, acquirePermit });
  return {
    ping: () => ping(client, urls),
    ...walletCalls(client, urls),
    ...assetCalls(client, urls, logger),
    ...orderCalls(client, urls),
    ...positionCalls(client, urls),
    ...marketCalls(client, urls, logger),
  };
}

/** Whether the secret is accepted. The only answer without an envelope: `{"code":200,"text":"pong"}`. */
async function ping(client: HttpClient, urls: RestUrls): Promise<Outcome<null>> {
  const result = await client.call('ping', { url: urls.futures(['ping']) });
  if (result.kind === 'lost') return { kind: 'unknown', cause: result.cause, sent: result.sent };
  const { response } = result;
  if (response.status === 200 && isPong(response.body)) return { kind: 'yes', value: null };
  return client.redacted(outcomeOfResponse('ping', response, ignoredSchema));
}

const pong = z.object({ text: z.literal('pong') });

function isPong(body: string): boolean {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
  return pong.safeParse(value).success;
}

/** A file in the state folder, where there is one. */
export function stateFile(
  { files, stateDir }: Pick<FuturesApiOptions, 'files' | 'stateDir'>,
  name: string,
): { readonly file?: StateFile } {
  if (files === undefined || stateDir === undefined) return {};
  return { file: { files, path: `${stateDir}/${name}` } };
}
