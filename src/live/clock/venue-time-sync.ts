import type { Cancel, Clock, HttpResponse, Net, Scheduler } from '../../core/ports.js';
import type { ServerDate } from '../../venue/futures-api/http/http-client.js';
import { VenueError } from '../../venue/venue.js';
import { DateHeaderSync } from './date-header-sync.js';
import type { RunMode } from '../../config/config-schema.js';
import type { VenueClock } from './venue-clock.js';

const TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 5_000;
/**
 * A suspended process may receive a sandbox's first answer late. An answer older than this many venue ms is
 * requested again, up to a maximum number of attempts.
 */
const MAX_DELAY_MS = 5_000;
const MAX_ATTEMPTS = 5;

/** Identity and clock of a sandbox, from its control path. */
export interface SandboxIdentity {
  readonly instanceId: string;
  readonly nowMs: number;
  readonly rate: number;
}

export interface VenueTimeSyncParts {
  readonly net: Net;
  readonly baseUrl: string;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** A sandbox did not report its time; the last sample stays. */
  readonly onFailed: (error: unknown) => void;
}

/** Keeps our venue time near the venue's own. */
export interface VenueTimeSync {
  /** Id of the sandbox; undefined: the venue is none. */
  readonly instanceId: string | undefined;
  /** Reads the time again now. @throws VenueError */
  refresh(): Promise<void>;
  /** Starts periodic reads. */
  start(): void;
  onServerDate(date: ServerDate): void;
  stop(): void;
}

/**
 * Source of venue time. A sandbox reports it on its control path, because its clock may run fast or be set
 * manually. Any other venue reports it in the Date header of its answers, and gets no request for a sandbox.
 */
export type TimeSource = 'sandbox' | 'date-header' | 'either';

export const TIME_SOURCES: Readonly<Record<RunMode, TimeSource>> = {
  sandbox: 'sandbox',
  paper: 'either',
  observe: 'date-header',
  live: 'date-header',
};

/**
 * Synchronizes with the venue's time. From Date headers it is this machine's UTC until the first answer.
 * @throws VenueError when a sandbox is asked and nothing answers, or when it must answer and does not
 */
export async function openVenueTimeSync(
  parts: VenueTimeSyncParts,
  source: TimeSource,
): Promise<VenueTimeSync> {
  const { net, baseUrl, venueClock, clock } = parts;
  const dates = new DateHeaderSync(venueClock, clock);
  if (source === 'date-header') return dateHeaderTime(dates);
  let sentAt = clock.monotonicMs();
  let response = await requestSandboxClock(net, baseUrl);
  let sandbox = identityOf(response);
  for (let attempt = 1; sandbox !== undefined && attempt < MAX_ATTEMPTS; attempt += 1) {
    if ((clock.monotonicMs() - sentAt) * sandbox.rate <= MAX_DELAY_MS) break;
    sentAt = clock.monotonicMs();
    response = await requestSandboxClock(net, baseUrl);
    sandbox = identityOf(response);
  }
  if (sandbox !== undefined) {
    venueClock.sync(sandbox.nowMs, sandbox.rate);
    return createSandboxSync(parts, sandbox);
  }
  if (source === 'sandbox' || !isOtherVenue(response)) throw notSandboxError(baseUrl, response);
  const serverMs = Date.parse(response.headers['date'] ?? '');
  const receivedAt = clock.monotonicMs();
  if (!Number.isNaN(serverMs)) dates.onDate({ serverMs, sentAt, receivedAt });
  return dateHeaderTime(dates);
}

const dateHeaderTime = (dates: DateHeaderSync): VenueTimeSync => ({
  instanceId: undefined,
  refresh: () => Promise.resolve(),
  start: () => undefined,
  onServerDate: (date) => {
    dates.onDate(date);
  },
  stop: () => undefined,
});

/** Reads a sandbox's time and id. @throws VenueError */
export async function readSandboxClock(net: Net, baseUrl: string): Promise<SandboxIdentity> {
  const response = await requestSandboxClock(net, baseUrl);
  const identity = identityOf(response);
  if (identity === undefined) throw notSandboxError(baseUrl, response);
  return identity;
}

function requestSandboxClock(net: Net, baseUrl: string): Promise<HttpResponse> {
  const url = `${baseUrl}/sandbox/clock`;
  return net
    .request({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS })
    .catch((cause: unknown) => {
      throw new VenueError(
        `nothing answers at ${baseUrl}; start a sandbox (npx sluice sandbox) or correct venue.base_url`,
        { cause, isTransient: true },
      );
    });
}

function notSandboxError(baseUrl: string, { status }: HttpResponse): VenueError {
  const isTransient = status === 429 || status >= 500;
  const what = isTransient ? 'does not serve its clock now' : 'is not a sandbox';
  return new VenueError(`${baseUrl} ${what}: GET /sandbox/clock answers ${status}`, {
    status,
    isTransient,
  });
}

/** A venue without this path answers 401 or 404 (supplement: unknown paths), or with a page. */
const isOtherVenue = ({ status }: HttpResponse): boolean => [200, 401, 403, 404].includes(status);

function identityOf({ status, body }: HttpResponse): SandboxIdentity | undefined {
  if (status !== 200) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const fields = parsed as Readonly<Record<string, unknown>>;
  const { instance_id: instanceId, now_ms: nowMs, rate } = fields;
  const valid =
    typeof instanceId === 'string' && Number.isSafeInteger(nowMs) && typeof rate === 'number';
  return valid ? { instanceId, nowMs: nowMs as number, rate } : undefined;
}

/**
 * A failed read keeps the last sample: prices and candles still advance the time. A suspended process may
 * receive an answer late while a sandbox's clock runs fast, so an answer only bounds the time.
 */
function createSandboxSync(
  parts: VenueTimeSyncParts,
  { instanceId }: SandboxIdentity,
): VenueTimeSync {
  const { net, baseUrl, venueClock, clock, scheduler, onFailed } = parts;
  let cancel: Cancel = () => undefined;
  let stopped = false;
  const refresh = async (): Promise<void> => {
    const sentAt = clock.monotonicMs();
    const { nowMs, rate } = await readSandboxClock(net, baseUrl);
    if (stopped) return;
    const latest = nowMs + (clock.monotonicMs() - sentAt) * rate;
    const time = Math.round(Math.min(latest, Math.max(nowMs, venueClock.now())));
    venueClock.sync(time, rate);
  };
  const start = (): void => {
    cancel = scheduler.after(POLL_INTERVAL_MS, () => {
      refresh()
        .catch(onFailed)
        .finally(() => {
          if (!stopped) start();
        });
    });
  };
  return {
    instanceId,
    refresh,
    start,
    onServerDate: () => undefined,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
