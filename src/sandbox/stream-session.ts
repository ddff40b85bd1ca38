import type { StreamName, StreamRequest } from './stream-request.js';
import { parseStreamRequest } from './stream-request.js';
import type { Switches } from './switches.js';

/** One WebSocket connection, as the sandbox uses it. */
export interface StreamConnection {
  send(text: string): void;
  /** Breaks the connection without a close frame, as the venue was seen to do. */
  close(): void;
}

/** A row of a ticker frame, made once for whoever is told of it. */
export interface TickerRow {
  readonly text: string;
  /** Last and mark, whether the mark is told or not: what a change is judged by. */
  readonly prices: string;
}

const MAX_SUBSCRIPTIONS = 15;
const TICKER_PERIODS = ['1s', '5s'] as const;
export type TickerPeriod = (typeof TICKER_PERIODS)[number];

export type StreamSwitches = Pick<
  Switches,
  'jsonPing' | 'duplicateSubscribe' | 'tickerUnsubscribeAll'
>;

/** What a session stands on. */
export interface SessionDesk {
  readonly switches: StreamSwitches;
  /** The present row of a symbol; `prices` is the same for as long as nothing changes. */
  readonly row: (lowerSymbol: string) => TickerRow | undefined;
  /** Sends a push, or what a fault makes of it. */
  readonly push: (session: StreamSession, stream: string, frame: string) => void;
  readonly joined: (session: StreamSession, stream: StreamName) => void;
  readonly left: (session: StreamSession, stream: StreamName) => void;
}

type Subscription = Extract<StreamRequest, { kind: 'subscribe' | 'unsubscribe' }>;

/** The subscriptions of one connection, and what it was last told (supplement, part 1). */
export class StreamSession {
  readonly connection: StreamConnection;
  readonly #desk: SessionDesk;
  /** By key; a ticker stream is in here once, whatever its assets. */
  readonly #streams = new Map<string, StreamName>();
  /** Lower-case symbol → the caller's spelling. */
  readonly #assets: Readonly<Record<TickerPeriod, Map<string, string>>> = {
    '1s': new Map(),
    '5s': new Map(),
  };
  readonly #told: Readonly<Record<TickerPeriod, Map<string, string>>> = {
    '1s': new Map(),
    '5s': new Map(),
  };

  constructor(connection: StreamConnection, desk: SessionDesk) {
    this.connection = connection;
    this.#desk = desk;
  }

  streams(): Iterable<StreamName> {
    return this.#streams.values();
  }

  /** Answers a client's frame; the reply goes out before any push that follows from it. */
  handle(text: string): void {
    const request = parseStreamRequest(text);
    switch (request.kind) {
      case 'invalid':
        if (request.method === 'PING' && this.#desk.switches.jsonPing === 'pong') {
          this.#send({ id: request.id, method: 'PONG' });
        } else this.#refuse(request.method, request.id, 400, request.msg);
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

  /** The rows that changed since the last push of this ticker stream, if any did. */
  pushTicker(period: TickerPeriod): void {
    this.#pushRows(period, this.#assets[period].keys());
  }

  /** All or nothing: one bad stream leaves everything as it was. */
  #subscribe(request: Subscription): void {
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) {
      this.#refuse('SUBSCRIBE', request.id, ...refusal);
      return;
    }
    const added: [TickerPeriod, string[]][] = [];
    for (const stream of request.streams) {
      if (!this.#streams.has(stream.key)) {
        this.#streams.set(stream.key, stream);
        this.#desk.joined(this, stream);
      }
      if (stream.kind === 'ticker') {
        added.push([stream.period, this.#addAssets(stream.period, request.assets)]);
      }
    }
    this.#reply('SUBSCRIBE', request.id, 'success');
    for (const [period, symbols] of added) this.#pushRows(period, symbols);
  }

  /** More assets on a ticker that is there already are no duplicate. */
  #refusalOf(request: Subscription): [number, string] | undefined {
    const keys = new Set([...this.#streams.keys(), ...request.streams.map((one) => one.key)]);
    if (keys.size > MAX_SUBSCRIPTIONS) return [429, 'subscription limit reached'];
    if (this.#desk.switches.duplicateSubscribe === 'success') return undefined;
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
      this.#refuse('UNSUBSCRIBE', request.id, 400, `not subscribed: ${missing.text}`);
      return;
    }
    for (const stream of request.streams) {
      const isEmptied = stream.kind !== 'ticker' || this.#dropAssets(stream.period, request.assets);
      if (!isEmptied) continue;
      this.#streams.delete(stream.key);
      this.#desk.left(this, stream);
    }
    this.#reply('UNSUBSCRIBE', request.id, 'success');
  }

  /** Whether none is left. Without assets the whole ticker stream goes (supplement, part 1.7). */
  #dropAssets(period: TickerPeriod, assets: readonly string[]): boolean {
    const known = this.#assets[period];
    const isWhole = assets.length === 0 && this.#desk.switches.tickerUnsubscribeAll === 'whole';
    const dropped = isWhole ? [...known.keys()] : assets.map((one) => one.toLowerCase());
    for (const symbol of dropped) {
      known.delete(symbol);
      this.#told[period].delete(symbol);
    }
    return isWhole || (assets.length > 0 && known.size === 0);
  }

  #pushRows(period: TickerPeriod, symbols: Iterable<string>): void {
    const told = this.#told[period];
    let rows = '';
    for (const symbol of symbols) {
      const row = this.#desk.row(symbol);
      // By what it says: a price that went and came back within a window has not changed.
      if (row === undefined || told.get(symbol) === row.prices) continue;
      told.set(symbol, row.prices);
      rows += rows === '' ? row.text : `,${row.text}`;
    }
    if (rows === '') return;
    const stream = `ticker@${period}`;
    this.#desk.push(this, stream, `{"stream":"${stream}","data":[${rows}]}`);
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
    this.#send({ method, id, result });
  }

  #refuse(method: string, id: number, code: number, msg: string): void {
    this.#send({ method, id, error: { code, msg } });
  }

  #send(answer: Readonly<Record<string, unknown>>): void {
    this.connection.send(JSON.stringify(answer));
  }
}
