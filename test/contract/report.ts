import { ROWS } from './rows.js';
import type { Result } from './suite.js';

/** One run of cases against a venue through one driver. */
export interface Run {
  readonly name: string;
  readonly results: readonly Result[];
  /** Requests through typed methods, and requests that the types cannot express. */
  readonly client?: { readonly typed: number; readonly rawOnly: number };
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

function tallyOf(results: readonly Result[]): Tally {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { kind } of results) tally[kind] += 1;
  return tally;
}

const written = ({ passed, failed, skipped }: Tally): string =>
  [
    `${passed} passed`,
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');

/** Each row with its cases, and the reasons of failures and skips. */
export function textReport(runs: readonly Run[]): string {
  const lines: string[] = [];
  for (const run of runs) {
    lines.push(`${run.name}:`);
    for (const row of ROWS) {
      const own = run.results.filter((result) => result.case.row === row.id);
      if (own.length === 0) continue;
      lines.push(`  ${row.id}  ${count(own.length)}  ${written(tallyOf(own))}  ${row.statement}`);
      lines.push(...own.flatMap(troubleOf));
    }
    lines.push(`  ${count(run.results.length)}: ${written(tallyOf(run.results))}`);
    if (run.client !== undefined) {
      const { typed, rawOnly } = run.client;
      lines.push(
        `  requests: ${typed} by typed methods, ${rawOnly} raw because no type expresses them`,
      );
    }
    lines.push('');
  }
  return lines.join('\n');
}

const count = (cases: number): string => `${cases} ${cases === 1 ? 'case' : 'cases'}`;

function troubleOf(result: Result): readonly string[] {
  const { id, title } = result.case;
  if (result.kind === 'failed') return [`      ${id} FAILED ${title}: ${result.error.message}`];
  if (result.kind === 'skipped') return [`      ${id} skipped, ${title}: ${result.reason}`];
  return [];
}

export function jsonReport(runs: readonly Run[]): string {
  const body = runs.map((run) => ({
    name: run.name,
    ...tallyOf(run.results),
    ...(run.client === undefined ? {} : { requests: run.client }),
    rows: ROWS.map(({ id, source, statement }) => {
      const own = run.results.filter((result) => result.case.row === id);
      return { id, source, says: statement, cases: own.length, ...tallyOf(own) };
    }).filter(({ cases }) => cases > 0),
    trouble: run.results.flatMap((result) =>
      result.kind === 'passed'
        ? []
        : [
            {
              id: result.case.id,
              title: result.case.title,
              kind: result.kind,
              why: result.kind === 'failed' ? result.error.message : result.reason,
            },
          ],
    ),
  }));
  return `${JSON.stringify({ runs: body }, null, 2)}\n`;
}
