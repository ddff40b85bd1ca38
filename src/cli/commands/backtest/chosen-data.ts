import { catalogFolder } from '../../../catalog/catalog-folder.js';
import { DataCatalog } from '../../../catalog/catalog.js';
import { UsageError } from '../../../core/command-errors.js';
import type { Files } from '../../../core/ports.js';
import type { Io } from '../../command-io.js';
import type { BacktestOptions } from './backtest-options.js';

/** The value of `--data` for the bundled market. */
const BUNDLED = 'bundled';

export interface ChosenData {
  /** The options with the data as they were chosen. */
  readonly options: BacktestOptions;
  /** undefined: the candles come from `--data`, or are those of the bundled market. */
  readonly catalog: DataCatalog | undefined;
}

/**
 * Chooses the source of the data: `--data`; else the catalogue, if `--catalog` or both `--symbol` and `--interval`
 * are given; else the bundled market.
 *
 * @param io whose `files` record what the run reads
 * @param unrecorded reads the records beside the files of the catalogue
 * @throws UsageError for `--data` together with `--catalog`, and for `--allow-gaps` without a catalogue
 */
export async function chooseData(
  given: BacktestOptions,
  io: Io,
  unrecorded: Files,
): Promise<ChosenData> {
  const { data, symbol, interval, allowGaps } = given;
  if (data !== undefined && given.catalog !== undefined)
    throw new UsageError('--data and --catalog name two sources of candles: leave one of them out');
  const usesCatalog =
    data === undefined &&
    (given.catalog !== undefined || (symbol !== undefined && interval !== undefined));
  if (!usesCatalog) {
    if (allowGaps)
      throw new UsageError('--allow-gaps is for data of the catalogue; a file runs with its gaps');
    const { data: _bundled, ...others } = given;
    return { options: data === BUNDLED ? others : given, catalog: undefined };
  }
  const folder = catalogFolder(given.catalog, io.env);
  const read = (path: string) => (path.endsWith('.json') ? unrecorded : io.files).read(path);
  const catalog = new DataCatalog(folder, { ...io, files: { ...io.files, read } });
  const isAuto = given.funding === undefined || given.funding.kind === 'auto';
  const hasFunding = isAuto && (await holdsFunding(catalog, symbol?.split(',')));
  const options: BacktestOptions = {
    ...given,
    catalog: folder,
    ...(hasFunding && { funding: { kind: 'catalog', catalog } as const }),
  };
  return { options, catalog };
}

const holdsFunding = async (
  catalog: DataCatalog,
  symbols: readonly string[] | undefined,
): Promise<boolean> =>
  (await catalog.list()).some(
    ({ dataset: { kind, symbol } }) =>
      kind === 'funding' && (symbols === undefined || symbols.includes(symbol)),
  );
