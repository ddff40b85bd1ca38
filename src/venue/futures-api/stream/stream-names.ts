import type { MarketMessage, MarketSubscription } from '../../venue.js';

/** One subscription of a connection. Tickers of many assets share one stream. */
export interface StreamSubscription {
  readonly stream: string;
  readonly asset?: string;
}

export const TICKER = 'ticker@1s';

/** Messages with one candle (supplement: streams). */
export type CandleMessageKind = Extract<MarketMessage, { readonly candle: unknown }>['kind'];

const PREFIXES: Readonly<Record<CandleMessageKind, string>> = {
  candle: 'kline@1m@',
  'mark-candle': 'markKline@1m@',
  second: 'kline@1s@',
  'mark-second': 'markKline@1s@',
};
const KINDS = Object.keys(PREFIXES) as readonly CandleMessageKind[];

export interface ParsedCandleStream {
  readonly kind: CandleMessageKind;
  /** Upper case. */
  readonly symbol: string;
}

/** Undefined for a stream without candles. */
export function parseCandleStream(stream: string): ParsedCandleStream | undefined {
  const kind = KINDS.find((candidate) => stream.startsWith(PREFIXES[candidate]));
  if (kind === undefined) return undefined;
  return { kind, symbol: stream.slice(PREFIXES[kind].length).toUpperCase() };
}

/** All tickers are one stream and come first. The others follow, filling one connection after another. */
export function shardsOf(
  subscription: MarketSubscription,
  streamsPerConnection: number,
): readonly (readonly StreamSubscription[])[] {
  const tickers = uniqueLowerCase(subscription.tickers).map((asset) => ({ stream: TICKER, asset }));
  const shards: StreamSubscription[][] = [];
  let remaining = 0;
  if (tickers.length > 0) {
    shards.push([...tickers]);
    remaining = streamsPerConnection - 1;
  }
  for (const stream of candleStreams(subscription)) {
    if (remaining === 0) {
      shards.push([]);
      remaining = streamsPerConnection;
    }
    shards.at(-1)?.push({ stream });
    remaining -= 1;
  }
  return shards;
}

function candleStreams(subscription: MarketSubscription): readonly string[] {
  const symbols: Readonly<Record<CandleMessageKind, readonly string[] | undefined>> = {
    candle: subscription.candles,
    'mark-candle': subscription.mark,
    second: subscription.seconds,
    'mark-second': subscription.markSeconds,
  };
  return KINDS.flatMap((kind) =>
    uniqueLowerCase(symbols[kind] ?? []).map((name) => `${PREFIXES[kind]}${name}`),
  );
}

/** Symbols as on the wire: lower case, without duplicates. */
const uniqueLowerCase = (symbols: readonly string[]): readonly string[] => [
  ...new Set(symbols.map((symbol) => symbol.toLowerCase())),
];
