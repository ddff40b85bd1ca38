import { countText } from '../../../core/terminal-text.js';
import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { readOnlyNet } from '../../../live/observe/read-only-net.js';
import { answerReader } from '../../../tools/probe/canary/answer-reader.js';
import {
  changedAnswers,
  changeText,
  readAnswers,
  writeAnswers,
} from '../../../tools/probe/canary/venue-answers.js';
import type { Io } from '../../command-io.js';
import type { AccountConnection } from '../account/account-connection.js';
import { printJson } from '../account/print.js';
import type { ProbeOptions } from './probe-options.js';

/**
 * Compares the venue's rules, fee rates, limits and shapes with those of a file. Sends reads alone.
 * @returns 0 when they are equal or the file is new, 1 when they have changed
 * @throws UsageError, SafetyRefusal for a file that holds no answers, VenueError, TransportError
 */
export async function compareTask(
  { minSize, out, json, symbol }: ProbeOptions,
  path: string,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  if (minSize || out !== undefined)
    throw new UsageError('--compare only reads and compares: leave out --min-size and --out');
  const known = await readAnswers(io.files, path);
  const { config, net } = connection;
  const configured = [...new Set(config?.strategies.flatMap(({ symbols }) => symbols))];
  const symbols = configured.length === 0 ? [symbol] : configured;
  io.stderr(`sluice: reading ${connection.baseUrl}, about ${8 + symbols.length} s\n`);
  const now = await answerReader({ ...io, ...connection, net: readOnlyNet(net), symbols })();
  if (known === undefined) {
    await writeAnswers(io.files, path, now);
    if (json) printJson(io, { file: path, written: true, changes: [] });
    else io.stdout(`${path}: written, ${countText(Object.keys(now.values).length, 'answer')}\n`);
    return EXIT.done;
  }
  if (known.venue !== now.venue)
    throw new UsageError(`${path} has the answers of ${known.venue}, not of ${now.venue}`);
  const changes = changedAnswers(known, now);
  if (json) printJson(io, { file: path, written: false, changes });
  else {
    for (const change of changes) io.stdout(`${changeText(change)}\n`);
    const since = new Date(known.since).toISOString();
    io.stdout(
      changes.length === 0
        ? `unchanged since ${since}\n`
        : `${changes.length} changed since ${since}: remove ${path} to accept them\n`,
    );
  }
  return changes.length === 0 ? EXIT.done : EXIT.failed;
}
