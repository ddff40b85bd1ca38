import { z } from 'zod';
import type { Immutable } from './inputs-schema.js';

/** `checks` of `result.json`: the answers of `sluice backtest --check`. Docs: docs/backtests.md. */

const instant = z.iso.datetime({ precision: 3 });

/**
 * Cause of a failed check. `future`: later candles change a decision. `file`: the strategy reads the file of its
 * data. `state`: a second run on one thread decides otherwise. `date`: the same candles in another year change a
 * decision. `warm_up`: more history before the first candle changes a decision.
 */
export const OFFENCE_KINDS = ['file', 'future', 'state', 'date', 'warm_up'] as const;

/** The first offending decision of a check. */
const offence = z.object({
  kind: z.enum(OFFENCE_KINDS),
  /** Open of the last candle that the run had reached; null: before the first one. */
  candle: instant.nullable(),
  strategy: z.string(),
  /** null: none in particular. */
  symbol: z.string().nullable(),
  /** `target`, `price`, `stop`, `take_profit`, `size`, `order`, or `file`. */
  field: z.string(),
  /** The decision of the run, and that of the run it was compared with; null: a file. */
  decided: z.string().nullable(),
  instead: z.string().nullable(),
  /** One sentence. */
  text: z.string(),
});

const honestyCheck = z.object({
  /** `not_run`: there is nothing to compare. `unfinished`: stopped, or a further run failed. */
  status: z.enum(['passed', 'failed', 'not_run', 'unfinished']),
  /** Of `not_run` and `unfinished`. */
  reason: z.string().nullable(),
  /** Further runs of the strategy. */
  runs: z.number().int().min(0),
  /** Open times of the candles after which the data was changed, or from which the strategy acted. */
  candles: z.array(instant),
  offence: offence.nullable(),
});

export const checksSchema = z.object({
  look_ahead: honestyCheck.extend({
    /** Files beside its own modules that the strategy reads: the check cannot see what they hold. */
    files: z.array(z.string()),
  }),
  warm_up: honestyCheck,
});

export type OffenceKind = (typeof OFFENCE_KINDS)[number];
export type Offence = Immutable<z.output<typeof offence>>;
export type HonestyCheck = Immutable<z.output<typeof honestyCheck>>;
export type HonestyChecks = Immutable<z.output<typeof checksSchema>>;
