import { ACCOUNT_METRICS } from './account-metrics.js';
import { DAEMON_METRICS } from './daemon-metrics.js';
import type { MetricFamily } from './exposition.js';
import { ORDER_METRICS } from './order-metrics.js';
import type { MetricEntry, MetricsInput } from './metric-entry.js';

/** Every metric of the exporter, in the order of its text. `docs/prometheus.md` is generated from it. */
export const METRICS: readonly MetricEntry[] = [
  ...DAEMON_METRICS,
  ...ORDER_METRICS,
  ...ACCOUNT_METRICS,
];

export const metricFamilies = (input: MetricsInput): readonly MetricFamily[] =>
  METRICS.map(({ name, kind, help, read }) => ({ name, kind, help, samples: read(input) }));
