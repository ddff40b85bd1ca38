import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { Subscription } from './stream-names.js';
import { TICKER } from './stream-names.js';
import { listingOf, type StreamReply } from './wire-stream.js';

export interface StreamSubscriberOptions {
  readonly wanted: readonly Subscription[];
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly send: (text: string) => void;
  /** Ends the connection; a new one follows. */
  readonly recycle: (reason: string) => void;
  /** Everything that the venue does not refuse is subscribed, by the venue's own list. */
  readonly onComplete: () => void;
}

const REPLY_TIMEOUT_MS = 10_000;
const MAX_REPAIRS = 2;
const LIST = 'LIST_SUBSCRIPTIONS';

/**
 * Gets the wanted set subscribed on one connection. A batch is all-or-nothing at the venue, so a
 * rejected one is halved until the bad name stands alone (hazard I19). Then the venue's list is read,
 * and what is missing in it is asked for again (hazard I3).
 */
export class StreamSubscriber {
  readonly #options: StreamSubscriberOptions;
  readonly #asked = new Map<number, readonly Subscription[] | typeof LIST>();
  /** What the venue does not refuse. */
  readonly #standing: Set<Subscription>;
  #cancelReplyTimer: Cancel | undefined;
  #nextId: number;
  #repairs = 0;

  /** @param firstId of the requests on this connection */
  constructor(options: StreamSubscriberOptions, firstId: number) {
    this.#options = options;
    this.#standing = new Set(options.wanted);
    this.#nextId = firstId;
  }

  /** The id that no request has had. */
  get nextId(): number {
    return this.#nextId;
  }

  start(): void {
    this.#subscribe(this.#options.wanted);
  }

  /** Reads the venue's list, unless something is under way; `onComplete` follows. */
  verify(): void {
    if (this.#asked.size === 0) this.#request(LIST, {});
  }

  /** @returns false when nothing was asked that this could answer */
  reply(reply: StreamReply): boolean {
    const asked = this.#asked.get(reply.id);
    if (asked === undefined) return false;
    this.#asked.delete(reply.id);
    if (asked === LIST) this.#listed(reply);
    else if (reply.kind === 'rejected') this.#halve(asked, reply.text);
    if (this.#asked.size > 0) return true;
    this.#cancelReplyTimer?.();
    if (asked === LIST) return true;
    if (this.#standing.size > 0) this.verify();
    else this.#options.recycle('the venue refused every stream');
    return true;
  }

  dispose(): void {
    this.#cancelReplyTimer?.();
    this.#asked.clear();
  }

  #subscribe(wanted: readonly Subscription[]): void {
    const params = [...new Set(wanted.map(({ stream }) => stream))];
    const assets = wanted.flatMap(({ asset }) => asset ?? []);
    this.#request(wanted, { params, ...(assets.length > 0 ? { assets } : {}) });
  }

  #request(asked: readonly Subscription[] | typeof LIST, fields: object): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#asked.set(id, asked);
    const method = asked === LIST ? LIST : 'SUBSCRIBE';
    this.#options.send(JSON.stringify({ id, method, ...fields }));
    this.#cancelReplyTimer?.();
    this.#cancelReplyTimer = this.#options.scheduler.after(REPLY_TIMEOUT_MS, () => {
      this.#options.recycle('the venue did not answer a subscription');
    });
  }

  #halve(asked: readonly Subscription[], why: string): void {
    const [only] = asked;
    if (asked.length === 1 && only !== undefined) {
      this.#standing.delete(only);
      this.#options.logger.error({ ...only, why }, 'The venue refuses a market stream');
      return;
    }
    const middle = asked.length >> 1;
    this.#subscribe(asked.slice(0, middle));
    this.#subscribe(asked.slice(middle));
  }

  #listed(reply: StreamReply): void {
    const { logger, onComplete, recycle } = this.#options;
    const listing = reply.kind === 'accepted' ? listingOf(reply.result) : undefined;
    if (listing === undefined) {
      // A venue that does not list is taken at its word.
      logger.debug({ reply }, 'The list of subscriptions does not read');
      onComplete();
      return;
    }
    const { streams, tickerAssets } = listing;
    const missing = [...this.#standing].filter(
      ({ stream, asset }) =>
        !streams.has(stream.toLowerCase()) ||
        (stream === TICKER && asset !== undefined && tickerAssets?.has(asset) === false),
    );
    if (missing.length === 0) {
      this.#repairs = 0;
      onComplete();
    } else if (this.#repairs >= MAX_REPAIRS) {
      recycle(`${missing.length} subscriptions do not stay`);
    } else {
      this.#repairs += 1;
      logger.warn({ missing }, 'Subscriptions are missing in the list of the venue');
      this.#subscribe(missing);
    }
  }
}
