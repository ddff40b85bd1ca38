import { candleFault } from '../../core/candle.js';
import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { SocketEvent } from '../../transport/socket-keeper.js';
import type { MarketMessage } from '../venue.js';
import { candleFromPush, frameFromText, tickerFromPush, type StreamFrame } from './wire-market.js';

/** One thing wanted of a connection. Tickers of many assets share one stream. */
export interface Subscription {
  readonly stream: string;
  readonly asset?: string;
}

export const KLINE = 'kline@1m@';
export const TICKER = 'ticker@1s';

const REPLY_TIMEOUT_MS = 10_000;
const MAX_BAD_FRAMES = 5;

type OpenEvent = Extract<SocketEvent, { kind: 'open' }>;

export interface StreamSessionOptions {
  readonly wanted: readonly Subscription[];
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * What is said on one shard's connections: subscribes the wanted set on each new one, tells `up`
 * when the venue acknowledged it, and turns pushes into messages. A batch is all-or-nothing at the
 * venue, so a rejected one is halved until the bad name stands alone (hazard I19).
 */
export class StreamSession {
  readonly #options: StreamSessionOptions;
  readonly #candleSymbols: ReadonlySet<string>;
  readonly #tickerSymbols: ReadonlySet<string>;
  readonly #asked = new Map<number, readonly Subscription[]>();
  #connection: OpenEvent | undefined;
  #cancelReplyTimer: Cancel | undefined;
  #nextId = 1;
  #accepted = 0;
  #badFrames = 0;

  constructor(options: StreamSessionOptions) {
    this.#options = options;
    const { wanted } = options;
    const klines = wanted.filter(({ stream }) => stream.startsWith(KLINE));
    this.#candleSymbols = new Set(klines.map(({ stream }) => symbolOf(stream)));
    this.#tickerSymbols = new Set(wanted.flatMap(({ asset }) => asset?.toUpperCase() ?? []));
  }

  handle(event: SocketEvent): readonly MarketMessage[] {
    switch (event.kind) {
      case 'open':
        this.#connection = event;
        this.#ask(this.#options.wanted);
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
    this.#cancelReplyTimer?.();
    this.#connection = undefined;
    this.#asked.clear();
    this.#accepted = 0;
    this.#badFrames = 0;
  }

  #ask(wanted: readonly Subscription[]): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#asked.set(id, wanted);
    const params = [...new Set(wanted.map(({ stream }) => stream))];
    const assets = wanted.flatMap(({ asset }) => asset ?? []);
    const request = { id, method: 'SUBSCRIBE', params, ...(assets.length > 0 ? { assets } : {}) };
    this.#connection?.send(JSON.stringify(request));
    this.#cancelReplyTimer?.();
    this.#cancelReplyTimer = this.#options.scheduler.after(REPLY_TIMEOUT_MS, () => {
      this.#connection?.recycle('the venue did not answer a subscription');
    });
  }

  #frame(text: string): readonly MarketMessage[] {
    const frame = frameFromText(text);
    if (frame === undefined) return this.#badFrame(text);
    if (frame.kind === 'push') return this.#push(frame, text);
    return this.#reply(frame, text);
  }

  #reply(reply: Extract<StreamFrame, { id: number }>, text: string): readonly MarketMessage[] {
    const asked = this.#asked.get(reply.id);
    if (asked === undefined) return this.#badFrame(text);
    this.#asked.delete(reply.id);
    if (reply.kind === 'accepted') this.#accepted += asked.length;
    else this.#halve(asked, reply.text);
    if (this.#asked.size > 0) return [];
    this.#cancelReplyTimer?.();
    if (this.#accepted > 0) return [{ kind: 'up' }];
    this.#connection?.recycle('the venue refused every stream');
    return [];
  }

  #halve(asked: readonly Subscription[], why: string): void {
    const [only] = asked;
    if (asked.length === 1 && only !== undefined) {
      this.#options.logger.error({ ...only, why }, 'The venue refuses a market stream');
      return;
    }
    const middle = asked.length >> 1;
    this.#ask(asked.slice(0, middle));
    this.#ask(asked.slice(middle));
  }

  #push(
    { stream, data }: Extract<StreamFrame, { kind: 'push' }>,
    text: string,
  ): readonly MarketMessage[] {
    if (stream.startsWith(KLINE)) return this.#candle(symbolOf(stream), data, text);
    if (stream === TICKER && Array.isArray(data)) return this.#tickers(data as unknown[]);
    return this.#badFrame(text);
  }

  #candle(symbol: string, data: unknown, text: string): readonly MarketMessage[] {
    const candle = candleFromPush(data);
    if (candle === undefined) return this.#badFrame(text);
    if (!this.#candleSymbols.has(symbol)) return [];
    const fault = candleFault(candle);
    // The gap that this leaves is filled from history, like any other (hazard I18).
    if (fault !== undefined) {
      this.#options.logger.warn({ symbol, candle, fault }, 'A streamed candle is left out');
      return [];
    }
    return [{ kind: 'candle', symbol, candle }];
  }

  #tickers(data: readonly unknown[]): readonly MarketMessage[] {
    const rows = data
      .map(tickerFromPush)
      .filter((row) => row !== undefined)
      .filter(({ symbol }) => this.#tickerSymbols.has(symbol));
    return rows.length > 0 ? [{ kind: 'tickers', rows }] : [];
  }

  #badFrame(text: string): readonly MarketMessage[] {
    this.#badFrames += 1;
    const { logger } = this.#options;
    logger.warn({ frame: text.slice(0, 200), count: this.#badFrames }, 'A frame does not read');
    if (this.#badFrames >= MAX_BAD_FRAMES) {
      this.#connection?.recycle(`${this.#badFrames} frames did not read`);
    }
    return [];
  }
}

const symbolOf = (stream: string): string => stream.slice(KLINE.length).toUpperCase();
