import type { ControlComparison } from '../../risk/limit-comparisons.js';

/** The output of `why --json`. Times are ISO 8601 in UTC, decimals are text. */

/** The event that a decision was made on. */
export type EventTrace =
  | {
      readonly kind: 'candle' | 'second' | 'mark-candle';
      readonly key: string;
      readonly symbol: string;
      readonly open_time: string;
      /** Absent: the record does not hold the candle. */
      readonly values?: CandleValues;
      readonly session?: string;
      /** Start of the oldest session, when earlier ones were deleted. */
      readonly recorded_since?: string;
    }
  | {
      readonly kind: 'fill';
      readonly key: string;
      /** The decision and leg whose order filled. */
      readonly of: string;
      /** The id of that order, when the journal has it. */
      readonly order?: string;
      /** The event that caused that order. */
      readonly caused_by?: EventTrace;
    }
  | {
      /** Synced candles: those of all symbols of a strategy that closed at one time. */
      readonly kind: 'round';
      readonly key: string;
      readonly interval: string;
      readonly close_time: string;
    }
  | {
      readonly kind: 'timer';
      readonly key: string;
      readonly timer: string;
      readonly time: string;
    }
  | {
      readonly kind: 'operator';
      readonly key: string;
      readonly command_id: string;
      readonly time?: string;
      readonly command?: unknown;
    };

export interface CandleValues {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** false: history, for warm-up only. */
  readonly live: boolean;
}

export interface MarginTrace extends ControlComparison {
  /** From the value to the limit; below 0 when the limit is exceeded. */
  readonly distance: string;
  /** Unused share of the limit, in whole per cent. */
  readonly left_pct: number;
}

export interface VerdictTrace {
  readonly time: string;
  readonly approved: boolean;
  /** The control that refused, or would have refused under `standard`. */
  readonly control?: string;
  readonly key?: string;
  readonly text: string;
  readonly margins: readonly MarginTrace[];
  /** The facts of the verdict, and the text of the control. */
  readonly facts: Readonly<Record<string, string>>;
}

export interface DecisionTrace {
  readonly key: string;
  readonly leg: number;
  readonly strategy: string;
  readonly time: string;
  /** ISO 8601; null: it does not expire, such as an exit. */
  readonly valid_until: string | null;
  readonly reference_price: string;
  /** The explanation of the strategy. */
  readonly explanation?: string;
  /** How its size was reduced to the headroom of the limits. */
  readonly sizing?: string;
}

export interface TermsTrace {
  readonly symbol: string;
  readonly currency: string;
  readonly side: string;
  readonly type: string;
  readonly quantity: string;
  readonly price?: string;
  readonly reduce_only: boolean;
  readonly stop_loss?: string;
  readonly take_profit?: string;
}

export interface AttemptTrace {
  readonly attempt: number;
  readonly time: string;
  /** Absent: no outcome was journaled. */
  readonly outcome?: 'yes' | 'no' | 'unknown';
  readonly answered?: string;
  readonly took_ms?: number;
  readonly text: string;
}

export interface FillTrace {
  readonly time: string;
  readonly quantity: string;
  readonly price: string;
  /** Filled quantity of the order, including this fill. */
  readonly filled: string;
  readonly average_price: string;
}

/** A fact about the order that is no reply to one of its attempts. */
export interface EvidenceTrace {
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface EndTrace {
  readonly time: string;
  readonly state: string;
  readonly reason?: string;
}

export interface RelatedOrderTrace {
  readonly client_order_id: string;
  /** "next leg", "earlier id (a0)", … */
  readonly as: string;
}

export interface OrderTrace {
  readonly kind: 'order';
  readonly client_order_id: string;
  readonly order_id?: string;
  readonly position_id?: string;
  /** filled, canceled, rejected, dropped or burned; else a text for an order that has not ended. */
  readonly state: string;
  readonly terms?: TermsTrace;
  readonly filled_quantity: string;
  readonly average_price?: string;
  readonly event?: EventTrace;
  readonly decision?: DecisionTrace;
  readonly verdict?: VerdictTrace;
  readonly intent?: {
    readonly time: string;
    readonly generation: number;
    readonly reserved_usdt: string;
    readonly payload_sha256: string;
  };
  readonly attempts: readonly AttemptTrace[];
  readonly evidence: readonly EvidenceTrace[];
  readonly fills: readonly FillTrace[];
  readonly end?: EndTrace;
  readonly related: readonly RelatedOrderTrace[];
  /** Every record that the trace is built from. */
  readonly records: readonly unknown[];
}

/** An operation: an amendment, a stop, margin, leverage or a transfer. */
export interface OperationTrace {
  readonly kind: 'operation';
  readonly operation_id: string;
  readonly what: string;
  readonly plan: unknown;
  readonly time: string;
  readonly event?: EventTrace;
  readonly attempts: readonly (AttemptTrace & { readonly step: unknown })[];
  readonly state: string;
  readonly end?: EndTrace;
  readonly records: readonly unknown[];
}

/** A decision that the risk gate refused. */
export interface RefusalTrace {
  readonly kind: 'refusal';
  readonly event?: EventTrace;
  readonly decision: { readonly key: string; readonly leg: number; readonly strategy: string };
  readonly explanation?: string;
  readonly sizing?: string;
  readonly verdict: VerdictTrace;
  readonly records: readonly unknown[];
}

/** The outcome of one candle for one strategy. */
export interface CandleTrace {
  readonly strategy: string;
  readonly symbol: string;
  readonly open_time: string;
  readonly outcome:
    | 'ordered'
    | 'refused'
    | 'held'
    | 'waiting'
    | 'silent'
    | 'warming-up'
    | 'history'
    | 'not-trading'
    | 'stopped'
    /** Unknown: the replay failed before this candle, so only the journal has facts. */
    | 'untold';
  /** One sentence. */
  readonly because: string;
  /** Mode and position of the replay when the candle arrived. */
  readonly mode?: string;
  readonly position?: string;
  /** The intents of the strategy, as texts. */
  readonly asked: readonly string[];
  /** Notes while the candle was handled. */
  readonly said: readonly string[];
  /** The newest earlier note, when it explains the outcome. */
  readonly before?: { readonly time: string; readonly text: string };
  readonly orders: readonly string[];
  readonly refusals: readonly string[];
}
