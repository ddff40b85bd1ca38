import { basename } from 'node:path';
import { UsageError } from '../../core/command-errors.js';
import { didYouMean } from '../../core/suggestion.js';
import { indexedRuns, type RunIndexPorts } from './run-index.js';
import { readRun } from './run-reader.js';
import type { RunResult } from './result-schema.js';
import type { IndexedRun } from './indexed-run.js';

export interface FoundRun {
  readonly name: string;
  readonly folder: string;
  readonly result: RunResult;
}

/** Names in an error message. */
const MAX_NAMED = 5;

/** The runs that the arguments name, in their order. @throws UsageError */
export async function findRuns(
  given: readonly string[],
  directory: string,
  ports: RunIndexPorts,
): Promise<readonly FoundRun[]> {
  const found: FoundRun[] = [];
  for (const text of given) found.push(await findRun(text, directory, ports));
  return found;
}

/** A folder, a name, or the first characters of a name or hash. @throws UsageError */
export async function findRun(
  text: string,
  directory: string,
  ports: RunIndexPorts,
): Promise<FoundRun> {
  const isPath = /[/\\]/.test(text);
  const folder = isPath ? text.replace(/[/\\]+$/, '') : `${directory}/${text}`;
  if (isPath || (text !== '' && (await ports.files.exists(folder))))
    return readFound(folder, ports);
  const { runs } = await indexedRuns(directory, ports);
  const matches = runs.filter(
    ({ name, run_hash }) => text !== '' && (name.startsWith(text) || run_hash.startsWith(text)),
  );
  const [only] = matches;
  if (only !== undefined && matches.length === 1)
    return readFound(`${directory}/${only.name}`, ports);
  throw new UsageError(
    matches.length > 1 ? ambiguousText(text, matches) : unknownText(text, directory, runs),
  );
}

async function readFound(folder: string, ports: RunIndexPorts): Promise<FoundRun> {
  if (!(await ports.files.exists(folder)))
    throw new UsageError(`there is no folder ${folder}; sluice runs list shows the runs`);
  const read = await readRun(folder, ports.files);
  if ('problem' in read) throw new UsageError(`${folder}: ${read.problem}`);
  return { name: basename(folder), folder, result: read.result };
}

function ambiguousText(text: string, matches: readonly IndexedRun[]): string {
  const names = matches
    .slice(0, MAX_NAMED)
    .map(({ name, run_hash }) => `${name} (${run_hash.slice(0, 8)})`);
  const more = matches.length > MAX_NAMED ? ` and ${matches.length - MAX_NAMED} more` : '';
  return `"${text}" names ${matches.length} runs: ${names.join(', ')}${more}; give more characters`;
}

function unknownText(text: string, directory: string, runs: readonly IndexedRun[]): string {
  if (runs.length === 0)
    return `there is no run in ${directory}: sluice backtest makes one, --dir names another folder`;
  const hint = didYouMean(
    text,
    runs.map(({ name }) => name),
  );
  return `there is no run "${text}" in ${directory}${hint}; sluice runs list shows the runs`;
}
