import type { Cancel, Clock, HttpResponse, Net, Scheduler } from '../core/ports.js';
import type { ServerDate } from '../venue/futures-api/caller.js';
import { VenueError } from '../venue/venue.js';
import { ServerDates } from './server-dates.js';
import type { VenueClock } from './venue-clock.js';

const TIMEOUT_MS = 5_000;
const AGAIN_MS = 5_000;
/**
 * What a sandbox tells first may be heard by a process that was stopped meanwhile: so many venue ms later
 * it is asked once more, some times at most.
 */
const LATE_MS = 5_000;
const MOST_ASKED = 5;

/** What a sandbox tells of itself on its control path. */
export interface SandboxIdentity {
  readonly instanceId: string;
  readonly nowMs: number;
  readonly rate: number;
}

export interface VenueTimeParts {
  readonly net: Net;
  readonly baseUrl: string;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** A sandbox did not tell its time; the last one stays. */
  readonly failed: (error: unknown) => void;
}

/** Keeps venue time near the venue's own. */
export interface VenueTime {
  /** Which sandbox it is; undefined: it is none. */
  readonly instanceId: string | undefined;
  /** Asks again now. @throws VenueError */
  refresh(): Promise<void>;
  /** Goes on asking. */
  follow(): void;
  seeDate(date: ServerDate): void;
  stop(): void;
}

/**
 * Learns the venue's time: of a sandbox from its control path, because its clock may run fast or be
 * moved by hand; of any other venue from the Date header of its answers (design part 4).
 * @throws VenueError when nothing answers, or what answers must be a sandbox and is none
 */
export async function openVenueTime(
  parts: VenueTimeParts,
  { sandboxOnly }: { readonly sandboxOnly: boolean },
): Promise<VenueTime> {
  const { net, baseUrl, venueClock, clock } = parts;
  let sentAt = clock.monotonicMs();
  let response = await askSandbox(net, baseUrl);
  let sandbox = identityOf(response);
  for (let asked = 1; sandbox !== undefined && asked < MOST_ASKED; asked += 1) {
    if ((clock.monotonicMs() - sentAt) * sandbox.rate <= LATE_MS) break;
    sentAt = clock.monotonicMs();
    response = await askSandbox(net, baseUrl);
    sandbox = identityOf(response);
  }
  if (sandbox !== undefined) {
    venueClock.learn(sandbox.nowMs, sandbox.rate);
    return sandboxTime(parts, sandbox);
  }
  if (sandboxOnly || !isElsewhere(response)) throw noSandbox(baseUrl, response);
  const dates = new ServerDates(venueClock, clock);
  const serverMs = Date.parse(response.headers['date'] ?? '');
  const receivedAt = clock.monotonicMs();
  if (!Number.isNaN(serverMs)) dates.see({ serverMs, sentAt, receivedAt });
  return {
    instanceId: undefined,
    refresh: () => Promise.resolve(),
    follow: () => undefined,
    seeDate: (date) => {
      dates.see(date);
    },
    stop: () => undefined,
  };
}

/** Asks a sandbox for its time and its name. @throws VenueError */
export async function readSandboxClock(net: Net, baseUrl: string): Promise<SandboxIdentity> {
  const response = await askSandbox(net, baseUrl);
  const identity = identityOf(response);
  if (identity === undefined) throw noSandbox(baseUrl, response);
  return identity;
}

function askSandbox(net: Net, baseUrl: string): Promise<HttpResponse> {
  const url = `${baseUrl}/sandbox/clock`;
  return net
    .request({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS })
    .catch((cause: unknown) => {
      throw new VenueError(
        `nothing answers at ${baseUrl}; start a sandbox (npx sluice sandbox) or correct venue.base_url`,
        { cause, passing: true },
      );
    });
}

const noSandbox = (baseUrl: string, { status }: HttpResponse): VenueError =>
  new VenueError(`${baseUrl} is not a sandbox: GET /sandbox/clock answers ${status}`, {
    status,
    passing: status === 429 || status >= 500,
  });

/** A venue that knows no such path answers 401 or 404 (supplement, part 3), or with a page. */
const isElsewhere = ({ status }: HttpResponse): boolean => [200, 401, 403, 404].includes(status);

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
 * A read that fails leaves the last fix as it is: prices and candles still tell that time goes on. What is
 * told may be heard late, by a process that was stopped meanwhile, at a clock that runs fast: it bounds
 * the time, and what lies within is not moved.
 */
function sandboxTime(parts: VenueTimeParts, { instanceId }: SandboxIdentity): VenueTime {
  const { net, baseUrl, venueClock, clock, scheduler, failed } = parts;
  let cancel: Cancel = () => undefined;
  let stopped = false;
  const refresh = async (): Promise<void> => {
    const sentAt = clock.monotonicMs();
    const { nowMs, rate } = await readSandboxClock(net, baseUrl);
    if (stopped) return;
    const latest = nowMs + (clock.monotonicMs() - sentAt) * rate;
    const time = Math.round(Math.min(latest, Math.max(nowMs, venueClock.now())));
    venueClock.learn(time, rate);
  };
  const follow = (): void => {
    cancel = scheduler.after(AGAIN_MS, () => {
      refresh()
        .catch(failed)
        .finally(() => {
          if (!stopped) follow();
        });
    });
  };
  return {
    instanceId,
    refresh,
    follow,
    seeDate: () => undefined,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
