import { candleFault } from '../../../core/candle.js';
import type { Clock, Logger, Scheduler } from '../../../core/ports.js';
import type { SocketEvent } from '../../../io/net/reconnecting-socket.js';
import type { MarketMessage } from '../../venue.js';
import { StaleFeedDetector, type StaleFeedDetectorOptions } from './stale-feed-detector.js';
import {
  parseCandleStream,
  TICKER,
  type ParsedCandleStream,
  type StreamSubscription,
} from './stream-names.js';
import { StreamSubscriber } from './stream-subscriber.js';
import { candleFromPush, markCandleFromPush, tickerFromPush } from '../wire/wire-market.js';
import { frameFromText, type StreamFrame } from '../wire/wire-stream.js';

/** Unreadable frames after which a connection is replaced. */
const MAX_BAD_FRAMES = 5;

type OpenEvent = Extract<SocketEvent, { kind: 'open' }>;

export interface MarketStreamSessionOptions extends Pick<
  StaleFeedDetectorOptions,
  'venueTime' | 'hasMissedUpdates'
> {
  readonly subscriptions: readonly StreamSubscription[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * The protocol of one shard: the streams of one connection, because the venue limits streams per
 * connection. Subscribes them on each new connection, emits `up` when the venue has acknowledged and listed
 * them, and turns pushes into messages.
 */
export class MarketStreamSession {
  readonly #options: MarketStreamSessionOptions;
  readonly #streams: ReadonlySet<string>;
  readonly #tickerSymbols: ReadonlySet<string>;
  #connection: OpenEvent | undefined;
  #subscriber: StreamSubscriber | undefined;
  #staleDetector: StaleFeedDetector | undefined;
  /** Messages that the current frame caused. */
  readonly #pendingMessages: MarketMessage[] = [];
  /** Id of the first request on the next connection: ids continue over reconnects. */
  #nextId = 1;
  #badFrames = 0;

  constructor(options: MarketStreamSessionOptions) {
    this.#options = options;
    const { subscriptions } = options;
    this.#streams = new Set(subscriptions.map(({ stream }) => stream));
    this.#tickerSymbols = new Set(subscriptions.flatMap(({ asset }) => asset?.toUpperCase() ?? []));
  }

  /** @returns the messages that the event causes, in order */
  handle(event: SocketEvent): readonly MarketMessage[] {
    switch (event.kind) {
      case 'open':
        this.#onOpen(event);
        return [];
      case 'text':
        return this.#onFrame(event.text);
      case 'closed':
        this.dispose();
        return [{ kind: 'down', reason: event.reason }];
    }
  }

  /** Drops all state of the connection. */
  dispose(): void {
    this.#nextId = this.#subscriber?.nextId ?? this.#nextId;
    this.#subscriber?.dispose();
    this.#staleDetector?.dispose();
    this.#subscriber = undefined;
    this.#staleDetector = undefined;
    this.#connection = undefined;
    this.#badFrames = 0;
  }

  #onOpen(connection: OpenEvent): void {
    this.dispose();
    const { send, recycle } = connection;
    this.#connection = connection;
    const onComplete = (): void => this.#onComplete();
    const options = { ...this.#options, send, recycle, onComplete };
    this.#subscriber = new StreamSubscriber(options, this.#nextId);
    this.#subscriber.start();
  }

  /** Takes effect once for each connection; later verified lists change nothing. */
  #onComplete(): void {
    const { subscriptions } = this.#options;
    if (this.#staleDetector !== undefined) return;
    this.#staleDetector = new StaleFeedDetector({
      ...this.#options,
      streams: subscriptions.map(({ stream, asset }) => asset ?? stream),
      recycle: (reason) => this.#connection?.recycle(reason),
      verify: () => this.#subscriber?.verify(),
    });
    this.#pendingMessages.push({ kind: 'up' });
  }

  #onFrame(text: string): readonly MarketMessage[] {
    const frame = frameFromText(text);
    if (frame === undefined) return this.#onBadFrame(text);
    if (frame.kind === 'push') return this.#onPush(frame, text);
    const expected = this.#subscriber?.onReply(frame) === true;
    return expected ? this.#pendingMessages.splice(0) : this.#onBadFrame(text);
  }

  #onPush(
    { stream, data }: Extract<StreamFrame, { kind: 'push' }>,
    text: string,
  ): readonly MarketMessage[] {
    this.#staleDetector?.onUpdate();
    const candles = parseCandleStream(stream);
    if (candles !== undefined) return this.#onCandle(stream, candles, data, text);
    if (stream === TICKER && Array.isArray(data)) return this.#onTickers(data as unknown[]);
    return this.#onBadFrame(text);
  }

  #onCandle(
    stream: string,
    { kind, symbol }: ParsedCandleStream,
    data: unknown,
    text: string,
  ): readonly MarketMessage[] {
    const isMark = kind === 'mark-candle' || kind === 'mark-second';
    const candle = isMark ? markCandleFromPush(data) : candleFromPush(data);
    if (candle === undefined) return this.#onBadFrame(text);
    if (!this.#streams.has(stream)) return [];
    const fault = candleFault(candle);
    // The candle feed fills this gap from history, like any other (hazard I18).
    if (fault !== undefined) {
      this.#options.logger.warn({ stream, candle, fault }, 'A streamed candle is left out');
      return [];
    }
    return [{ kind, symbol, candle }];
  }

  #onTickers(data: readonly unknown[]): readonly MarketMessage[] {
    const rows = data
      .map(tickerFromPush)
      .filter((row) => row !== undefined)
      .filter(({ symbol }) => this.#tickerSymbols.has(symbol));
    return rows.length > 0 ? [{ kind: 'tickers', rows }] : [];
  }

  /** The debug log shows undocumented frames of the venue. */
  #onBadFrame(text: string): readonly MarketMessage[] {
    this.#badFrames += 1;
    const { logger } = this.#options;
    logger.debug({ frame: text.slice(0, 200), count: this.#badFrames }, 'A frame is unreadable');
    if (this.#badFrames >= MAX_BAD_FRAMES) {
      this.#connection?.recycle(`${this.#badFrames} frames were unreadable`);
    }
    return [];
  }
}
