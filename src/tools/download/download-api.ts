import type { Files } from '../../core/ports.js';
import { DEFAULT_API_LIMITS } from '../../venue/futures-api/http/api-limits.js';
import {
  createFuturesApi,
  type FuturesApiOptions,
} from '../../venue/futures-api/http/create-futures-api.js';
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

/** The venue's public history, within its limits, and the time at the venue. */
export async function openDownloadApi({ rate, ...options }: DownloadApiOptions) {
  let venueMs: number | undefined;
  const { clock, files, stateDir } = options;
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
  const api = createFuturesApi({
    ...options,
    // Public calls send no secret.
    secret: new Secret('-public-market-data-'),
    limits: { tiers: { ...DEFAULT_API_LIMITS.tiers, market }, readTimeoutMs: READ_TIMEOUT_MS },
    onServerDate: ({ serverMs }) => {
      venueMs = serverMs;
    },
  });
  return { api, nowMs: () => Math.min(clock.utcMs(), venueMs ?? Infinity) };
}
