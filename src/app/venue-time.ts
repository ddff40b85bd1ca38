import type { Cancel, Net, Scheduler } from '../core/ports.js';
import { VenueError } from '../venue/venue.js';
import type { VenueClock } from './venue-clock.js';

const TIMEOUT_MS = 5_000;
const AGAIN_MS = 5_000;

/** What a sandbox tells of itself on its control path. */
export interface SandboxIdentity {
  readonly instanceId: string;
  readonly nowMs: number;
  readonly rate: number;
}

/** Asks a sandbox for its time and its name. @throws VenueError */
export async function readSandboxClock(net: Net, baseUrl: string): Promise<SandboxIdentity> {
  const url = `${baseUrl}/sandbox/clock`;
  const response = await net
    .request({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS })
    .catch((cause: unknown) => {
      throw new VenueError(
        `nothing answers at ${baseUrl}; start a sandbox (npx sluice sandbox) or correct venue.base_url`,
        { cause },
      );
    });
  const identity = response.status === 200 ? parseIdentity(response.body) : undefined;
  if (identity === undefined) {
    throw new VenueError(
      `${baseUrl} is not a sandbox: GET /sandbox/clock answers ${response.status}`,
    );
  }
  return identity;
}

function parseIdentity(body: string): SandboxIdentity | undefined {
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
 * Keeps venue time near a sandbox's, which may run fast or be moved by hand. A read that fails leaves
 * the last fix as it is: prices and candles still tell that time goes on.
 */
export function followSandboxClock(parts: {
  readonly net: Net;
  readonly baseUrl: string;
  readonly clock: VenueClock;
  readonly scheduler: Scheduler;
  readonly failed: (error: unknown) => void;
}): Cancel {
  let cancel: Cancel = () => undefined;
  let stopped = false;
  const again = (): void => {
    cancel = parts.scheduler.after(AGAIN_MS, () => {
      readSandboxClock(parts.net, parts.baseUrl)
        .then(({ nowMs, rate }) => {
          if (!stopped) parts.clock.learn(nowMs, rate);
        }, parts.failed)
        .finally(() => {
          if (!stopped) again();
        });
    });
  };
  again();
  return () => {
    stopped = true;
    cancel();
  };
}
