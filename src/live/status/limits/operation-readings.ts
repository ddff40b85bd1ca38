import { state, type LimitReader } from './limit-reading.js';

/** Controls of operation and of the bot itself. */
export const OPERATION_READINGS = {
  R29: () => [state('refused')],
  R30: ({ killLevel }) => [state(killLevel ?? 'armed', 'kill_switch')],
  R31: ({ limits }) => [state(`${limits.protection.deadManMs} ms`, 'dead_man_ms')],
  R32: () => [state('refused')],
  R35: ({ mode }) => [
    state(mode === 'STARTING' || mode === 'RECONCILING' ? 'under way' : 'complete'),
  ],
  R37: ({ counts, limits }) =>
    (['warn', 'block'] as const).map((part) => ({
      key: `max_clock_skew_ms.${part}`,
      used: counts.skewMs === undefined ? null : Math.abs(counts.skewMs),
      limit: limits.breakers.clockSkewMs[part],
      unit: 'ms',
      ...(counts.skewMs === undefined && { state: 'not measured' }),
    })),
  R42: ({ currency, facts, limits }) => {
    const at = currency === 'INR' ? facts.hedgeRateAt() : undefined;
    return [
      {
        key: 'inr_fx_max_age_ms',
        used: at === undefined ? null : facts.venueTime - at,
        limit: limits.market.maxHedgeRateAgeMs,
        unit: 'ms',
        ...(currency === 'USDT' && { state: 'not an INR wallet' }),
      },
    ];
  },
  R44: () => [state('on')],
  R45: () => [state('on')],
  R46: () => [state('on')],
  mode: ({ mode }) => [state(mode)],
} satisfies Partial<Record<string, LimitReader>>;
