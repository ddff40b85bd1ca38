import { CONTROL_ENTRIES } from '../../../risk/catalog/control-catalog.js';
import { controlStatus, type ControlEntry } from '../../../risk/catalog/control-entry.js';
import { limitReach } from '../../../risk/catalog/limit-scope.js';
import type { ControlId } from '../../../risk/control-id.js';
import { enforces, type PresetName } from '../../../risk/preset.js';
import type { LimitStatus } from '../status-report.js';
import { ACCOUNT_READINGS } from './account-readings.js';
import type { LimitInputs, LimitReader, LimitReading, ReadingUnit } from './limit-reading.js';
import { MARKET_READINGS } from './market-readings.js';
import { OPERATION_READINGS } from './operation-readings.js';
import { ORDER_READINGS } from './order-readings.js';

/** A reader for each control: without one for a new control this does not compile. */
const READERS: Readonly<Record<ControlId, LimitReader>> = {
  ...ORDER_READINGS,
  ...ACCOUNT_READINGS,
  ...MARKET_READINGS,
  ...OPERATION_READINGS,
};

/**
 * Every control of the catalogue, in its order: limit, value and headroom where it measures something, else its
 * state. The figures are those that the gate reads, rounded for people.
 */
export const limitStatuses = (inputs: LimitInputs): readonly LimitStatus[] =>
  CONTROL_ENTRIES.flatMap((entry) =>
    READERS[entry.id](inputs).map((reading) => statusOf(entry, reading, inputs.preset)),
  );

function statusOf(entry: ControlEntry, reading: LimitReading, preset: PresetName): LimitStatus {
  const { key, symbol, strategy, used, limit, unit, least, state, clock = entry.clock } = reading;
  const { scope, windowMs } = limitReach(key ?? '');
  const text = (value: number | null | undefined): string | null =>
    value === null || value === undefined || unit === undefined ? null : textOf(value, unit);
  return {
    control: entry.id,
    name: entry.name,
    key: key ?? null,
    scope,
    symbol: symbol ?? null,
    strategy: strategy ?? null,
    used: text(used),
    limit: text(limit),
    headroom: text(headroomOf(reading)),
    bound: unit === undefined ? null : least === true ? 'least' : 'most',
    unit: unit ?? null,
    window_ms: windowMs ?? null,
    clock: clock === 'none' ? null : clock,
    state: entry.inForce ? (state ?? null) : controlStatus(entry),
    is_known: unit === undefined || (used !== undefined && limit !== undefined),
    enforced: entry.inForce && enforces(preset, entry.id),
  };
}

/** The whole limit where each order is compared by itself; null: nothing is compared, or a fact is not known. */
function headroomOf({ used, limit, least, state }: LimitReading): number | null {
  if (limit === undefined || limit === null || used === undefined) return null;
  if (used === null) return state === undefined ? limit : null;
  return Math.max(0, least === true ? used - limit : limit - used);
}

const PLACES: Readonly<Record<ReadingUnit, number>> = {
  USDT: 2,
  base: 8,
  bps: 2,
  '%': 3,
  ms: 0,
  x: 2,
  orders: 0,
  events: 0,
};

/** Money has its places; elsewhere no zeros follow. */
const textOf = (value: number, unit: ReadingUnit): string =>
  unit === 'USDT' ? value.toFixed(PLACES[unit]) : String(Number(value.toFixed(PLACES[unit])));
