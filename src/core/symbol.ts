const PLAIN = /^[A-Z0-9]{2,32}$/;
/** CCXT's unified form: base, quote and, for a linear contract, the settlement currency. */
const UNIFIED = /^([A-Z0-9]{1,20})\/([A-Z]{2,10})(?::([A-Z]{2,10}))?$/;

/**
 * The venue's symbol for `BTCUSDT`, `btcusdt`, `BTC/USDT` or `BTC/USDT:USDT`. undefined for anything
 * else and for a contract that settles in another currency than its quote.
 */
export function symbolFromText(text: string): string | undefined {
  const upper = text.trim().toUpperCase();
  const [, base, quote, settle = quote] = UNIFIED.exec(upper) ?? [];
  const plain = base === undefined || quote === undefined ? upper : base + quote;
  return PLAIN.test(plain) && settle === quote ? plain : undefined;
}

/** The first symbol in a file name, as in `btcusdt-1m-2025.csv`, `BTC_USDT.csv.gz` or `Binance_BTCUSDT_1h.csv`. */
export function symbolFromFileName(name: string): string | undefined {
  const found = /(?:^|[^a-z0-9])([a-z0-9]{1,20}?)[-_]?usdt(?![a-z0-9])/.exec(name.toLowerCase());
  const base = found?.[1];
  return base === undefined ? undefined : `${base.toUpperCase()}USDT`;
}
