import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { readCandleCsv } from '../../market/candles/candle-csv.js';
import { unquoted } from '../../market/candles/candle-csv-parser.js';
import { decompress } from '../../market/candles/csv-blocks.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { CANDLE_FIELDS } from '../../market/candles/column-names.js';
import { csvLayout } from '../../market/candles/csv-layout.js';
import { fundingUnitDoubt } from '../../market/funding-unit.js';
import type { DatasetKind } from '../dataset.js';
import { candlesOfTable } from './candle-table.js';
import { checksumOf } from './checksum.js';
import { factsOfPath, type NamedFacts } from './file-name.js';
import type {
  FileChecksum,
  ForeignFile,
  ForeignFormat,
  ForeignOptions,
  ForeignSeries,
  RecognizedForm,
} from './foreign-file.js';
import { formatOf } from './format.js';
import { FUNDING_FIELDS, fundingOfTable, isFundingTable } from './funding-table.js';
import { jsonTable } from './json-table.js';
import { formOf } from './recognized-form.js';
import { seriesInterval } from './series-interval.js';
import { sortedCandles } from './sorted-candles.js';
import type { Table } from './table.js';
import { textTable } from './text-table.js';
import { unzip } from './zip-archive.js';

/** One content to read: a file, or a member of an archive. */
interface Content {
  readonly file: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly format: ForeignFormat;
  readonly facts: NamedFacts;
  readonly checksum: FileChecksum;
}

/**
 * Reads a file of another program: CSV, JSON, Parquet, Feather, also packed by gzip or zip. An archive gives one
 * series for each file inside.
 * @throws CandleFileError with file, line or row, the cause and the option that mends it
 */
export async function readForeign(
  file: ForeignFile,
  options: ForeignOptions,
): Promise<readonly ForeignSeries[]> {
  const checksum = checksumOf(file);
  const bytes = decompress(file.bytes, file.path);
  const facts = factsOfPath(file.path);
  const format = options.format ?? formatOf(file.path, bytes);
  if (format !== 'zip') {
    return [
      await readContent(
        { file: file.path, path: file.path, bytes, format, facts, checksum },
        options,
      ),
    ];
  }
  const series: ForeignSeries[] = [];
  for (const { name, bytes: content } of unzip(file.path, bytes)) {
    const path = `${file.path}/${name}`;
    const inner = formatOf(path, content);
    if (inner === 'zip')
      throw new CandleFileError(`${path}: a zip within a zip; unpack the outer one`);
    const member = { file: file.path, path, bytes: content, format: inner, checksum };
    series.push(
      await readContent({ ...member, facts: { ...facts, ...factsOfPath(path) } }, options),
    );
  }
  if (series.length > 0) return series;
  throw new CandleFileError(`${file.path}: the zip holds no file; fetch it again`);
}

async function readContent(content: Content, options: ForeignOptions): Promise<ForeignSeries> {
  const { facts, path } = content;
  const symbol = options.symbol ?? facts.symbol;
  if (symbol === undefined) {
    throw new CandleFileError(
      `${path}: the file's name does not give its symbol; give it with --symbol BTCUSDT`,
    );
  }
  const kind = options.kind ?? facts.kind;
  const known = { ...content, symbol };
  if (content.format === 'csv') return csvSeries(known, kind, options);
  const table = await tableOf(content);
  const isFunding = kind === 'funding' || (kind === undefined && isFundingTable(namesOf(table)));
  return isFunding
    ? fundingSeries(known, table, options)
    : candleSeriesOfTable(known, table, kind, options);
}

type Known = Content & { readonly symbol: string };

async function tableOf({ format, path, bytes }: Content): Promise<Table> {
  if (format === 'parquet') return (await import('./parquet-table.js')).parquetTable(path, bytes);
  if (format === 'feather') return (await import('./feather-table.js')).featherTable(path, bytes);
  return jsonTable(path, bytes);
}

const namesOf = ({ columns }: Table): readonly string[] => columns.map(({ name }) => name);

function csvSeries(
  content: Known,
  kind: DatasetKind | undefined,
  options: ForeignOptions,
): ForeignSeries {
  const { path } = content;
  const bytes = unquoted(content.bytes);
  const names = csvLayout(bytes, path, { isField: () => false, defaultNames: [] }).names;
  if (kind === 'funding' || (kind === undefined && isFundingTable(names))) {
    const { table, layout } = textTable(path, bytes);
    const { delimiter, hasHeader } = layout;
    const series = fundingSeries(content, table, options);
    return { ...series, form: { ...series.form, delimiter, hasHeader } };
  }
  const read = readCandleCsv(bytes, path, {
    volume: kind === 'mark-klines' ? 'optional' : 'required',
    order: options.isSorting === true ? 'any' : 'ascending',
    ...(options.columns !== undefined && { columns: options.columns }),
    ...(options.timeUnit !== undefined && { timeUnit: options.timeUnit }),
  });
  const columnNames = read.columnByField.map((at) => read.layout.names[at]);
  const form = formOf('csv', CANDLE_FIELDS, columnNames, read.timeUnit, read.layout);
  return candleSeries(content, read.columns, form, kind, options);
}

function candleSeriesOfTable(
  content: Known,
  table: Table,
  kind: DatasetKind | undefined,
  options: ForeignOptions,
): ForeignSeries {
  const isVolumeOptional = kind === 'mark-klines';
  const read = candlesOfTable(table, content.path, { ...options, isVolumeOptional });
  const form = formOf(content.format, CANDLE_FIELDS, read.names, read.timeUnit);
  return candleSeries(content, read.columns, form, kind, options);
}

function candleSeries(
  { file, path, symbol, facts, checksum }: Known,
  read: CandleColumns,
  form: RecognizedForm,
  named: DatasetKind | undefined,
  options: ForeignOptions,
): ForeignSeries {
  const { columns, repeated } =
    options.isSorting === true ? sortedCandles(read, path) : { columns: read, repeated: 0 };
  const interval = seriesInterval(columns, path, {
    interval: options.interval ?? facts.interval,
    source: options.interval === undefined ? "the file's name" : '--interval',
  });
  const kind = named === 'mark-klines' ? named : 'klines';
  if (options.kind === undefined && named !== 'mark-klines') checkVolumes(columns, path);
  const dropped = repeated === 1 ? '1 repeated row was' : `${repeated} repeated rows were`;
  const warnings = repeated === 0 ? [] : [`${path}: ${dropped} dropped`];
  return { file, path, symbol, kind, interval, columns, form, checksum, warnings };
}

/** Candles of the mark price have the volume 0 throughout, and often the name of candles of the last price. */
function checkVolumes({ volume, length }: CandleColumns, path: string): void {
  if (volume.subarray(0, length).some((each) => each > 0)) return;
  throw new CandleFileError(
    `${path}: every volume is 0, as in files of the mark price; say which it is with ` +
      '--kind mark-klines or --kind klines',
  );
}

function fundingSeries(content: Known, table: Table, options: ForeignOptions): ForeignSeries {
  const { file, path, symbol, checksum, format } = content;
  const read = fundingOfTable(table, path, options);
  const form = formOf(format, FUNDING_FIELDS, read.names, read.timeUnit);
  const doubt = fundingUnitDoubt(read.columns.rate);
  return {
    file,
    path,
    symbol,
    kind: 'funding',
    columns: read.columns,
    form,
    checksum,
    warnings: doubt === undefined ? [] : [`${path}: ${doubt}`],
  };
}
