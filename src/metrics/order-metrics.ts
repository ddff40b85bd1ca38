import { labelled, samplesOf, single, type MetricEntry } from './metric-entry.js';

/** Strategies, orders and the gate. */
export const ORDER_METRICS: readonly MetricEntry[] = [
  labelled(
    'sluice_strategy_running',
    'gauge',
    '1 while the strategy runs, 0 when it has failed or was stopped.',
    ['strategy'],
    ({ report }) =>
      samplesOf(
        report.strategies,
        ({ id }) => ({ strategy: id }),
        ({ state }) => Number(state === 'running'),
      ),
  ),
  labelled(
    'sluice_strategy_intents_total',
    'counter',
    'Intents of the strategy.',
    ['strategy'],
    ({ report }) =>
      samplesOf(
        report.strategies,
        ({ id }) => ({ strategy: id }),
        ({ intents }) => intents,
      ),
  ),
  labelled(
    'sluice_strategy_errors_total',
    'counter',
    'Errors of the code of the strategy.',
    ['strategy'],
    ({ report }) =>
      samplesOf(
        report.strategies,
        ({ id }) => ({ strategy: id }),
        ({ errors }) => errors,
      ),
  ),
  single(
    'sluice_intents_total',
    'counter',
    'Sized intents of all strategies.',
    ({ totals }) => totals.intents,
  ),
  labelled(
    'sluice_refusals_total',
    'counter',
    'Refusals by the control that refused.',
    ['control'],
    ({ totals }) =>
      samplesOf(
        [...totals.refusedBy],
        ([control]) => ({ control }),
        ([, { count }]) => count,
      ),
  ),
  labelled(
    'sluice_would_refuse_total',
    'counter',
    'Orders that a control would have refused under another preset.',
    ['control'],
    ({ totals }) =>
      samplesOf(
        [...totals.wouldRefuse],
        ([control]) => ({ control }),
        ([, count]) => count,
      ),
  ),
  single(
    'sluice_orders_placed_total',
    'counter',
    'Orders that the venue acknowledged.',
    ({ totals }) => totals.ordersPlaced,
  ),
  single(
    'sluice_orders_filled_total',
    'counter',
    'Orders filled in full.',
    ({ totals }) => totals.ordersFilled,
  ),
  single(
    'sluice_orders_rejected_total',
    'counter',
    'Orders that the venue rejected.',
    ({ totals }) => totals.rejected,
  ),
  single(
    'sluice_orders_dropped_total',
    'counter',
    'Orders that were never sent.',
    ({ totals }) => totals.dropped,
  ),
  single('sluice_fills_total', 'counter', 'Fills of orders of ours.', ({ totals }) => totals.fills),
  single(
    'sluice_entries_without_stop_total',
    'counter',
    'Entries that left without a stop loss.',
    ({ totals }) => totals.entriesWithoutStop,
  ),
  labelled(
    'sluice_open_orders',
    'gauge',
    'Orders of ours that have not ended.',
    ['reduce_only'],
    ({ report }) =>
      [true, false].map((exit) => ({
        labels: { reduce_only: String(exit) },
        value: report.orders.filter((row) => row.reduce_only === exit).length,
      })),
  ),
  single(
    'sluice_unknown_orders',
    'gauge',
    'Orders without proof of whether the venue has them.',
    ({ report }) => report.unknown,
  ),
  single(
    'sluice_unknown_order_max_age_seconds',
    'gauge',
    'Time since the oldest of them became unproved; 0: there is none.',
    ({ report }) => Math.max(0, ...report.unproved.map((row) => row.for_s)),
  ),
];
