import { concat, defer, finalize, from, repeat, tap, timer, type Observable } from 'rxjs';
import type { AccountSnapshot, UnreadableRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Clock, Random, Scheduler } from '../../core/ports.js';
import type { Outcome, Priority, Reply, VenueRequest } from '../../core/request.js';
import { backoffMs } from '../../transport/backoff.js';
import { rxScheduler } from '../../transport/rx-scheduler.js';
import type { AccountMessage, WantedAccount } from '../venue.js';

export interface AccountPollerOptions {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** Resolves when the read may be sent; pending for ever after `signal` aborted. */
  readonly slot: (request: VenueRequest, priority: Priority, signal: AbortSignal) => Promise<void>;
  readonly send: (request: VenueRequest) => Promise<Reply>;
}

/**
 * A read that waited so long goes before what places: orders are refused on a picture that is older
 * than five seconds (R06), so that places in a row would starve what lets them out.
 */
const PATIENCE_MS = 1_000;
/** Nobody reads it; without one an error with its stack is made for each read. */
const IMPATIENT = 'went another way';
const BACKOFF = { baseMs: 2_000, maxMs: 60_000 };

/**
 * Positions, open orders and wallet of each currency, round after round. One round never overlaps
 * the next; after a round with failures the pause grows, but for those of what is read seldom. Cold;
 * never errors, never completes.
 */
export const pollAccount = (
  wanted: WantedAccount,
  options: AccountPollerOptions,
): Observable<AccountMessage> =>
  defer(() => {
    const { clock, scheduler, random } = options;
    const abort = new AbortController();
    let startedAt = 0;
    let failed = false;
    let failures = 0;
    let seldomAt = Number.NEGATIVE_INFINITY;
    const read = (request: VenueRequest): Observable<AccountMessage> =>
      defer(() => {
        const patienceMs = wanted.isAwaited?.() === true ? 0 : PATIENCE_MS;
        return from(poll(request, options, abort.signal, patienceMs));
      });
    const round = defer(() => {
      startedAt = clock.monotonicMs();
      failed = false;
      const often = readsOf(wanted.currencies).map((request) =>
        read(request).pipe(tap((message) => (failed ||= message.kind === 'poll-failed'))),
      );
      const { seldom } = wanted;
      if (seldom === undefined || startedAt - seldomAt < seldom.everyMs) return concat(...often);
      seldomAt = startedAt;
      return concat(...often, ...exposuresOf(seldom.currencies).map(read));
    });
    const pauseMs = (): number => {
      failures = failed ? failures + 1 : 0;
      const rest = Math.max(0, startedAt + wanted.everyMs - clock.monotonicMs());
      return failures === 0 ? rest : rest + backoffMs(failures - 1, BACKOFF, random);
    };
    return round.pipe(
      repeat({ delay: () => timer(pauseMs(), rxScheduler(clock, scheduler)) }),
      finalize(() => abort.abort()),
    );
  });

const readsOf = (currencies: readonly Currency[]): readonly VenueRequest[] =>
  currencies.flatMap((currency) => [
    ...exposuresOf([currency]),
    { kind: 'read-wallet' as const, currency },
  ]);

const exposuresOf = (currencies: readonly Currency[]): readonly VenueRequest[] =>
  currencies.flatMap((currency) => [
    { kind: 'read-positions' as const, currency },
    { kind: 'read-open-orders' as const, currency },
  ]);

async function poll(
  request: VenueRequest,
  options: AccountPollerOptions,
  signal: AbortSignal,
  patienceMs: number,
): Promise<AccountMessage> {
  await patientSlot(request, options, signal, patienceMs);
  // What we learn while this is on its way is newer than what it tells (hazard G4).
  const startedAt = options.clock.monotonicMs();
  return messageOf(await options.send(request), request, startedAt);
}

/** Resolves when the read may be sent; pending for ever after `signal` aborted. */
function patientSlot(
  request: VenueRequest,
  { slot, scheduler }: AccountPollerOptions,
  signal: AbortSignal,
  patienceMs: number,
): Promise<void> {
  if (patienceMs === 0) return slot(request, 'verify', signal);
  const patience = new AbortController();
  return new Promise((resolve, reject) => {
    // Removed again after each read: `signal` lives as long as the polling does.
    const leave = (): void => {
      signal.removeEventListener('abort', end);
      cancel();
    };
    const end = (): void => {
      leave();
      patience.abort(IMPATIENT);
    };
    const cancel = scheduler.after(patienceMs, () => {
      end();
      if (!signal.aborted) slot(request, 'verify', signal).then(resolve, reject);
    });
    signal.addEventListener('abort', end);
    const granted = (): void => {
      leave();
      resolve();
    };
    slot(request, 'poll', patience.signal).then(granted, reject);
  });
}

function messageOf(reply: Reply, request: VenueRequest, startedAt: number): AccountMessage {
  const currency = 'currency' in request ? request.currency : 'USDT';
  const told = <T>(
    outcome: Outcome<T>,
    snapshotOf: (value: T, beside: Beside) => AccountSnapshot,
  ): AccountMessage =>
    outcome.kind === 'yes'
      ? { kind: 'snapshot', snapshot: snapshotOf(outcome.value, besideOf(outcome)) }
      : failure(`${reply.to} ${currency}`, outcome);
  switch (reply.to) {
    case 'read-positions':
      return told(reply.outcome, (positions, beside) => ({
        kind: 'positions',
        currency,
        startedAt,
        positions,
        ...beside,
      }));
    case 'read-open-orders':
      return told(reply.outcome, (orders, beside) => ({
        kind: 'open-orders',
        currency,
        startedAt,
        orders,
        ...beside,
      }));
    case 'read-wallet':
      return told(reply.outcome, (wallet) => ({ kind: 'wallet', currency, startedAt, wallet }));
    default:
      return { kind: 'poll-failed', what: request.kind, cause: `answered as ${reply.to}` };
  }
}

interface Beside {
  readonly unreadable?: readonly UnreadableRow[];
}

const besideOf = ({ unreadable }: Beside): Beside =>
  unreadable === undefined ? {} : { unreadable };

const failure = (
  what: string,
  outcome: Exclude<Outcome<unknown>, { kind: 'yes' }>,
): AccountMessage => ({
  kind: 'poll-failed',
  what,
  cause: outcome.kind === 'no' ? outcome.text : outcome.cause,
  ...(outcome.status !== undefined && { status: outcome.status }),
});
