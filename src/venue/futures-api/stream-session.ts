import { candleFault } from '../../core/candle.js';
import type { Clock, Logger, Scheduler } from '../../core/ports.js';
import type { SocketEvent } from '../../transport/socket-keeper.js';
import type { MarketMessage } from '../venue.js';
import { SilenceWatch, type SilenceWatchOptions } from './silence-watch.js';
import { candleStreamOf, TICKER, type CandleStream, type Subscription } from './stream-names.js';
import { StreamSubscriber } from './stream-subscriber.js';
import { candleFromPush, markCandleFromPush, tickerFromPush } from './wire-market.js';
import { frameFromText, type StreamFrame } from './wire-stream.js';

const MAX_BAD_FRAMES = 5;

type OpenEvent = Extract<SocketEvent, { kind: 'open' }>;

export interface StreamSessionOptions extends Pick<SilenceWatchOptions, 'venueTime' | 'moved'> {
  readonly wanted: readonly Subscription[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * What is said on one shard's connections: subscribes the wanted set on each new one, tells `up`
 * when the venue acknowledged and listed it, and turns pushes into messages.
 */
export class StreamSession {
  readonly #options: StreamSessionOptions;
  readonly #streams: ReadonlySet<string>;
  readonly #tickerSymbols: ReadonlySet<string>;
  #connection: OpenEvent | undefined;
  #subscriber: StreamSubscriber | undefined;
  #silence: SilenceWatch | undefined;
  /** What the frame in hand brought about. */
  readonly #told: MarketMessage[] = [];
  #nextId = 1;
  #badFrames = 0;

  constructor(options: StreamSessionOptions) {
    this.#options = options;
    const { wanted } = options;
    this.#streams = new Set(wanted.map(({ stream }) => stream));
    this.#tickerSymbols = new Set(wanted.flatMap(({ asset }) => asset?.toUpperCase() ?? []));
  }

  handle(event: SocketEvent): readonly MarketMessage[] {
    switch (event.kind) {
      case 'open':
        this.#open(event);
        return [];
      case 'text':
        return this.#frame(event.text);
      case 'closed':
        this.dispose();
        return [{ kind: 'down', reason: event.reason }];
    }
  }

  /** Forgets the connection. */
  dispose(): void {
    this.#nextId = this.#subscriber?.nextId ?? this.#nextId;
    this.#subscriber?.dispose();
    this.#silence?.dispose();
    this.#subscriber = undefined;
    this.#silence = undefined;
    this.#connection = undefined;
    this.#badFrames = 0;
  }

  #open(connection: OpenEvent): void {
    this.dispose();
    const { send, recycle } = connection;
    this.#connection = connection;
    const onComplete = (): void => this.#complete();
    const options = { ...this.#options, send, recycle, onComplete };
    this.#subscriber = new StreamSubscriber(options, this.#nextId);
    this.#subscriber.start();
  }

  /** Once a connection; a later list that is whole tells nothing new. */
  #complete(): void {
    const { wanted } = this.#options;
    if (this.#silence !== undefined) return;
    this.#silence = new SilenceWatch({
      ...this.#options,
      streams: wanted.map(({ stream, asset }) => asset ?? stream),
      recycle: (reason) => this.#connection?.recycle(reason),
      verify: () => this.#subscriber?.verify(),
    });
    this.#told.push({ kind: 'up' });
  }

  #frame(text: string): readonly MarketMessage[] {
    const frame = frameFromText(text);
    if (frame === undefined) return this.#badFrame(text);
    if (frame.kind === 'push') return this.#push(frame, text);
    const expected = this.#subscriber?.reply(frame) === true;
    return expected ? this.#told.splice(0) : this.#badFrame(text);
  }

  #push(
    { stream, data }: Extract<StreamFrame, { kind: 'push' }>,
    text: string,
  ): readonly MarketMessage[] {
    this.#silence?.heard();
    const candles = candleStreamOf(stream);
    if (candles !== undefined) return this.#candle(stream, candles, data, text);
    if (stream === TICKER && Array.isArray(data)) return this.#tickers(data as unknown[]);
    return this.#badFrame(text);
  }

  #candle(
    stream: string,
    { kind, symbol }: CandleStream,
    data: unknown,
    text: string,
  ): readonly MarketMessage[] {
    const isMark = kind === 'mark-candle' || kind === 'mark-second';
    const candle = isMark ? markCandleFromPush(data) : candleFromPush(data);
    if (candle === undefined) return this.#badFrame(text);
    if (!this.#streams.has(stream)) return [];
    const fault = candleFault(candle);
    // The gap that this leaves is filled from history, like any other (hazard I18).
    if (fault !== undefined) {
      this.#options.logger.warn({ stream, candle, fault }, 'A streamed candle is left out');
      return [];
    }
    return [{ kind, symbol, candle }];
  }

  #tickers(data: readonly unknown[]): readonly MarketMessage[] {
    const rows = data
      .map(tickerFromPush)
      .filter((row) => row !== undefined)
      .filter(({ symbol }) => this.#tickerSymbols.has(symbol));
    return rows.length > 0 ? [{ kind: 'tickers', rows }] : [];
  }

  /** Kept for who wants to know what the venue sends that nobody documented. */
  #badFrame(text: string): readonly MarketMessage[] {
    this.#badFrames += 1;
    const { logger } = this.#options;
    logger.debug({ frame: text.slice(0, 200), count: this.#badFrames }, 'A frame does not read');
    if (this.#badFrames >= MAX_BAD_FRAMES) {
      this.#connection?.recycle(`${this.#badFrames} frames did not read`);
    }
    return [];
  }
}
