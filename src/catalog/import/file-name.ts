import { INTERVALS, type Interval } from '../../core/interval.js';
import { symbolFromFileName } from '../../core/symbol.js';
import type { DatasetKind } from '../dataset.js';

/** Facts that the path of a file gives. */
export interface NamedFacts {
  readonly symbol?: string;
  readonly interval?: Interval;
  readonly kind?: DatasetKind;
}

/** Bars of TradingView: `BINANCE_BTCUSDT.P, 60.csv`, also with an id after the minutes. */
const TRADING_VIEW = /^[A-Z0-9]+_([A-Z0-9]+)(?:\.P)?, ?([0-9]+[SDWMH]?)(?:[_ ].*)?\.csv/i;
/** `BTC_USDT_USDT-5m-futures.feather` of freqtrade: base, quote and settlement. */
const FREQTRADE = /^([A-Z0-9]+)_(USDT|INR)(?:_\2)?-([0-9]+[a-zA-Z]+)(?:-([a-z_]+))?\./i;
/** `BTCUSDT-1m-2024-01.zip` and `BTCUSDT-fundingRate-2024-01.csv` of Binance; ours begin likewise. */
const DASHED = /^([A-Z0-9]+?(?:USDT|INR))-(mark-)?([0-9]+[a-zA-Z]+|funding(?:Rate)?)(?=[-.])/i;
/** Any other name: `btcusdt_1h.csv`, `BTCUSDT.15m.parquet`. */
const LOOSE_INTERVAL = /(?:^|[^a-z0-9])([0-9]+(?:mo|mth|min|[smhdwM]))(?=$|[^a-z0-9])/i;

const TRADING_VIEW_UNITS: Readonly<Record<string, string>> = {
  S: 's',
  D: 'd',
  W: 'w',
  M: 'M',
  H: 'h',
};

/** Symbol, interval and kind of a file by its name and folder, as far as they are known. */
export function factsOfPath(path: string): NamedFacts {
  const name = path.replace(/^.*[/\\]/, '');
  const facts = tradingView(name) ?? freqtrade(name) ?? dashed(name) ?? loose(name);
  const kind = kindOfFolder(path) ?? facts.kind;
  return kind === undefined ? facts : { ...facts, kind };
}

function tradingView(name: string): NamedFacts | undefined {
  const [, symbol, bar = ''] = TRADING_VIEW.exec(name) ?? [];
  if (symbol === undefined) return undefined;
  const [, count = '', unit = ''] = /^([0-9]+)([A-Z]?)$/.exec(bar.toUpperCase()) ?? [];
  const interval = unit === '' ? minutesInterval(Number(count)) : count + TRADING_VIEW_UNITS[unit];
  return { symbol: symbol.toUpperCase(), ...known(interval) };
}

function freqtrade(name: string): NamedFacts | undefined {
  const [, base, quote, interval, type] = FREQTRADE.exec(name) ?? [];
  if (base === undefined || quote === undefined) return undefined;
  const kinds: Readonly<Record<string, DatasetKind>> = {
    futures: 'klines',
    mark: 'mark-klines',
    funding_rate: 'funding',
  };
  const kind = kinds[type ?? ''];
  const symbol = `${base}${quote}`.toUpperCase();
  // The interval of a funding file is that of freqtrade's request, not of the settlements.
  return { symbol, ...(kind === 'funding' ? {} : known(interval)), ...(kind && { kind }) };
}

function dashed(name: string): NamedFacts | undefined {
  const [, symbol, mark, part = ''] = DASHED.exec(name) ?? [];
  if (symbol === undefined) return undefined;
  const upper = symbol.toUpperCase();
  if (part.toLowerCase().startsWith('funding')) return { symbol: upper, kind: 'funding' };
  return {
    symbol: upper,
    ...known(part),
    ...(mark !== undefined && { kind: 'mark-klines' as const }),
  };
}

function loose(name: string): NamedFacts {
  const symbol = symbolFromFileName(name);
  const [, text = ''] = LOOSE_INTERVAL.exec(name) ?? [];
  return {
    ...(symbol !== undefined && { symbol }),
    ...known(text.replace(/min$/i, 'm').replace(/mo$|mth$/i, 'M')),
  };
}

/** Binance names candles of the mark price like candles: the folder distinguishes them. */
function kindOfFolder(path: string): DatasetKind | undefined {
  const folders = path.split(/[/\\]/).slice(0, -1);
  if (folders.includes('markPriceKlines')) return 'mark-klines';
  if (folders.includes('fundingRate')) return 'funding';
  return folders.includes('klines') ? 'klines' : undefined;
}

const minutesInterval = (minutes: number): string =>
  minutes % 60 === 0 && minutes > 0 ? `${minutes / 60}h` : `${minutes}m`;

/** `1M` is a month and `1m` a minute; other units may be of either case. */
function known(text: string | undefined): { readonly interval?: Interval } {
  const interval =
    INTERVALS.find((each) => each === text) ??
    INTERVALS.find((each) => !/^1m$/i.test(each) && each === text?.toLowerCase());
  return interval === undefined ? {} : { interval };
}
