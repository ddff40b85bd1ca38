import { countText } from '../../../core/terminal-text.js';
import { relative } from 'node:path';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { runCheck } from '../../../tools/check/check-process.js';
import type { CheckMessage } from '../../../tools/check/check-protocol.js';
import { findingText, type Finding } from '../../../tools/check/finding.js';
import { checkTypes } from '../../../tools/check/type-check.js';
import type { CheckOptions } from './strategy-options.js';

/** Real ms after which a check is ended, even on a slow machine. */
const MIN_TIMEOUT_MS = 120_000;

/** Runs `sluice strategy check`: loads a strategy, runs it and prints its faults. */
export async function checkCommand(options: CheckOptions, io: Io): Promise<number> {
  const run = await runCheck(options, io.stderr, Math.max(MIN_TIMEOUT_MS, options.hangMs * 2));
  const missing = run.messages.find(hasKind('not-found'));
  if (missing !== undefined) throw new UsageError(missing.message);
  const loaded = run.messages.find(hasKind('loaded'));
  const done = run.messages.find(hasKind('done'));
  const findings = run.messages.filter(hasKind('finding')).map(({ finding }) => finding);
  const file = loaded?.file;
  if (run.crash !== undefined && findings.length === 0) {
    if (file === undefined) throw new StartError(`${options.use}: ${run.crash}`);
    findings.push({ place: file, message: run.crash });
  }
  const types = file === undefined ? undefined : checkTypes(file);
  const all = [...findings, ...(types?.findings ?? [])]
    .map((finding) => (finding.place === '' ? { ...finding, place: file ?? options.use } : finding))
    .map(shortened);
  printSummary(
    { all, file: file ?? options.use, types: types?.how ?? 'not checked', done },
    options,
    io,
  );
  return all.length === 0 ? EXIT.done : EXIT.failed;
}

interface CheckSummary {
  readonly all: readonly Finding[];
  readonly file: string;
  readonly types: string;
  readonly done: Extract<CheckMessage, { kind: 'done' }> | undefined;
}

function printSummary(
  { all, file, types, done }: CheckSummary,
  { json }: CheckOptions,
  io: Io,
): void {
  const fileLabel = displayPath(file);
  if (json) {
    const { candles = 0, intents = 0, orders = 0, fills = 0 } = done ?? {};
    const counts = { candles, intents, orders, fills };
    const result = { file: fileLabel, clean: all.length === 0, findings: all, types, ...counts };
    io.stdout(`${JSON.stringify(result)}\n`);
    return;
  }
  for (const finding of all) io.stdout(findingText(finding));
  const ran =
    done === undefined
      ? 'it did not run to the end'
      : `${countText(done.candles, 'stress candle')}: ${countText(done.intents, 'intent')}, ${countText(done.orders, 'order')}, ${countText(done.fills, 'fill')}`;
  const verdict = all.length === 0 ? 'nothing found' : `${all.length} found`;
  io.stdout(`${fileLabel}: ${verdict} (${ran}; types ${types})\n`);
  if (all.length === 0 && done?.intents === 0)
    io.stdout('  it sent no intent: its warm-up may be longer; --candles runs more\n');
}

const hasKind =
  <Kind extends CheckMessage['kind']>(kind: Kind) =>
  (message: CheckMessage): message is Extract<CheckMessage, { kind: Kind }> =>
    message.kind === kind;

const shortened = (finding: Finding): Finding => ({
  ...finding,
  place: displayPath(finding.place),
});

/** Relative to the working directory, for a file below it. */
function displayPath(path: string): string {
  const near = relative('', path);
  return near.startsWith('..') || !path.startsWith('/') ? path : near;
}
