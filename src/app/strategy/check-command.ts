import { relative } from 'node:path';
import type { Interval } from '../../core/interval.js';
import type { Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';
import { StartError, UsageError } from '../failure.js';
import { runCheck } from './check-process.js';
import type { CheckMessage } from './check-protocol.js';
import { findingText, type Finding } from './finding.js';
import { checkTypes } from './type-check.js';

export interface CheckOptions {
  /** A shipped name, a file, a folder or a package. */
  readonly use: string;
  readonly params: Readonly<Record<string, string>>;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Of each symbol; absent: 2,000. */
  readonly candles?: number;
  readonly hangMs: number;
  readonly json: boolean;
  readonly debug: boolean;
}

/** However slow the machine: a check that takes longer than this is ended. */
const MOST_MS = 120_000;

/** `sluice strategy check`: what is wrong with a strategy, as far as running it can tell. */
export async function checkCommand(options: CheckOptions, io: Io): Promise<number> {
  const run = await runCheck(options, io.stderr, Math.max(MOST_MS, options.hangMs * 2));
  const missing = run.messages.find(isOf('not-found'));
  if (missing !== undefined) throw new UsageError(missing.message);
  const loaded = run.messages.find(isOf('loaded'));
  const done = run.messages.find(isOf('done'));
  const findings = run.messages.filter(isOf('finding')).map(({ finding }) => finding);
  const file = loaded?.file;
  if (run.broken !== undefined && findings.length === 0) {
    if (file === undefined) throw new StartError(`${options.use}: ${run.broken}`);
    findings.push({ place: file, message: run.broken });
  }
  const types = file === undefined ? undefined : checkTypes(file);
  const all = [...findings, ...(types?.findings ?? [])]
    .map((finding) => (finding.place === '' ? { ...finding, place: file ?? options.use } : finding))
    .map(shortened);
  tell({ all, file: file ?? options.use, types: types?.how ?? 'not checked', done }, options, io);
  return all.length === 0 ? EXIT.done : EXIT.failed;
}

interface Checked {
  readonly all: readonly Finding[];
  readonly file: string;
  readonly types: string;
  readonly done: Extract<CheckMessage, { kind: 'done' }> | undefined;
}

function tell({ all, file, types, done }: Checked, { json }: CheckOptions, io: Io): void {
  const shown = shortPath(file);
  if (json) {
    const { candles = 0, intents = 0, orders = 0, fills = 0 } = done ?? {};
    const counts = { candles, intents, orders, fills };
    const result = { file: shown, clean: all.length === 0, findings: all, types, ...counts };
    io.stdout(`${JSON.stringify(result)}\n`);
    return;
  }
  for (const finding of all) io.stdout(findingText(finding));
  const ran =
    done === undefined
      ? 'it did not run to the end'
      : `${done.candles} hostile candles: ${done.intents} intents, ${done.orders} orders, ${done.fills} fills`;
  const verdict = all.length === 0 ? 'nothing found' : `${all.length} found`;
  io.stdout(`${shown}: ${verdict} (${ran}; types ${types})\n`);
  if (all.length === 0 && done?.intents === 0)
    io.stdout('  it asked for nothing: is its warm-up longer than that? --candles runs more\n');
}

const isOf =
  <Kind extends CheckMessage['kind']>(kind: Kind) =>
  (message: CheckMessage): message is Extract<CheckMessage, { kind: Kind }> =>
    message.kind === kind;

const shortened = (finding: Finding): Finding => ({ ...finding, place: shortPath(finding.place) });

/** As one would type it here, when it lies here. */
function shortPath(path: string): string {
  const near = relative('', path);
  return near.startsWith('..') || !path.startsWith('/') ? path : near;
}
