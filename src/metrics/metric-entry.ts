import type { StatusReport } from '../live/status/status-report.js';
import type { DaemonHeartbeat } from '../live/supervisor/heartbeat-file.js';
import type { MetricKind, Sample } from './exposition.js';
import type { RequestMeter, SyncMeter } from './meters.js';

/** Facts of the process from the operating system. */
export interface ProcessUsage {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly cpuSeconds: number;
  /** Delay of the event loop since the last read. */
  readonly loopDelayMaxSeconds: number;
  readonly loopDelayP99Seconds: number;
}

/** Counts since the start of the run. */
export interface RunTotals {
  readonly intents: number;
  readonly ordersPlaced: number;
  readonly ordersFilled: number;
  readonly rejected: number;
  readonly dropped: number;
  readonly fills: number;
  readonly entriesWithoutStop: number;
  readonly refusedBy: ReadonlyMap<string, { readonly count: number }>;
  readonly wouldRefuse: ReadonlyMap<string, number>;
}

/** Facts of one scrape. */
export interface MetricsInput {
  readonly version: string;
  readonly report: StatusReport;
  readonly totals: RunTotals;
  readonly candle: DaemonHeartbeat['candle'];
  readonly requests: RequestMeter;
  readonly journal: SyncMeter;
  readonly usage: ProcessUsage;
  /** Notices by level; undefined: the configuration has no `notify:`. */
  readonly notices: ReadonlyMap<string, number> | undefined;
  /** s UTC of the start of the run. */
  readonly startedAtSeconds: number;
}

/** One metric: its field names follow prometheus.io/docs/practices/naming. */
export interface MetricEntry {
  readonly name: string;
  readonly kind: MetricKind;
  readonly help: string;
  /** Names of its labels. None is an id of an order. */
  readonly labels: readonly string[];
  /** No sample: the fact is not known. */
  readonly read: (input: MetricsInput) => readonly Sample[];
}

/** An entry without labels. @param read undefined: not known */
export const single = (
  name: string,
  kind: MetricKind,
  help: string,
  read: (input: MetricsInput) => number | null | undefined,
): MetricEntry => ({
  name,
  kind,
  help,
  labels: [],
  read: (input) => {
    const value = read(input);
    return value === undefined || value === null ? [] : [{ value }];
  },
});

/** An entry with labels. */
export const labelled = (
  name: string,
  kind: MetricKind,
  help: string,
  labels: readonly string[],
  read: MetricEntry['read'],
): MetricEntry => ({ name, kind, help, labels, read });

export const seconds = (ms: number | null | undefined): number | undefined =>
  ms === null || ms === undefined ? undefined : ms / 1_000;

/** A sample for each row whose value is known. */
export const samplesOf = <Row>(
  rows: readonly Row[],
  labels: (row: Row) => Readonly<Record<string, string>>,
  value: (row: Row) => number | undefined,
): readonly Sample[] =>
  rows.flatMap((row) => {
    const known = value(row);
    return known === undefined || Number.isNaN(known)
      ? []
      : [{ labels: labels(row), value: known }];
  });

/** Number of rows for each value of some labels. */
export function countBy<Row>(
  rows: readonly Row[],
  labels: (row: Row) => Readonly<Record<string, string>>,
): readonly Sample[] {
  const counts = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; value: number }
  >();
  for (const row of rows) {
    const own = labels(row);
    const key = JSON.stringify(own);
    const count = counts.get(key) ?? { labels: own, value: 0 };
    count.value += 1;
    counts.set(key, count);
  }
  return [...counts.values()];
}
