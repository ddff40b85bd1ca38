import { dirname, join, relative, resolve, sep } from 'node:path';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { codeOf, systemText } from '../../../core/system-error.js';
import { comparisonPageOf, type RunToCompare } from '../../../report/page/page-comparison.js';
import { equityCurveOf } from '../../../report/run/equity-file.js';
import type { FoundRun } from '../../../report/run/find-run.js';
import { REPORT_FILE } from '../../../report/run/run-folder-writer.js';
import { runHashOf } from '../../../report/run/run-hash.js';
import { readTables } from '../../../report/run/run-reader.js';
import type { Io } from '../../command-io.js';
import { comparisonPageText } from '../../report-page-file.js';

/**
 * Writes one HTML page that compares runs.
 * @throws UsageError for a run whose files are missing or changed, and for a folder that does not exist
 */
export async function writeComparison(
  file: string,
  runs: readonly FoundRun[],
  io: Pick<Io, 'files'>,
): Promise<void> {
  const own = runs.find(({ folder }) => resolve(folder, REPORT_FILE) === resolve(file));
  if (own !== undefined)
    throw new UsageError(`--html ${file} is the report of run ${own.name}; choose another name`);
  const read: RunToCompare[] = [];
  for (const run of runs) read.push(await readCurve(run, file, io));
  const page = await comparisonPageText(comparisonPageOf(read), io);
  try {
    await io.files.replace(file, new TextEncoder().encode(page));
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if (codeOf(cause) === 'ENOENT')
      throw new UsageError(`--html ${file}: there is no folder ${dirname(file)}; create it first`);
    throw new StartError(`--html ${file}: the page cannot be written: ${systemText(cause)}`, {
      cause,
    });
  }
}

async function readCurve(
  { name, folder, result }: FoundRun,
  file: string,
  { files }: Pick<Io, 'files'>,
): Promise<RunToCompare> {
  const tables = await readTables(folder, files);
  if (tables === undefined) {
    throw new UsageError(
      `${folder}: trades.csv, equity.csv or fills.csv is missing, and the page needs them; ` +
        `repeat the run: ${result.repeat} --out ${folder}`,
    );
  }
  const csv = tables['equity.csv'];
  const curve = equityCurveOf(typeof csv === 'string' ? csv : new TextDecoder().decode(csv));
  if ('problem' in curve) throw new UsageError(`${folder}: ${curve.problem}`);
  const report = join(folder, REPORT_FILE);
  return {
    name,
    result,
    curve,
    verified: runHashOf(result, tables) === result.run_hash,
    report: (await files.exists(report)) ? addressFrom(dirname(file), report) : null,
  };
}

/** A relative address with `/`, in which no character of a name has a meaning of its own. */
const addressFrom = (folder: string, file: string): string => {
  const path = relative(folder, file).split(sep).map(encodeURIComponent).join('/');
  return path.startsWith('.') ? path : `./${path}`;
};
