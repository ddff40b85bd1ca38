import { concat, defer, EMPTY, finalize, from, repeat, tap, timer, type Observable } from 'rxjs';
import type { AccountSnapshot, UnreadableRow } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Clock, Random, Scheduler } from '../core/ports.js';
import type { Outcome, Priority, Reply, VenueRequest } from '../core/request.js';
import { backoffMs } from '../io/net/backoff.js';
import { rxScheduler } from '../io/net/rx-scheduler.js';
import type { AccountMessage, AccountSubscription } from './venue.js';

export interface AccountPollerOptions {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** Resolves when the read may be sent; pending for ever after `signal` aborted. */
  readonly acquirePermit: (
    request: VenueRequest,
    priority: Priority,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly send: (request: VenueRequest) => Promise<Reply>;
}

/**
 * A read that waited this long goes before new orders. The risk gate refuses orders on a snapshot older
 * than 5 s, so a burst of orders would otherwise starve the read that they depend on.
 */
const ESCALATE_AFTER_MS = 1_000;
/** An abort reason of our own: the default one is an error with a stack for each read. */
const ESCALATED = 'waits with a higher priority';
/** After a cycle in which every read failed: the first read afterwards shows the end of an outage. */
const OUTAGE_BACKOFF = { baseMs: 2_000, maxMs: 5_000 };
/** Of a read that fails among others. */
const READ_BACKOFF = { baseMs: 2_000, maxMs: 15_000 };

/**
 * Polls positions, open orders and wallet of each currency. Cycles never overlap. After a cycle in which every read
 * failed the pause grows to 5 s, and cycles end at their first failure until one read succeeds. A read that fails among
 * others pauses alone. Failures of infrequent reads do not count. Cold; never errors, never completes.
 */
export const pollAccount = (
  subscription: AccountSubscription,
  options: AccountPollerOptions,
): Observable<AccountMessage> => defer(() => new AccountPoller(subscription, options).messages$());

/** The state of one subscriber. */
class AccountPoller {
  readonly #subscription: AccountSubscription;
  readonly #options: AccountPollerOptions;
  readonly #abort = new AbortController();
  #startedAt = 0;
  #failedCycles = 0;
  /** Reads of the current cycle that failed. */
  #failed: readonly VenueRequest[] = [];
  #hasSucceeded = false;
  /** Reads that failed in cycles in which others succeeded, by kind and currency. */
  readonly #pauses = new Map<string, { readonly failures: number; readonly until: number }>();
  #infrequentAt = Number.NEGATIVE_INFINITY;

  constructor(subscription: AccountSubscription, options: AccountPollerOptions) {
    this.#subscription = subscription;
    this.#options = options;
  }

