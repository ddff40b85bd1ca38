import { didYouMean } from '../../core/suggestion.js';
import { CandleFileError } from './candle-file-error.js';

/** Columns of a candle, in the order of a file without a header. */
export const CANDLE_FIELDS = ['open_time', 'open', 'high', 'low', 'close', 'volume'] as const;
export type CandleField = (typeof CANDLE_FIELDS)[number];

/** Columns that the user named for a field: by name, or by position (0 is the first). */
export type NamedColumns = ReadonlyMap<string, string | number>;

/**
 * Names of a time column in exports of exchanges and tools, the surest first: a file may have several. Names are
 * compared in the form of `plainName`.
 */
export const TIME_NAMES = [
  ...['open_time', 'opentime', 'kline_open_time', 'candle_begin_time', 'time_open', 'start_time'],
  ...['starttime', 'startat', 'time_period_start', 'timestamp', 'timestamp_ms', 'open_timestamp'],
  ...['unix', 'unix_timestamp', 'unix_time', 'epoch', 'start', 'ts', 'time', 'time_utc', 't'],
  ...['datetime', 'date_time', 'gmt_time', 'utc_time', 'date_utc', 'date'],
];
const NAMES: Readonly<Record<CandleField, readonly string[]>> = {
  open_time: TIME_NAMES,
  open: ['open', 'open_price', 'price_open', 'openprice', 'o'],
  high: ['high', 'high_price', 'price_high', 'highprice', 'max', 'h'],
  low: ['low', 'low_price', 'price_low', 'lowprice', 'min', 'l'],
  close: ['close', 'close_price', 'price_close', 'closeprice', 'c'],
  volume: ['volume', 'base_volume', 'volume_base', 'volume_traded', 'volumefrom', 'vol', 'v'],
};
/** `Volume BTC` is in base units; `Volume USDT` is a turnover, `Volume MA` an indicator. */
const BASE_VOLUME = /^volume_(?!usdt?$|usdc$|busd$|inr$|eur$|quote|ma$)[a-z0-9]+$/;

/** `<Open Price>` as `open_price`: lower case, other characters than letters and digits as one underscore. */
export const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');

/** Whether a cell of the first line is the name of a field. */
export const isCandleField = (name: string): boolean =>
  CANDLE_FIELDS.some((field) => NAMES[field].includes(plainName(name)));

/**
 * Column of each candle field. Columns with other names are ignored.
 * @param named columns that the user gives; they come before the known names
 * @param place file and line, for messages
 * @returns -1 for a volume that is absent and optional
 * @throws CandleFileError for a field without a column or with two of the same name
 */
export function candleColumnsOf(
  names: readonly string[],
  named: NamedColumns,
  options: { readonly place: string; readonly isVolumeOptional: boolean },
): readonly number[] {
  const { place, isVolumeOptional } = options;
  checkFields(named, CANDLE_FIELDS, place);
  const columns = CANDLE_FIELDS.map((field) => {
    const given = named.get(field);
    const found =
      given === undefined ? knownColumn(field, names, place) : columnOf(given, names, place);
    return found ?? (field === 'volume' && isVolumeOptional ? ABSENT : undefined);
  });
  const missing = CANDLE_FIELDS.filter((_, index) => columns[index] === undefined);
  if (missing.length > 0) failMissing(missing, names, place);
  return columns.map((column) => column ?? ABSENT);
}

const ABSENT = -1;

function knownColumn(
  field: CandleField,
  names: readonly string[],
  place: string,
): number | undefined {
  const found = columnNamed(NAMES[field], names, field, place);
  if (found !== undefined || field !== 'volume') return found;
  const volumes = names.flatMap((name, at) => (BASE_VOLUME.test(plainName(name)) ? [at] : []));
  return volumes.length === 1 ? volumes[0] : undefined;
}

/**
 * The column with the first of the known names that the header has.
 * @throws CandleFileError if two columns have that name
 */
export function columnNamed(
  known: readonly string[],
  names: readonly string[],
  field: string,
  place: string,
): number | undefined {
  const plain = names.map(plainName);
  const name = known.find((each) => plain.includes(each));
  if (name === undefined) return undefined;
  const first = plain.indexOf(name);
  if (plain.includes(name, first + 1)) {
    throw new CandleFileError(`${place}: ${field} is twice in the header: remove one of them`);
  }
  return first;
}

/**
 * The column that the user named, by its name or by its number (1 is the first).
 * @throws CandleFileError for a column that the file does not have
 */
export function columnOf(given: string | number, names: readonly string[], place: string): number {
  if (typeof given === 'number' && given < names.length) return given;
  const plain = String(given).trim().toLowerCase();
  const found = names.findIndex((name) => name.trim().toLowerCase() === plain);
  if (found >= 0) return found;
  const column = typeof given === 'number' ? `column ${given + 1}` : `column "${given}"`;
  const has = `the file has ${names.length} columns: ${headerText(names)}`;
  throw new CandleFileError(
    `${place}: there is no ${column} of --columns; ${has}${didYouMean(String(given), names)}`,
  );
}

/** @throws CandleFileError for a field that does not exist */
export function checkFields(named: NamedColumns, fields: readonly string[], place: string): void {
  const unknown = [...named.keys()].find((field) => !fields.includes(field));
  if (unknown === undefined) return;
  throw new CandleFileError(
    `${place}: --columns names "${unknown}", and the fields are ${fields.join(', ')}`,
  );
}

function failMissing(
  missing: readonly CandleField[],
  names: readonly string[],
  place: string,
): never {
  const file = place.replace(/:\d+$/, '');
  const pairs = missing.map((field) => `${field === 'open_time' ? 'time' : field}=NAME`).join(',');
  const isVolumeAlone = missing.length === 1 && missing[0] === 'volume';
  const without = isVolumeAlone ? '; mark prices have none: --kind mark-klines' : '';
  throw new CandleFileError(
    `${place}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: the header is ` +
      `"${headerText(names)}"; give ${missing.length === 1 ? 'the column' : 'the columns'} with ` +
      `sluice data import ${file} --columns ${pairs}${without}`,
  );
}

const headerText = (names: readonly string[]): string => names.join(',').slice(0, 120);
