import type { Interval } from '../../core/interval.js';

/** Interval of live candles; longer ones are aggregated from them. */
export const LIVE_BASE: Interval = '1m';
