import { MODES } from '../risk/mode.js';
import { labelled, samplesOf, seconds, single, type MetricEntry } from './metric-entry.js';

const flag = (on: boolean | null): number | undefined => (on === null ? undefined : Number(on));

/** The process, its candles, its data and its modes. */
export const DAEMON_METRICS: readonly MetricEntry[] = [
  labelled(
    'sluice_build_info',
    'gauge',
    'Always 1. The version, the account and the run mode are labels.',
    ['version', 'account', 'run_mode'],
    ({ version, report: { account, run_mode: mode } }) => [
      { labels: { version, account: account ?? '', run_mode: mode ?? '' }, value: 1 },
    ],
  ),
  single(
    'sluice_start_time_seconds',
    'gauge',
    'Start of the run, seconds since 1970 UTC.',
    (input) => input.startedAtSeconds,
  ),
  single(
    'process_resident_memory_bytes',
    'gauge',
    'Resident memory of the process.',
    ({ usage }) => usage.residentBytes,
  ),
  single(
    'process_cpu_seconds_total',
    'counter',
    'Processor time of the process.',
    ({ usage }) => usage.cpuSeconds,
  ),
  single(
    'sluice_heap_used_bytes',
    'gauge',
    'Used heap of the main thread.',
    ({ usage }) => usage.heapUsedBytes,
  ),
  single(
    'sluice_event_loop_delay_max_seconds',
    'gauge',
    'Longest delay of the event loop since the last scrape.',
    ({ usage }) => usage.loopDelayMaxSeconds,
  ),
  single(
    'sluice_event_loop_delay_p99_seconds',
    'gauge',
    'Delay of the event loop since the last scrape, 99th percentile.',
    ({ usage }) => usage.loopDelayP99Seconds,
  ),
  labelled(
    'sluice_last_decided_candle_age_seconds',
    'gauge',
    'Venue time since the close of the last candle on which the strategy decided.',
    ['strategy'],
    ({ report }) =>
      samplesOf(
        report.strategies,
        ({ id }) => ({ strategy: id }),
        (row) => seconds(row.last_candle_age_ms),
      ),
  ),
  single(
    'sluice_candle_late_seconds',
    'gauge',
    'Real time since a candle was due on which no strategy has decided; the longest of all strategies.',
    ({ candle }) => seconds(candle?.late_ms),
  ),
  single(
    'sluice_feed_age_seconds',
    'gauge',
    'Real time since the newest price of any symbol.',
    ({ report }) => seconds(report.ages_ms?.feed),
  ),
  labelled(
    'sluice_price_age_seconds',
    'gauge',
    'Real time since the last price of the symbol.',
    ['symbol'],
    ({ report }) =>
      samplesOf(
        Object.entries(report.ages_ms?.prices ?? {}),
        ([symbol]) => ({ symbol }),
        ([, age]) => seconds(age),
      ),
  ),
  labelled(
    'sluice_account_data_age_seconds',
    'gauge',
    'Real time since the last read of the list began.',
    ['list'],
    ({ report: { ages_ms: ages } }) =>
      ages === null
        ? []
        : samplesOf(
            ['positions', 'orders', 'wallet'] as const,
            (list) => ({ list }),
            (list) => seconds(ages[list]),
          ),
  ),
  labelled(
    'sluice_mode',
    'gauge',
    '1 for the mode in force, 0 for the others.',
    ['mode'],
    ({ report }) =>
      MODES.map((mode) => ({ labels: { mode }, value: Number(report.mode === mode) })),
  ),
  labelled(
    'sluice_kill_switch',
    'gauge',
    '1 for the level of the kill switch in force, 0 for the others.',
    ['level'],
    ({ report: { kill } }) =>
      ['pause', 'cancel', 'flatten'].map((level) => ({
        labels: { level },
        value: Number(kill?.level === level),
      })),
  ),
  labelled(
    'sluice_restrictions',
    'gauge',
    'Restrictions in force by class; only a person ends a latching one.',
    ['class'],
    ({ report }) =>
      ['latching', 'self-clearing'].map((kind) => ({
        labels: { class: kind },
        value: report.restrictions.filter((row) => row.class === kind).length,
      })),
  ),
  labelled(
    'sluice_restriction_active',
    'gauge',
    'Restrictions in force of the control.',
    ['control'],
    ({ report }) => restrictionCounts(report.restrictions),
  ),
  single(
    'sluice_restricted_symbols',
    'gauge',
    'Symbols with a mode of their own.',
    ({ report }) => Object.keys(report.symbols).length,
  ),
  single('sluice_reconciled', 'gauge', '1 when the account agrees with the ledger.', ({ report }) =>
    flag(report.reconciled),
  ),
  single('sluice_key_refused', 'gauge', '1 while the venue refuses the key.', ({ report }) =>
    flag(report.key_refused),
  ),
  single('sluice_flatten_active', 'gauge', '1 while a flatten is unfinished.', ({ report }) =>
    Number(report.flatten?.end === 'unfinished'),
  ),
  labelled(
    'sluice_requests_total',
    'counter',
    'Requests to the venue by method and HTTP status; status none: no answer.',
    ['method', 'status'],
    ({ requests }) => requests.counts,
  ),
  labelled(
    'sluice_request_duration_seconds',
    'histogram',
    'Time from the request to the last byte of its answer.',
    ['method'],
    ({ requests }) => requests.durations,
  ),
  single(
    'sluice_rate_limited_total',
    'counter',
    'Answers with HTTP 429.',
    ({ requests }) => requests.rateLimited,
  ),
  labelled(
    'sluice_notices_total',
    'counter',
    'Notices that left for the channels of `notify:`, by level: page, message, digest.',
    ['level'],
    ({ notices = new Map<string, number>() }) =>
      [...notices].map(([level, value]) => ({ labels: { level }, value })),
  ),
  labelled(
    'sluice_journal_sync_duration_seconds',
    'histogram',
    'Time of a sync of the journal to the disk.',
    [],
    ({ journal }) => journal.durations,
  ),
  single(
    'sluice_journal_sync_failures_total',
    'counter',
    'Syncs of the journal that failed.',
    ({ journal }) => journal.failures,
  ),
];

function restrictionCounts(rows: readonly { readonly control: string }[]) {
  const controls = [...new Set(rows.map(({ control }) => control))];
  return controls.map((control) => ({
    labels: { control },
    value: rows.filter((row) => row.control === control).length,
  }));
}
