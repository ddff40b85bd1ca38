import { candleFault, type Candle } from '../../../core/candle.js';
import type { Logger } from '../../../core/ports.js';
import type { Outcome } from '../../../core/request.js';
import type { KlineQuery, FuturesApi } from '../futures-api.js';
import { readEnvelope } from './envelope.js';
import { mapOutcome, rejectionOf, errorsText, unknownOutcome } from './outcome.js';
import type { HttpClient } from './http-client.js';
import type { RestUrls } from './url.js';
import { assetPairOf } from '../wire/wire-instrument.js';
import {
  aggregationOf,
  candleFromRow,
  markCandleFromRow,
  klineRowsFromBody,
  klineTextsFromBody,
  parseJson,
} from '../wire/wire-market.js';

/** Candles of last prices or of mark prices. */
export type CandleKind = 'klines' | 'markKlines';

/** One call for candles, in the terms of the wire. */
export interface KlineRowsQuery {
  /** BTC/USDT */
  readonly pairs: readonly string[];
  readonly aggregation: string;
  /** Epoch seconds, both inclusive. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Rows by lower-case pair. A pair that the venue omits is missing. */
export type KlineRows = ReadonlyMap<string, readonly unknown[]>;

/** One attempt, public: without the secret. */
export const readKlineRows = (
  client: HttpClient,
  urls: RestUrls,
  kind: CandleKind,
  query: KlineRowsQuery,
): Promise<Outcome<KlineRows>> =>
  readKlineBody(client, urls, { kind, query, read: klineRowsFromBody });

interface KlineCall<T> {
  readonly kind: CandleKind;
  readonly query: KlineRowsQuery;
  /** undefined: the body holds no candles. */
  readonly read: (body: string) => T | undefined;
}

async function readKlineBody<T>(
  client: HttpClient,
  urls: RestUrls,
  { kind, query, read }: KlineCall<T>,
): Promise<Outcome<T>> {
  const url = urls.price(kind === 'klines' ? 'kline' : 'mark-kline', {
    assets: query.pairs.join(','),
    aggregation: query.aggregation,
    start_time: String(query.startSeconds),
    end_time: String(query.endSeconds),
  });
  const result = await client.call(kind, { url });
  if (result.kind === 'lost') return { kind: 'unknown', cause: result.cause, sent: result.sent };
  const { status, body } = result.response;
  const value = status === 200 ? read(body) : undefined;
  if (value !== undefined) return { kind: 'yes', value };
  // Only an envelope of the venue is a `no`; a proxy's 404 is none (hazard A12).
  const envelope = readEnvelope(body);
  if (envelope.kind !== 'failure') return unknownOutcome(status, 'no candles in the answer');
  return client.redacted(
    rejectionOf(kind, status, envelope.errors) ??
      unknownOutcome(status, errorsText(envelope.errors)),
  );
}

/** Calls for candles of the public history. */
export function marketCalls(
  client: HttpClient,
  urls: RestUrls,
  logger: Logger,
): Pick<FuturesApi, 'klines' | 'markKlines'> {
  const read = async (kind: CandleKind, query: KlineQuery) => {
    const rowsQuery = klineRowsQuery(query);
    const { onCandles } = query;
    if (onCandles !== undefined)
      return readKlineBody(client, urls, {
        ...{ kind, query: rowsQuery },
        read: (body) => handOver(body, { kind, query, onCandles }, logger),
      });
    const rows = await readKlineRows(client, urls, kind, rowsQuery);
    return mapOutcome(rows, (byPair) => candlesBySymbol(byPair, kind, query, logger));
  };
  return {
    klines: (query) => read('klines', query),
    markKlines: (query) => read('markKlines', query),
  };
}

const klineRowsQuery = ({ symbols, interval, fromMs, toMs }: KlineQuery): KlineRowsQuery => ({
  pairs: symbols.map(pairOf),
  // The venue rejects an interval that it does not know.
  aggregation: aggregationOf(interval) ?? interval,
  startSeconds: Math.ceil(fromMs / 1_000),
  endSeconds: Math.floor(toMs / 1_000),
});

/** The venue rejects a name that is no symbol quoted in USDT. */
const pairOf = (symbol: string): string => assetPairOf(symbol.toUpperCase()) ?? symbol;

function candlesBySymbol(
  rows: KlineRows,
  kind: CandleKind,
  query: KlineQuery,
  logger: Logger,
): ReadonlyMap<string, readonly Candle[]> {
  const bySymbol = new Map<string, readonly Candle[]>();
  for (const symbol of query.symbols) {
    const pairRows = rows.get(pairOf(symbol).toLowerCase());
    if (pairRows !== undefined)
      bySymbol.set(symbol, candlesOf(pairRows, { kind, symbol, query }, logger));
  }
  return bySymbol;
}

/** Pair by pair. @returns undefined when the body holds no candles, or a pair's rows are no JSON */
function handOver(
  body: string,
  {
    kind,
    query,
    onCandles,
  }: {
    readonly kind: CandleKind;
    readonly query: KlineQuery;
    readonly onCandles: Exclude<KlineQuery['onCandles'], undefined>;
  },
  logger: Logger,
): ReadonlyMap<string, readonly Candle[]> | undefined {
  const rows = klineTextsFromBody(body) ?? klineRowsFromBody(body);
  if (rows === undefined) return undefined;
  for (const symbol of query.symbols) {
    const found = rows.get(pairOf(symbol).toLowerCase());
    if (found === undefined) continue;
    const pairRows = typeof found === 'string' ? parseJson(found) : found;
    if (!Array.isArray(pairRows)) return undefined;
    onCandles(symbol, candlesOf(pairRows, { kind, symbol, query }, logger));
  }
  return new Map();
}

interface RowOrigin {
  readonly kind: CandleKind;
  readonly symbol: string;
  readonly query: Pick<KlineQuery, 'interval'>;
}

/** Ascending, without unreadable and impossible rows. */
function candlesOf(
  rows: readonly unknown[],
  { kind, symbol, query: { interval } }: RowOrigin,
  logger: Logger,
): readonly Candle[] {
  const candles: Candle[] = [];
  for (const row of rows) {
    const candle = candleOfRow(kind, row);
    const fault = candle === undefined ? 'the row is unreadable' : candleFault(candle);
    if (candle !== undefined && fault === undefined) candles.push(candle);
    else logger.warn({ symbol, interval, row, fault }, 'A candle is left out');
  }
  return candles.sort((a, b) => a.openTime - b.openTime);
}

export const candleOfRow = (kind: CandleKind, row: unknown): Candle | undefined =>
  kind === 'klines' ? candleFromRow(row) : markCandleFromRow(row);
