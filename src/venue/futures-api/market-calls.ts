import { candleFault, type Candle } from '../../core/candle.js';
import type { Logger } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import type { CandleQuery, FuturesApi } from './futures-api.js';
import { readEnvelope } from './envelope.js';
import { mapped, rejectionOf, shown, unknownAnswer } from './outcome.js';
import type { Requester } from './requester.js';
import type { RestUrls } from './url.js';
import { assetPairOf } from './wire-instrument.js';
import { aggregationOf, candleFromRow, markCandleFromRow, ticksFromBody } from './wire-market.js';

/** Of last prices or of mark prices. */
export type CandleKind = 'klines' | 'markKlines';

/** One call for candles, in the wire's own words. */
export interface RowsQuery {
  /** BTC/USDT */
  readonly pairs: readonly string[];
  readonly aggregation: string;
  /** Epoch seconds, both inclusive. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Rows by lower-case pair; a pair that the venue left out is not in it. */
export type Rows = ReadonlyMap<string, readonly unknown[]>;

/** One attempt, public: without the secret. */
export async function readRows(
  requester: Requester,
  urls: RestUrls,
  kind: CandleKind,
  query: RowsQuery,
): Promise<Outcome<Rows>> {
  const url = urls.price(kind === 'klines' ? 'kline' : 'mark-kline', {
    assets: query.pairs.join(','),
    aggregation: query.aggregation,
    start_time: String(query.startSeconds),
    end_time: String(query.endSeconds),
  });
  const result = await requester.call(kind, { url });
  if (result.kind === 'lost') return { kind: 'unknown', cause: result.cause, sent: result.sent };
  const { status, body } = result.response;
  const rows = status === 200 ? ticksFromBody(body) : undefined;
  if (rows !== undefined) return { kind: 'yes', value: rows };
  // Only the venue's own words are a no; a proxy's 404 is none (hazard A12).
  const envelope = readEnvelope(body);
  if (envelope.kind !== 'failure') return unknownAnswer(status, 'no candles in the answer');
  return requester.plain(
    rejectionOf(kind, status, envelope.errors) ?? unknownAnswer(status, shown(envelope.errors)),
  );
}

/** Candles of the public history. */
export function marketCalls(
  requester: Requester,
  urls: RestUrls,
  logger: Logger,
): Pick<FuturesApi, 'klines' | 'markKlines'> {
  const read = async (kind: CandleKind, query: CandleQuery) => {
    const rows = await readRows(requester, urls, kind, rowsQuery(query));
    return mapped(rows, (byPair) => candlesBySymbol(byPair, kind, query, logger));
  };
  return {
    klines: (query) => read('klines', query),
    markKlines: (query) => read('markKlines', query),
  };
}

const rowsQuery = ({ symbols, interval, fromMs, toMs }: CandleQuery): RowsQuery => ({
  pairs: symbols.map(pairOf),
  // The venue's answer to an interval that it does not have is its own.
  aggregation: aggregationOf(interval) ?? interval,
  startSeconds: Math.ceil(fromMs / 1_000),
  endSeconds: Math.floor(toMs / 1_000),
});

/** A name that is no symbol quoted in USDT is for the venue to judge. */
const pairOf = (symbol: string): string => assetPairOf(symbol.toUpperCase()) ?? symbol;

function candlesBySymbol(
  rows: Rows,
  kind: CandleKind,
  { symbols, interval }: CandleQuery,
  logger: Logger,
): ReadonlyMap<string, readonly Candle[]> {
  const bySymbol = new Map<string, readonly Candle[]>();
  for (const symbol of symbols) {
    const own = rows.get(pairOf(symbol).toLowerCase());
    if (own === undefined) continue;
    const candles = own.flatMap((row) => {
      const candle = candleOfRow(kind, row);
      const fault = candle === undefined ? 'the row does not read' : candleFault(candle);
      if (candle !== undefined && fault === undefined) return [candle];
      logger.warn({ symbol, interval, row, fault }, 'A candle is left out');
      return [];
    });
    bySymbol.set(
      symbol,
      candles.sort((a, b) => a.openTime - b.openTime),
    );
  }
  return bySymbol;
}

export const candleOfRow = (kind: CandleKind, row: unknown): Candle | undefined =>
  kind === 'klines' ? candleFromRow(row) : markCandleFromRow(row);
