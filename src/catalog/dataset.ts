import { INTERVALS, type Interval } from '../core/interval.js';

/** Candles of the last price (`klines`) or of the mark price. */
export interface CandleDataset {
  readonly kind: 'klines' | 'mark-klines';
  /** The venue's form, such as `BTCUSDT`. */
  readonly symbol: string;
  readonly interval: Interval;
}

/** Settled funding rates. */
export interface FundingDataset {
  readonly kind: 'funding';
  readonly symbol: string;
}

/** The data of one file of the catalogue. */
export type Dataset = CandleDataset | FundingDataset;

export const DATASET_KINDS = ['klines', 'mark-klines', 'funding'] as const;
export type DatasetKind = (typeof DATASET_KINDS)[number];

const ARROW = '.arrow';
/** `1m` and `1M` are one name on a file system that ignores case. */
const FILE_INTERVAL: ReadonlyMap<Interval, string> = new Map([['1M', '1mth']]);
const SYMBOL = /^[A-Z0-9]{2,32}$/;

/** Path of the Arrow file within the catalogue: `klines/BTCUSDT-1m.arrow`, `funding/BTCUSDT.arrow`. */
export const arrowPath = (dataset: Dataset): string => `${stemOf(dataset)}${ARROW}`;

/** Path of the record of the Arrow file: its checksum, coverage and sources. */
export const recordPath = (dataset: Dataset): string => `${stemOf(dataset)}.json`;

/** The dataset of an Arrow file in the folder of its kind; undefined for another file. */
export function datasetOf(kind: DatasetKind, name: string): Dataset | undefined {
  if (!name.endsWith(ARROW)) return undefined;
  const [symbol = '', interval, ...rest] = name.slice(0, -ARROW.length).split('-');
  if (!SYMBOL.test(symbol) || rest.length > 0) return undefined;
  if (kind === 'funding') return interval === undefined ? { kind, symbol } : undefined;
  const known = INTERVALS.find((each) => (FILE_INTERVAL.get(each) ?? each) === interval);
  return known === undefined ? undefined : { kind, symbol, interval: known };
}

/** `BTCUSDT 1m klines`, `BTCUSDT funding`. */
export const datasetText = (dataset: Dataset): string =>
  dataset.kind === 'funding'
    ? `${dataset.symbol} funding`
    : `${dataset.symbol} ${dataset.interval} ${dataset.kind}`;

const stemOf = (dataset: Dataset): string =>
  dataset.kind === 'funding'
    ? `funding/${dataset.symbol}`
    : `${dataset.kind}/${dataset.symbol}-${FILE_INTERVAL.get(dataset.interval) ?? dataset.interval}`;
