import type { StreamName, StreamRequest } from './stream-request.js';
import { parseStreamRequest } from './stream-request.js';

/** One WebSocket connection, as the sandbox uses it. */
export interface StreamConnection {
  send(text: string): void;
  /** Breaks the connection without a close frame, as the venue was seen to do. */
  close(): void;
}

export interface TickerPrices {
  readonly last: number;
  readonly mark: number | undefined;
}

const MAX_SUBSCRIPTIONS = 15;
const TICKER_PERIODS = ['1s', '5s'] as const;
export type TickerPeriod = (typeof TICKER_PERIODS)[number];

/** The subscriptions of one connection, and what it was last told (supplement, part 1). */
export class StreamSession {
  readonly connection: StreamConnection;
  /** By key; a ticker stream is in here once, whatever its assets. */
  readonly #streams = new Map<string, StreamName>();
  /** Lower-case symbol → the caller's spelling. */
  readonly #assets: Readonly<Record<TickerPeriod, Map<string, string>>> = {
    '1s': new Map(),
    '5s': new Map(),
  };
  readonly #told = new Map<string, TickerPrices>();
  readonly #prices: (symbol: string) => TickerPrices | undefined;

  constructor(
    connection: StreamConnection,
    prices: (lowerSymbol: string) => TickerPrices | undefined,
  ) {
    this.connection = connection;
    this.#prices = prices;
  }

  streams(): Iterable<StreamName> {
    return this.#streams.values();
  }

  /** Answers a client's frame; the reply goes out before any push that follows from it. */
  handle(text: string): void {
    const request = parseStreamRequest(text);
    switch (request.kind) {
      case 'invalid':
        this.#refuse(request.method, request.id, 400, request.msg);
        return;
      case 'list':
        this.#reply('LIST_SUBSCRIPTIONS', request.id, this.#listing());
        return;
      case 'subscribe':
        this.#subscribe(request);
        return;
      case 'unsubscribe':
        this.#unsubscribe(request);
    }
  }

  push(stream: string, data: unknown): void {
    this.connection.send(JSON.stringify({ stream, data }));
  }

  /** The rows that changed since the last push of this ticker stream, if any did. */
  pushTicker(period: TickerPeriod): void {
    this.#pushRows(period, [...this.#assets[period].keys()]);
  }

  hasTicker(period: TickerPeriod): boolean {
    return this.#streams.has(`ticker@${period}`);
  }

  /** All or nothing: one bad stream leaves everything as it was. */
  #subscribe(request: Extract<StreamRequest, { kind: 'subscribe' | 'unsubscribe' }>): void {
    const keys = new Set([...this.#streams.keys(), ...request.streams.map((one) => one.key)]);
    if (keys.size > MAX_SUBSCRIPTIONS) {
      this.#refuse('SUBSCRIBE', request.id, 429, 'subscription limit reached');
      return;
    }
    const added: [TickerPeriod, string[]][] = [];
    for (const stream of request.streams) {
      if (!this.#streams.has(stream.key)) this.#streams.set(stream.key, stream);
      if (stream.kind === 'ticker') {
        added.push([stream.period, this.#addAssets(stream.period, request.assets)]);
      }
    }
    this.#reply('SUBSCRIBE', request.id, 'success');
    for (const [period, symbols] of added) this.#pushRows(period, symbols);
  }

  #addAssets(period: TickerPeriod, assets: readonly string[]): string[] {
    const known = this.#assets[period];
    const added: string[] = [];
    for (const asset of assets) {
      const symbol = asset.toLowerCase();
      if (known.has(symbol)) continue;
      known.set(symbol, asset);
      added.push(symbol);
    }
    return added;
  }

  #unsubscribe(request: Extract<StreamRequest, { kind: 'subscribe' | 'unsubscribe' }>): void {
    const missing = request.streams.find((stream) => !this.#streams.has(stream.key));
    if (missing !== undefined) {
      this.#refuse('UNSUBSCRIBE', request.id, 400, `not subscribed: ${missing.text}`);
      return;
    }
    for (const stream of request.streams) {
      if (stream.kind === 'ticker') this.#dropAssets(stream.period, request.assets);
      const isEmptied = stream.kind !== 'ticker' || this.#assets[stream.period].size === 0;
      if (isEmptied) this.#streams.delete(stream.key);
    }
    this.#reply('UNSUBSCRIBE', request.id, 'success');
  }

  /** Without assets the whole ticker stream goes (supplement, part 1.7). */
  #dropAssets(period: TickerPeriod, assets: readonly string[]): void {
    const known = this.#assets[period];
    const dropped =
      assets.length === 0 ? [...known.keys()] : assets.map((one) => one.toLowerCase());
    for (const symbol of dropped) {
      known.delete(symbol);
      this.#told.delete(`${period} ${symbol}`);
    }
  }

  #pushRows(period: TickerPeriod, symbols: readonly string[]): void {
    const rows: { s: string; p: number; mp?: number }[] = [];
    for (const symbol of symbols) {
      const prices = this.#prices(symbol);
      const told = this.#told.get(`${period} ${symbol}`);
      if (prices === undefined) continue;
      if (told?.last === prices.last && told.mark === prices.mark) continue;
      this.#told.set(`${period} ${symbol}`, prices);
      const { last, mark } = prices;
      rows.push({ s: symbol, p: last, ...(mark === undefined ? {} : { mp: mark }) });
    }
    if (rows.length > 0) this.push(`ticker@${period}`, rows);
  }

  #listing() {
    const spelled = (period: TickerPeriod): string[] => [...this.#assets[period].values()].sort();
    return {
      subscriptions: [...this.#streams.values()].map((stream) => stream.text).sort(),
      ticker_5s_assets: spelled('5s'),
      ticker_1s_assets: spelled('1s'),
    };
  }

  #reply(method: string, id: number, result: unknown): void {
    this.connection.send(JSON.stringify({ method, id, result }));
  }

  #refuse(method: string, id: number, code: number, msg: string): void {
    this.connection.send(JSON.stringify({ method, id, error: { code, msg } }));
  }
}
