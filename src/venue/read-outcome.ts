import { StartError } from '../core/command-errors.js';
import type { Outcome } from '../core/request.js';
import { VenueError } from './venue.js';

/** The value of a `yes`. @throws StartError for a `no`, VenueError for an unknown outcome */
export function valueOrThrow<T>(outcome: Outcome<T>, what: string): T {
  if (outcome.kind === 'yes') return outcome.value;
  if (outcome.kind === 'no') {
    throw new StartError(`the venue refuses ${what}: ${outcome.text} (HTTP ${outcome.status})`);
  }
  throw new VenueError(`${what} cannot be read: ${outcome.cause}`);
}

const MAX_ATTEMPTS = 5;

/**
 * Reads once, and again after HTTP 429: the rate limiter of the API waits for the budget that the
 * response named.
 * @throws StartError for a `no`, VenueError for an unknown outcome
 */
export async function readOrThrow<T>(call: () => Promise<Outcome<T>>, what: string): Promise<T> {
  return valueOrThrow(await retryWhileRateLimited(call), what);
}

/** Like `readOrThrow`, for callers that handle a `no` themselves. */
export async function retryWhileRateLimited<T>(
  call: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  let outcome = await call();
  for (let tries = 1; tries < MAX_ATTEMPTS && isRateLimited(outcome); tries += 1)
    outcome = await call();
  return outcome;
}

const isRateLimited = (outcome: Outcome<unknown>): boolean =>
  outcome.kind !== 'yes' && outcome.status === 429;
