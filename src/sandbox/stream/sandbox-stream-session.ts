import type { StreamName, StreamRequest } from './stream-request.js';
import { parseStreamRequest } from './stream-request.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

/** One WebSocket connection, as the sandbox uses it. */
export interface StreamConnection {
  send(text: string): void;
  /** Breaks the connection without a close frame, as the venue does. */
  close(): void;
}

/** A row of a ticker frame, shared by all sessions. */
export interface TickerFrameRow {
  readonly text: string;
  /** Last and mark price as a key for changes, also when the row omits the mark. */
  readonly prices: string;
}

const MAX_SUBSCRIPTIONS = 15;
const TICKER_PERIODS = ['1s', '5s'] as const;
export type TickerPeriod = (typeof TICKER_PERIODS)[number];

export type StreamFlags = Pick<
  BehaviorFlags,
  'jsonPing' | 'duplicateSubscribe' | 'tickerUnsubscribeAll'
>;

/** Dependencies of a session. */
export interface SessionContext {
  readonly switches: StreamFlags;
  /** The current row of a symbol; `prices` changes only with the prices. */
  readonly row: (lowerSymbol: string) => TickerFrameRow | undefined;
  /** Sends a push, possibly changed by faults. */
  readonly push: (session: SandboxStreamSession, stream: string, frame: string) => void;
  readonly onSubscribed: (session: SandboxStreamSession, stream: StreamName) => void;
  readonly onUnsubscribed: (session: SandboxStreamSession, stream: StreamName) => void;
}

type Subscription = Extract<StreamRequest, { kind: 'subscribe' | 'unsubscribe' }>;

/** The subscriptions of one connection and its last sent prices (supplement: part 1). */
export class SandboxStreamSession {
  readonly connection: StreamConnection;
  readonly #context: SessionContext;
  /** By key; a ticker stream is one entry for all its assets. */
  readonly #streams = new Map<string, StreamName>();
  /** Lower-case symbol → the caller's spelling. */
  readonly #assets: Readonly<Record<TickerPeriod, Map<string, string>>> = {
    '1s': new Map(),
    '5s': new Map(),
  };
  readonly #sentPrices: Readonly<Record<TickerPeriod, Map<string, string>>> = {
    '1s': new Map(),
    '5s': new Map(),
  };

  constructor(connection: StreamConnection, context: SessionContext) {
    this.connection = connection;
    this.#context = context;
  }

  streams(): Iterable<StreamName> {
    return this.#streams.values();
  }

  /** Answers a client's frame. The reply precedes any push caused by it. */
  handle(text: string): void {
    const request = parseStreamRequest(text);
    switch (request.kind) {
      case 'invalid':
        if (request.method === 'PING' && this.#context.switches.jsonPing === 'pong') {
          this.#send({ id: request.id, method: 'PONG' });
        } else this.#reject(request.method, request.id, 400, request.msg);
        return;
      case 'list':
        this.#reply('LIST_SUBSCRIPTIONS', request.id, this.#subscriptionList());
        return;
      case 'subscribe':
        this.#subscribe(request);
        return;
      case 'unsubscribe':
        this.#unsubscribe(request);
    }
  }

  /** Pushes the rows that changed since the last push of this ticker stream. */
  pushTicker(period: TickerPeriod): void {
    this.#pushRows(period, this.#assets[period].keys());
  }

  /** All or nothing: one invalid stream leaves every subscription unchanged. */
  #subscribe(request: Subscription): void {
    const refusal = this.#rejectionOf(request);
    if (refusal !== undefined) {
      this.#reject('SUBSCRIBE', request.id, ...refusal);
      return;
    }
    const added: [TickerPeriod, string[]][] = [];
    for (const stream of request.streams) {
      if (!this.#streams.has(stream.key)) {
        this.#streams.set(stream.key, stream);
        this.#context.onSubscribed(this, stream);
      }
      if (stream.kind === 'ticker') {
        added.push([stream.period, this.#addAssets(stream.period, request.assets)]);
      }
    }
    this.#reply('SUBSCRIBE', request.id, 'success');
    for (const [period, symbols] of added) this.#pushRows(period, symbols);
  }

  /** Further assets on a subscribed ticker are not a duplicate. */
  #rejectionOf(request: Subscription): [number, string] | undefined {
    const keys = new Set([...this.#streams.keys(), ...request.streams.map((one) => one.key)]);
    if (keys.size > MAX_SUBSCRIPTIONS) return [429, 'subscription limit reached'];
    if (this.#context.switches.duplicateSubscribe === 'success') return undefined;
    const known = request.streams.find(
      (stream) => stream.kind !== 'ticker' && this.#streams.has(stream.key),
    );
    return known === undefined ? undefined : [400, `already subscribed: ${known.text}`];
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

  #unsubscribe(request: Subscription): void {
    const missing = request.streams.find((stream) => !this.#streams.has(stream.key));
    if (missing !== undefined) {
      this.#reject('UNSUBSCRIBE', request.id, 400, `not subscribed: ${missing.text}`);
      return;
    }
    for (const stream of request.streams) {
      const isEmptied = stream.kind !== 'ticker' || this.#dropAssets(stream.period, request.assets);
      if (!isEmptied) continue;
      this.#streams.delete(stream.key);
      this.#context.onUnsubscribed(this, stream);
    }
    this.#reply('UNSUBSCRIBE', request.id, 'success');
  }

  /** Without assets the whole ticker stream ends (supplement: part 1.7). @returns whether no asset is left */
  #dropAssets(period: TickerPeriod, assets: readonly string[]): boolean {
    const known = this.#assets[period];
    const isWhole = assets.length === 0 && this.#context.switches.tickerUnsubscribeAll === 'whole';
    const dropped = isWhole ? [...known.keys()] : assets.map((one) => one.toLowerCase());
    for (const symbol of dropped) {
      known.delete(symbol);
      this.#sentPrices[period].delete(symbol);
    }
    return isWhole || (assets.length > 0 && known.size === 0);
  }

  #pushRows(period: TickerPeriod, symbols: Iterable<string>): void {
    const sent = this.#sentPrices[period];
    let rows = '';
    for (const symbol of symbols) {
      const row = this.#context.row(symbol);
      // Compares prices, not updates: a price that returned within the window has not changed.
      if (row === undefined || sent.get(symbol) === row.prices) continue;
      sent.set(symbol, row.prices);
      rows += rows === '' ? row.text : `,${row.text}`;
    }
    if (rows === '') return;
    const stream = `ticker@${period}`;
    this.#context.push(this, stream, `{"stream":"${stream}","data":[${rows}]}`);
  }

  #subscriptionList() {
    const symbolsOf = (period: TickerPeriod): string[] => [...this.#assets[period].values()].sort();
    return {
      subscriptions: [...this.#streams.values()].map((stream) => stream.text).sort(),
      ticker_5s_assets: symbolsOf('5s'),
      ticker_1s_assets: symbolsOf('1s'),
    };
  }

  #reply(method: string, id: number, result: unknown): void {
    this.#send({ method, id, result });
  }

  #reject(method: string, id: number, code: number, msg: string): void {
    this.#send({ method, id, error: { code, msg } });
  }

  #send(answer: Readonly<Record<string, unknown>>): void {
    this.connection.send(JSON.stringify(answer));
  }
}
