import type { Cancel, Logger, Scheduler } from '../../../core/ports.js';
import type { StreamSubscription } from './stream-names.js';
import { TICKER } from './stream-names.js';
import { subscriptionListOf, type StreamReply } from '../wire/wire-stream.js';

export interface StreamSubscriberOptions {
  readonly subscriptions: readonly StreamSubscription[];
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly send: (text: string) => void;
  /** Ends the connection; a new one follows. */
  readonly recycle: (reason: string) => void;
  /** The venue lists every subscription that it has not refused. */
  readonly onComplete: () => void;
}

const REPLY_TIMEOUT_MS = 10_000;
const MAX_RESUBSCRIBES = 2;
const LIST_SUBSCRIPTIONS = 'LIST_SUBSCRIPTIONS';

/**
 * Subscribes the streams of one connection. A batch is all-or-nothing at the venue, so a rejected batch
 * is halved until the bad name stands alone (hazard I19). Then the subscriber reads the venue's list and
 * subscribes missing streams again (hazard I3).
 */
export class StreamSubscriber {
  readonly #options: StreamSubscriberOptions;
  readonly #pendingRequests = new Map<
    number,
    readonly StreamSubscription[] | typeof LIST_SUBSCRIPTIONS
  >();
  /** Subscriptions that the venue has not refused. */
  readonly #accepted: Set<StreamSubscription>;
  #cancelReplyTimer: Cancel | undefined;
  #nextId: number;
  #resubscribes = 0;

  /** @param firstId id of the first request on this connection */
  constructor(options: StreamSubscriberOptions, firstId: number) {
    this.#options = options;
    this.#accepted = new Set(options.subscriptions);
    this.#nextId = firstId;
  }

  /** The first unused request id. */
  get nextId(): number {
    return this.#nextId;
  }

  start(): void {
    this.#subscribe(this.#options.subscriptions);
  }

  /** Reads the venue's list unless a request is pending; `onComplete` follows. */
  verify(): void {
    if (this.#pendingRequests.size === 0) this.#request(LIST_SUBSCRIPTIONS, {});
  }

  /** @returns false for a reply to no pending request */
  onReply(reply: StreamReply): boolean {
    const request = this.#pendingRequests.get(reply.id);
    if (request === undefined) return false;
    this.#pendingRequests.delete(reply.id);
    if (request === LIST_SUBSCRIPTIONS) this.#onListing(reply);
    else if (reply.kind === 'rejected') this.#splitRejected(request, reply.text);
    if (this.#pendingRequests.size > 0) return true;
    this.#cancelReplyTimer?.();
    if (request === LIST_SUBSCRIPTIONS) return true;
    if (this.#accepted.size > 0) this.verify();
    else this.#options.recycle('the venue refused every stream');
    return true;
  }

  dispose(): void {
    this.#cancelReplyTimer?.();
    this.#pendingRequests.clear();
  }

  #subscribe(subscriptions: readonly StreamSubscription[]): void {
    const params = [...new Set(subscriptions.map(({ stream }) => stream))];
    const assets = subscriptions.flatMap(({ asset }) => asset ?? []);
    this.#request(subscriptions, { params, ...(assets.length > 0 ? { assets } : {}) });
  }

  #request(
    request: readonly StreamSubscription[] | typeof LIST_SUBSCRIPTIONS,
    fields: object,
  ): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#pendingRequests.set(id, request);
    const method = request === LIST_SUBSCRIPTIONS ? LIST_SUBSCRIPTIONS : 'SUBSCRIBE';
    this.#options.send(JSON.stringify({ id, method, ...fields }));
    this.#cancelReplyTimer?.();
    this.#cancelReplyTimer = this.#options.scheduler.after(REPLY_TIMEOUT_MS, () => {
      this.#options.recycle('the venue did not answer a subscription');
    });
  }

  #splitRejected(subscriptions: readonly StreamSubscription[], reason: string): void {
    const [only] = subscriptions;
    if (subscriptions.length === 1 && only !== undefined) {
      this.#accepted.delete(only);
      this.#options.logger.error({ ...only, why: reason }, 'The venue refuses a market stream');
      return;
    }
    const middle = subscriptions.length >> 1;
    this.#subscribe(subscriptions.slice(0, middle));
    this.#subscribe(subscriptions.slice(middle));
  }

  #onListing(reply: StreamReply): void {
    const { logger, onComplete, recycle } = this.#options;
    const listed = reply.kind === 'accepted' ? subscriptionListOf(reply.result) : undefined;
    if (listed === undefined) {
      // Without a readable list, the acknowledgement of the venue has to do.
      logger.debug({ reply }, 'The list of subscriptions is unreadable');
      onComplete();
      return;
    }
    const { streams, tickerAssets } = listed;
    const missing = [...this.#accepted].filter(
      ({ stream, asset }) =>
        !streams.has(stream.toLowerCase()) ||
        (stream === TICKER && asset !== undefined && tickerAssets?.has(asset) === false),
    );
    if (missing.length === 0) {
      this.#resubscribes = 0;
      onComplete();
    } else if (this.#resubscribes >= MAX_RESUBSCRIBES) {
      recycle(`${missing.length} subscriptions are still missing`);
    } else {
      this.#resubscribes += 1;
      logger.warn({ missing }, 'Subscriptions are missing in the list of the venue');
      this.#subscribe(missing);
    }
  }
}
