import type { MarketMessage, WantedMarket } from '../venue.js';

/** One thing wanted of a connection. Tickers of many assets share one stream. */
export interface Subscription {
  readonly stream: string;
  readonly asset?: string;
}

export const TICKER = 'ticker@1s';

/** The messages that carry one candle, and the streams that bring them (supplement, part 1). */
export type CandleMessageKind = Extract<MarketMessage, { readonly candle: unknown }>['kind'];

const PREFIXES: Readonly<Record<CandleMessageKind, string>> = {
  candle: 'kline@1m@',
  'mark-candle': 'markKline@1m@',
  second: 'kline@1s@',
  'mark-second': 'markKline@1s@',
};
const KINDS = Object.keys(PREFIXES) as readonly CandleMessageKind[];

export interface CandleStream {
  readonly kind: CandleMessageKind;
  /** Upper case. */
  readonly symbol: string;
}

/** Undefined: no stream of candles. */
export function candleStreamOf(stream: string): CandleStream | undefined {
  const kind = KINDS.find((candidate) => stream.startsWith(PREFIXES[candidate]));
  if (kind === undefined) return undefined;
  return { kind, symbol: stream.slice(PREFIXES[kind].length).toUpperCase() };
}

/** All tickers are one stream and go first; the rest follows, a full connection at a time. */
export function shardsOf(
  wanted: WantedMarket,
  streamsPerConnection: number,
): readonly (readonly Subscription[])[] {
  const tickers = unique(wanted.tickers).map((asset) => ({ stream: TICKER, asset }));
  const shards: Subscription[][] = [];
  let room = 0;
  if (tickers.length > 0) {
    shards.push([...tickers]);
    room = streamsPerConnection - 1;
  }
  for (const stream of candleStreams(wanted)) {
    if (room === 0) {
      shards.push([]);
      room = streamsPerConnection;
    }
    shards.at(-1)?.push({ stream });
    room -= 1;
  }
  return shards;
}

function candleStreams(wanted: WantedMarket): readonly string[] {
  const symbols: Readonly<Record<CandleMessageKind, readonly string[] | undefined>> = {
    candle: wanted.candles,
    'mark-candle': wanted.mark,
    second: wanted.seconds,
    'mark-second': wanted.markSeconds,
  };
  return KINDS.flatMap((kind) =>
    unique(symbols[kind] ?? []).map((name) => `${PREFIXES[kind]}${name}`),
  );
}

/** The wire's form of a symbol: lower case, each once. */
const unique = (symbols: readonly string[]): readonly string[] => [
  ...new Set(symbols.map((symbol) => symbol.toLowerCase())),
];
