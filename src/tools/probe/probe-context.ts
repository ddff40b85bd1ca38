import type { Currency } from '../../core/currency.js';
import type { Net, Scheduler } from '../../core/ports.js';
import { ProbeSocket } from './probe-socket.js';
import { StartError } from '../../core/command-errors.js';
import { rowsAt, responseText, textAt, valueAt, type ProbeHttpClient } from './probe-http.js';

const FUTURES = '/fapi/v1/futures';
const KLINE = '/fapi/v1/price/kline';
const SETTLEMENT_MS = 8 * 3_600_000;
const MINUTE_MS = 60_000;

/** The requests and streams that a question may use. */
export class ProbeContext {
  readonly http: ProbeHttpClient;
  readonly symbol: string;
  readonly currency: Currency;
  readonly #net: Net;
  readonly #scheduler: Scheduler;
  readonly #streamUrl: string;
  readonly #sockets: ProbeSocket[] = [];
  readonly #localNowMs: () => number;
  #stream: ProbeSocket | undefined;
  #venueNow: Promise<number> | undefined;

  constructor(parts: {
    readonly http: ProbeHttpClient;
    readonly symbol: string;
    readonly currency: Currency;
    readonly net: Net;
    readonly scheduler: Scheduler;
    readonly streamUrl: string;
    /** ms UTC by the clock of this machine. */
    readonly localNowMs: () => number;
  }) {
    this.http = parts.http;
    this.symbol = parts.symbol;
    this.currency = parts.currency;
    this.#net = parts.net;
    this.#scheduler = parts.scheduler;
    this.#streamUrl = parts.streamUrl;
    this.#localNowMs = parts.localNowMs;
  }

  /** The pair in kline requests: `btc/usdt`. */
  get pair(): string {
    return `${this.symbol.slice(0, -4)}/${this.symbol.slice(-4)}`.toLowerCase();
  }

  /** The symbol in stream names: `btcusdt`. */
  get streamName(): string {
    return this.symbol.toLowerCase();
  }

  /** One connection for all questions about streams, because the venue limits connections. */
  get stream(): ProbeSocket {
    this.#stream ??= this.openSocket();
    return this.#stream;
  }

  openSocket(): ProbeSocket {
    const socket = new ProbeSocket(this.#net, this.#scheduler, this.#streamUrl);
    this.#sockets.push(socket);
    return socket;
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  /** Reads rows of a trading list in the currency. @throws StartError, TransportError */
  async list(
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<readonly unknown[]> {
    const answer = await this.http.get(`${FUTURES}${path}`, {
      query: { trade_currency: this.currency, ...query },
    });
    if (valueAt(answer.json, 'success') !== true) {
      throw new StartError(`${path} cannot be read: ${responseText(answer)}`);
    }
    return rowsAt(answer.json, 'data');
  }

  /** Reads candles in wire format; undefined when the reply lacks the pair. */
  async klines(
    query: Readonly<Record<string, string>>,
    pair = this.pair,
  ): Promise<readonly unknown[] | undefined> {
    const { json } = await this.http.get(KLINE, { query: { assets: pair, ...query } });
    const rows = valueAt(json, 'data', 'asset_ticks', pair);
    return Array.isArray(rows) ? rows : undefined;
  }

  /** Venue time in ms UTC at the first call, at most one minute behind. */
  venueNow(): Promise<number> {
    this.#venueNow ??= this.#newestCloseTime();
    return this.#venueNow;
  }

  /** The clock of a sandbox may show another year, so candles are read before the next settlement. */
  async #newestCloseTime(): Promise<number> {
    const { json } = await this.http.get(`${FUTURES}/${this.symbol}`, {
      query: { is_symbol: '1' },
    });
    const settlement = Number(textAt(json, 'data', 'funding_interval') ?? 0) * 1_000;
    const until = settlement > 0 ? settlement : this.#localNowMs();
    const candles = await this.klines({
      aggregation: '1m',
      start_time: String((until - SETTLEMENT_MS - 60 * MINUTE_MS) / 1_000),
      end_time: String(until / 1_000),
    });
    const newest = valueAt(candles?.at(-1), 0);
    return typeof newest === 'number' ? newest * 1_000 + MINUTE_MS : this.#localNowMs();
  }
}
