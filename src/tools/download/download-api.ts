import type { Files, Net } from '../../core/ports.js';
import { DEFAULT_API_LIMITS } from '../../venue/futures-api/http/api-limits.js';
import {
  createFuturesApi,
  type FuturesApiOptions,
} from '../../venue/futures-api/http/create-futures-api.js';
import { retryAfterMs } from '../../venue/futures-api/http/request-limits.js';
import { Secret } from '../../venue/futures-api/http/secret.js';

const MINUTE_MS = 60_000;
/** A download of a year of minutes reads answers of megabytes. */
const READ_TIMEOUT_MS = 30_000;
/** A crash loses the use of at most 10 calls: the saved limits count a second of them. */
const CALLS_PER_SECOND = 10;

export interface DownloadApiOptions extends Pick<
  FuturesApiOptions,
  'baseUrl' | 'net' | 'clock' | 'scheduler' | 'random' | 'logger'
> {
  readonly files: Files;
  /** Calls a minute. */
  readonly rate: number;
  /** Folder of the used limits. */
  readonly stateDir: string;
}

/** The venue's public history, within its limits, the time at the venue, and the pause that its last 429 asks for. */
export async function openDownloadApi({ rate, ...options }: DownloadApiOptions) {
  let venueMs: number | undefined;
  let askedPauseMs: number | undefined;
  const { clock, files, net, stateDir } = options;
  // The used limits are kept: a killed and resumed download must not exceed them.
  await files.makeDirectory(stateDir);
  const market = {
    windows: [
      { lengthMs: 1_000, limit: CALLS_PER_SECOND },
      { lengthMs: MINUTE_MS, limit: rate },
    ],
    safety: 1,
    reserve: 0,
  };
  const watched: Net = {
    connect: (url, handlers) => net.connect(url, handlers),
    async request(request) {
      const response = await net.request(request);
      if (response.status === 429) askedPauseMs = retryAfterMs(response.headers['retry-after']);
      return response;
    },
  };
  const api = createFuturesApi({
    ...options,
    net: watched,
    // Public calls send no secret.
    secret: new Secret('-public-market-data-'),
    limits: { tiers: { ...DEFAULT_API_LIMITS.tiers, market }, readTimeoutMs: READ_TIMEOUT_MS },
    onServerDate: ({ serverMs }) => {
      venueMs = serverMs;
    },
  });
  return {
    api,
    nowMs: () => Math.min(clock.utcMs(), venueMs ?? Infinity),
    // The limit is one of a minute (interface: limits): after it every call is free again.
    pauseMs: () => askedPauseMs ?? MINUTE_MS,
  };
}
