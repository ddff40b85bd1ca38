import { bestRuns } from '../run/best-runs.js';
import { MIN_GROWTH_DAYS } from '../statistics/statistics.js';
import { compareRuns, type ComparedRow } from '../run/run-comparison.js';
import type { RunResult } from '../run/result-schema.js';
import { keptRows } from '../run-folder.js';
import type { EquityCurve } from '../statistics/equity-curve.js';
import type { ComparedRun, ComparisonPage } from './comparison-data.js';
import { drawdownAt } from './page-equity.js';

/** Six such curves keep the page below 3 MB. */
const MAX_ROWS = 4_000;
const MAX_INPUT_CHARACTERS = 160;
const SHOWN_HASH = 12;

/** A run of a comparison. */
export interface RunToCompare {
  readonly name: string;
  readonly result: RunResult;
  readonly curve: EquityCurve;
  /** The hash follows from the files. */
  readonly verified: boolean;
  /** Address of its report, relative to the page. */
  readonly report: string | null;
}

/** Shapes 2 to 6 runs for one page. */
export function comparisonPageOf(runs: readonly RunToCompare[]): ComparisonPage {
  const shaped = runs.map(comparedRunOf);
  const { inputs, results } = compareRuns(runs.map(({ result }) => result));
  const comparable = {
    isOneCurrency: new Set(runs.map(({ result }) => result.currency)).size === 1,
    isOnePeriod: new Set(runs.map(({ result }) => `${result.from} ${result.to}`)).size === 1,
    areLong: runs.every(({ result }) => result.days >= MIN_GROWTH_DAYS),
  };
  return {
    version: 1,
    kind: 'comparison',
    runs: shaped,
    inputs: inputs
      .filter((row) => !isOfOtherSymbol(row))
      .map(({ key, values }) => ({ key, values: values.map(inputText) })),
    results: results.map((row) => ({
      key: row.key,
      values: row.values.map((value) => (value ?? null) as string | number | null),
      differs: row.differs,
      best: bestRuns(row, comparable),
    })),
    notes: notesOf(runs),
    thinned: shaped.flatMap(({ letter, times }, index) => {
      const { length } = (runs[index] as RunToCompare).curve;
      // The row of the start is not in the file.
      const shown = Math.min(times.length, length);
      return shown < length
        ? [
            `The curve of ${letter} shows ${shown} of ${length} rows; peaks, lows and ends of days are among them.`,
          ]
        : [];
    }),
  };
}

const letterOf = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);

function comparedRunOf(run: RunToCompare, position: number): ComparedRun {
  const { name, result, curve, report } = run;
  const { strategies, cash: text } = result.inputs;
  const cash = Number(text);
  const { times, equity, length } = curve;
  const rows =
    length <= MAX_ROWS
      ? Array.from({ length }, (_, index) => index)
      : [...keptRows(curve, cash, MAX_ROWS)];
  const start = Date.parse(result.from);
  // Each line starts at its cash: the first row of the file is the end of the first candle.
  const hasStart = start < (times.at(rows[0] as number) as number);
  return {
    letter: letterOf(position),
    name,
    hash: result.run_hash,
    title: strategies.map(({ id }) => id).join(', '),
    symbols: [...new Set(strategies.flatMap(({ symbols }) => symbols))],
    interval: [...new Set(strategies.map(({ interval }) => interval))].join(', '),
    from: result.from,
    to: result.to,
    days: result.days,
    currency: result.currency,
    cash,
    repeat: result.repeat,
    report,
    times: [
      ...(hasStart ? [start / 1_000] : []),
      ...rows.map((row) => (times.at(row) as number) / 1_000),
    ],
    index: [
      ...(hasStart ? [100] : []),
      ...rows.map((row) => indexDigits(((equity[row] as number) / cash) * 100)),
    ],
    drawdown: [...(hasStart ? [0] : []), ...drawdownAt(rows, curve, cash)],
  };
}

/** Seven significant digits: steps of 0.0001 around 100. */
const indexDigits = (value: number): number => Number(value.toPrecision(7));

function inputText(value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return 'none';
  const isPlain = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  const text =
    typeof value === 'string' ? value : isPlain ? value.join(', ') : JSON.stringify(value);
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.slice(0, SHOWN_HASH)}…`;
  if (WHOLE_MINUTE.test(text)) return text.slice(0, 16).replace('T', ' ');
  return text.length > MAX_INPUT_CHARACTERS ? `${text.slice(0, MAX_INPUT_CHARACTERS - 1)}…` : text;
}

const WHOLE_MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/;

/** The steps of a symbol that one of the runs does not trade: the symbols differ, which another row says. */
const isOfOtherSymbol = ({ key, values }: ComparedRow): boolean =>
  key.startsWith('instruments.') && values.includes(undefined);

function notesOf(runs: readonly RunToCompare[]): readonly string[] {
  const results = runs.map(({ result }) => result);
  const named = (holds: (run: RunToCompare) => boolean): string =>
    runs.flatMap((run, index) => (holds(run) ? [letterOf(index)] : [])).join(', ');
  const [changed, failed, stopped] = [
    named(({ verified }) => !verified),
    named(({ result }) => result.errors.length > 0),
    named(({ result }) => result.interrupted),
  ];
  return [
    ...(changed === ''
      ? []
      : [`${changed}: a file was changed after the run: its hash does not follow from its files.`]),
    ...(failed === '' ? [] : [`${failed}: the strategy failed during the run.`]),
    ...(stopped === '' ? [] : [`${stopped}: the run was stopped before the end of its data.`]),
    ...periodNotes(results),
    ...currencyNotes(results),
    ...equalNotes(results),
  ];
}

function periodNotes(results: readonly RunResult[]): readonly string[] {
  const [first, ...others] = results.map(({ from, to }) => `${from} ${to}`);
  if (others.every((each) => each === first)) return [];
  const start = Math.max(...results.map(({ from }) => Date.parse(from)));
  const end = Math.min(...results.map(({ to }) => Date.parse(to)));
  return [
    start < end
      ? 'The runs cover different periods. Each curve is 100 at the start of its own run, and each figure is that of its own period; figures that grow with the period have no best.'
      : 'The runs have no time in common: each met another market. Figures that grow with the period have no best.',
  ];
}

function currencyNotes(results: readonly RunResult[]): readonly string[] {
  const currencies = [...new Set(results.map(({ currency }) => currency))];
  if (currencies.length === 1) return [];
  return [
    `The runs are in ${currencies.join(' and ')}: amounts of money have no best. The curves and the figures in per cent compare them.`,
  ];
}

function equalNotes(results: readonly RunResult[]): readonly string[] {
  const byHash = new Map<string, string[]>();
  for (const [index, { run_hash }] of results.entries())
    byHash.set(run_hash, [...(byHash.get(run_hash) ?? []), letterOf(index)]);
  return [...byHash.values()]
    .filter(({ length }) => length > 1)
    .map((letters) => `${letters.join(' and ')} have the same inputs and results: one hash.`);
}
