import type { LimitStatus, PositionStatus } from '../live/status/status-report.js';
import { labelled, samplesOf, single, type MetricEntry } from './metric-entry.js';

/** Positions, equity and the headroom of the limits. */
export const ACCOUNT_METRICS: readonly MetricEntry[] = [
  single(
    'sluice_positions',
    'gauge',
    'Open positions.',
    ({ report }) => report.positions.filter(isOpen).length,
  ),
  labelled(
    'sluice_position_quantity',
    'gauge',
    'Signed quantity of the position, base units.',
    ['symbol'],
    ({ report }) =>
      samplesOf(
        report.positions,
        ({ symbol }) => ({ symbol }),
        ({ quantity }) => Number(quantity),
      ),
  ),
  labelled(
    'sluice_position_notional_usdt',
    'gauge',
    'Value of the position at the last price, USDT, without a sign.',
    ['symbol'],
    ({ report }) =>
      samplesOf(
        report.positions,
        ({ symbol }) => ({ symbol }),
        ({ quantity, last_price: last }) =>
          last === null ? undefined : Math.abs(Number(quantity) * Number(last)),
      ),
  ),
  single(
    'sluice_unprotected_positions',
    'gauge',
    'Open positions without a stop loss at the venue.',
    ({ report }) => report.positions.filter((row) => isOpen(row) && row.stop_loss === null).length,
  ),
  single(
    'sluice_position_differences',
    'gauge',
    'Positions whose quantity differs from the last report of the venue.',
    ({ report }) =>
      report.positions.filter(
        ({ quantity, venue }) => venue !== null && Number(venue) !== Number(quantity),
      ).length,
  ),
  single(
    'sluice_unrealised_pnl_usdt',
    'gauge',
    'Unrealised PnL of all positions, USDT.',
    ({ report }) =>
      report.positions.reduce((sum, { unrealised_pnl: pnl }) => sum + Number(pnl ?? 0), 0),
  ),
  labelled(
    'sluice_equity',
    'gauge',
    'Equity of the account in its currency.',
    ['currency'],
    ({ report: { equity, currency } }) =>
      equity === null ? [] : [{ labels: { currency: currency ?? '' }, value: Number(equity) }],
  ),
  labelled(
    'sluice_limit_headroom_ratio',
    'gauge',
    'Unused part of the limit: 1 is unused, 0 is used up. Empty symbol and strategy: of the account.',
    ['control', 'limit', 'symbol', 'strategy'],
    ({ report }) =>
      samplesOf(
        report.limits,
        ({ control, key, name, symbol, strategy }) => ({
          control,
          limit: key ?? name,
          symbol: symbol ?? '',
          strategy: strategy ?? '',
        }),
        headroomRatio,
      ),
  ),
];

const isOpen = ({ quantity }: PositionStatus): boolean => Number(quantity) !== 0;

/** undefined: a fact is not known, the limit is for one order, or it is a lower bound. */
function headroomRatio({ used, limit, headroom, bound }: LimitStatus): number | undefined {
  if (bound !== 'most' || used === null || headroom === null || !(Number(limit) > 0))
    return undefined;
  return Math.max(0, Number(headroom) / Number(limit));
}
