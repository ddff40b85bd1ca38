import type { Currency } from '../../core/currency.js';
import type { Net, Scheduler } from '../../core/ports.js';
import { ProbeSocket } from './probe-socket.js';
import { StartError } from '../failure.js';
import { rowsUnder, shownAnswer, textUnder, under, type ProbeWire } from './probe-wire.js';

const FUTURES = '/fapi/v1/futures';
const KLINE = '/fapi/v1/price/kline';
const SETTLEMENT_MS = 8 * 3_600_000;
const MINUTE_MS = 60_000;

/** What a question may use. */
export class ProbeWorld {
  readonly wire: ProbeWire;
  readonly symbol: string;
  readonly currency: Currency;
  readonly #net: Net;
  readonly #scheduler: Scheduler;
  readonly #streamUrl: string;
  readonly #sockets: ProbeSocket[] = [];
  readonly #localNowMs: () => number;
  #stream: ProbeSocket | undefined;
  #now: Promise<number> | undefined;

  constructor(parts: {
    readonly wire: ProbeWire;
    readonly symbol: string;
    readonly currency: Currency;
    readonly net: Net;
    readonly scheduler: Scheduler;
    readonly streamUrl: string;
    /** ms UTC of this machine. */
    readonly localNowMs: () => number;
  }) {
    this.wire = parts.wire;
    this.symbol = parts.symbol;
    this.currency = parts.currency;
    this.#net = parts.net;
    this.#scheduler = parts.scheduler;
    this.#streamUrl = parts.streamUrl;
    this.#localNowMs = parts.localNowMs;
  }

  /** `btc/usdt` */
  get pair(): string {
    return `${this.symbol.slice(0, -4)}/${this.symbol.slice(-4)}`.toLowerCase();
  }

  /** `btcusdt` */
  get streamName(): string {
    return this.symbol.toLowerCase();
  }

  /** One connection for every question about streams: the venue counts them. */
  get stream(): ProbeSocket {
    this.#stream ??= this.open();
    return this.#stream;
  }

  open(): ProbeSocket {
    const socket = new ProbeSocket(this.#net, this.#scheduler, this.#streamUrl);
    this.#sockets.push(socket);
    return socket;
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  /** Rows of a trading list in the currency. @throws StartError, TransportError */
  async list(
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<readonly unknown[]> {
    const answer = await this.wire.get(`${FUTURES}${path}`, {
      query: { trade_currency: this.currency, ...query },
    });
    if (under(answer.json, 'success') !== true) {
      throw new StartError(`${path} cannot be read: ${shownAnswer(answer)}`);
    }
    return rowsUnder(answer.json, 'data');
  }

  /** Candles by the wire's own names; undefined where the pair is not in the answer. */
  async klines(
    query: Readonly<Record<string, string>>,
    pair = this.pair,
  ): Promise<readonly unknown[] | undefined> {
    const { json } = await this.wire.get(KLINE, { query: { assets: pair, ...query } });
    const rows = under(json, 'data', 'asset_ticks', pair);
    return Array.isArray(rows) ? rows : undefined;
  }

  /** ms UTC at the venue, as of the first call, at most a minute behind. */
  now(): Promise<number> {
    this.#now ??= this.#newestClose();
    return this.#now;
  }

  /** A sandbox may live in another year: the next settlement tells where to look for candles. */
  async #newestClose(): Promise<number> {
    const { json } = await this.wire.get(`${FUTURES}/${this.symbol}`, {
      query: { is_symbol: '1' },
    });
    const settlement = Number(textUnder(json, 'data', 'funding_interval') ?? 0) * 1_000;
    const until = settlement > 0 ? settlement : this.#localNowMs();
    const candles = await this.klines({
      aggregation: '1m',
      start_time: String((until - SETTLEMENT_MS - 60 * MINUTE_MS) / 1_000),
      end_time: String(until / 1_000),
    });
    const newest = under(candles?.at(-1), 0);
    return typeof newest === 'number' ? newest * 1_000 + MINUTE_MS : this.#localNowMs();
  }
}