  messages$(): Observable<AccountMessage> {
    const { clock, scheduler } = this.#options;
    return defer(() => this.#cycle()).pipe(
      repeat({ delay: () => timer(this.#pauseMs(), rxScheduler(clock, scheduler)) }),
      finalize(() => this.#abort.abort()),
    );
  }

  #cycle(): Observable<AccountMessage> {
    const { currencies, infrequent } = this.#subscription;
    this.#startedAt = this.#options.clock.monotonicMs();
    this.#failed = [];
    this.#hasSucceeded = false;
    const due = accountReadsOf(currencies).filter((request) => !this.#isPaused(request));
    const isOutage = this.#failedCycles > 0;
    // Another read goes first each time: one may fail on after the outage.
    const first = isOutage ? this.#failedCycles % Math.max(1, due.length) : 0;
    const regular = [...due.slice(first), ...due.slice(0, first)].map((request) =>
      defer(() => (isOutage && this.#failed.length > 0 ? EMPTY : this.#read(request))).pipe(
        tap((message) => {
          this.#onRead(request, message);
        }),
      ),
    );
    if (
      isOutage ||
      infrequent === undefined ||
      this.#startedAt - this.#infrequentAt < infrequent.everyMs
    )
      return concat(...regular);
    this.#infrequentAt = this.#startedAt;
    const others = exposureReadsOf(infrequent.currencies).map((request) => this.#read(request));
    return concat(...regular, ...others);
  }

  #read(request: VenueRequest): Observable<AccountMessage> {
    return defer(() => {
      const isAwaited = this.#subscription.isAwaited?.() === true;
      const escalateAfterMs = isAwaited ? 0 : ESCALATE_AFTER_MS;
      return from(poll(request, this.#options, this.#abort.signal, escalateAfterMs));
    });
  }

  #isPaused(request: VenueRequest): boolean {
    const pause = this.#pauses.get(keyOf(request));
    return pause !== undefined && pause.until > this.#startedAt;
  }

  #onRead(request: VenueRequest, { kind }: AccountMessage): void {
    if (kind === 'poll-failed') this.#failed = [...this.#failed, request];
    else {
      this.#hasSucceeded = true;
      this.#pauses.delete(keyOf(request));
    }
  }

  #pauseMs(): number {
    const { clock, random } = this.#options;
    const now = clock.monotonicMs();
    const isOutage = this.#failed.length > 0 && !this.#hasSucceeded;
    this.#failedCycles = isOutage ? this.#failedCycles + 1 : 0;
    const remainingMs = Math.max(0, this.#startedAt + this.#subscription.everyMs - now);
    if (isOutage) return remainingMs + backoffMs(this.#failedCycles - 1, OUTAGE_BACKOFF, random);
    for (const request of this.#failed) {
      const failures = (this.#pauses.get(keyOf(request))?.failures ?? 0) + 1;
      const until = now + remainingMs + backoffMs(failures - 1, READ_BACKOFF, random);
      this.#pauses.set(keyOf(request), { failures, until });
    }
    return remainingMs;
  }
}

const keyOf = (request: VenueRequest): string =>
  'currency' in request ? `${request.kind} ${request.currency}` : request.kind;

const accountReadsOf = (currencies: readonly Currency[]): readonly VenueRequest[] =>
  currencies.flatMap((currency) => [
    ...exposureReadsOf([currency]),
    { kind: 'read-wallet' as const, currency },
  ]);

const exposureReadsOf = (currencies: readonly Currency[]): readonly VenueRequest[] =>
  currencies.flatMap((currency) => [
    { kind: 'read-positions' as const, currency },
    { kind: 'read-open-orders' as const, currency },
  ]);

async function poll(
  request: VenueRequest,
  options: AccountPollerOptions,
  signal: AbortSignal,
  escalateAfterMs: number,
): Promise<AccountMessage> {
  await acquireEscalatingPermit(request, options, signal, escalateAfterMs);
  // Events that arrive while the request is in flight are newer than its answer (hazard G4).
  const startedAt = options.clock.monotonicMs();
  return messageOf(await options.send(request), request, startedAt);
}

/** Resolves when the read may be sent; pending for ever after `signal` aborted. */
function acquireEscalatingPermit(
  request: VenueRequest,
  { acquirePermit, scheduler }: AccountPollerOptions,
  signal: AbortSignal,
  escalateAfterMs: number,
): Promise<void> {
  if (escalateAfterMs === 0) return acquirePermit(request, 'verify', signal);
  const lowPriority = new AbortController();
  return new Promise((resolve, reject) => {
    // Removed after each read, because `signal` lives as long as the polling.
    const cleanUp = (): void => {
      signal.removeEventListener('abort', abandon);
      cancel();
    };
    const abandon = (): void => {
      cleanUp();
      lowPriority.abort(ESCALATED);
    };
    const cancel = scheduler.after(escalateAfterMs, () => {
      abandon();
      if (!signal.aborted) acquirePermit(request, 'verify', signal).then(resolve, reject);
    });
    signal.addEventListener('abort', abandon);
    const granted = (): void => {
      cleanUp();
      resolve();
    };
    acquirePermit(request, 'poll', lowPriority.signal).then(granted, reject);
  });
}

function messageOf(reply: Reply, request: VenueRequest, startedAt: number): AccountMessage {
  const currency = 'currency' in request ? request.currency : 'USDT';
  const messageFrom = <T>(
    outcome: Outcome<T>,
    snapshotOf: (value: T, unreadableRows: UnreadableRows) => AccountSnapshot,
  ): AccountMessage =>
    outcome.kind === 'yes'
      ? { kind: 'snapshot', snapshot: snapshotOf(outcome.value, unreadableRowsOf(outcome)) }
      : pollFailed(`${reply.to} ${currency}`, outcome);
  switch (reply.to) {
    case 'read-positions':
      return messageFrom(reply.outcome, (positions, unreadableRows) => ({
        kind: 'positions',
        currency,
        startedAt,
        positions,
        ...unreadableRows,
      }));
    case 'read-open-orders':
      return messageFrom(reply.outcome, (orders, unreadableRows) => ({
        kind: 'open-orders',
        currency,
        startedAt,
        orders,
        ...unreadableRows,
      }));
    case 'read-wallet':
      return messageFrom(reply.outcome, (wallet) => ({
        kind: 'wallet',
        currency,
        startedAt,
        wallet,
      }));
    default:
      return { kind: 'poll-failed', what: request.kind, cause: `answered as ${reply.to}` };
  }
}

interface UnreadableRows {
  readonly unreadable?: readonly UnreadableRow[];
}

const unreadableRowsOf = ({ unreadable }: UnreadableRows): UnreadableRows =>
  unreadable === undefined ? {} : { unreadable };

const pollFailed = (
  what: string,
  outcome: Exclude<Outcome<unknown>, { kind: 'yes' }>,
): AccountMessage => ({
  kind: 'poll-failed',
  what,
  cause: outcome.kind === 'no' ? outcome.text : outcome.cause,
  ...(outcome.status !== undefined && { status: outcome.status }),
});
