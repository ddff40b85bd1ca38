import type { ControlMargin } from '../../risk/margins.js';

/** What `why` tells, as `--json` prints it. Times are ISO 8601 in UTC, decimals text. */

/** Why something was decided. */
export type EventStory =
  | {
      readonly kind: 'candle' | 'second' | 'mark-candle';
      readonly key: string;
      readonly symbol: string;
      readonly open_time: string;
      /** Absent: the record does not hold it. */
      readonly values?: CandleValues;
      readonly session?: string;
      /** Older sessions are deleted by now; the first one that is left began then. */
      readonly recorded_since?: string;
    }
  | {
      readonly kind: 'fill';
      readonly key: string;
      /** The decision and leg whose order filled, and its id where the journal has it. */
      readonly of: string;
      readonly order?: string;
      /** What that order was caused by. */
      readonly caused_by?: EventStory;
    }
  | {
      /** The candles of all symbols of a strategy that closed then. */
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
  /** false: history, seen to warm up on. */
  readonly live: boolean;
}

export interface MarginStory extends ControlMargin {
  /** From the value to the limit; below 0 where the limit was passed. */
  readonly distance: string;
  /** Of the limit, in whole per cent: how much of it was left. */
  readonly left_pct: number;
}

export interface VerdictStory {
  readonly time: string;
  readonly approved: boolean;
  /** Who refused, or would have under `standard`. */
  readonly control?: string;
  readonly key?: string;
  readonly text: string;
  readonly margins: readonly MarginStory[];
  /** The facts that it stood on, and what the control said. */
  readonly facts: Readonly<Record<string, string>>;
}

export interface DecisionStory {
  readonly key: string;
  readonly leg: number;
  readonly strategy: string;
  readonly time: string;
  readonly valid_until: string;
  readonly reference_price: string;
  /** In the strategy's own words. */
  readonly explanation?: string;
  /** How its size was cut to what the limits leave. */
  readonly sizing?: string;
}

export interface TermsStory {
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

export interface AttemptStory {
  readonly attempt: number;
  readonly time: string;
  /** Absent: none was journaled. */
  readonly outcome?: 'yes' | 'no' | 'unknown';
  readonly answered?: string;
  readonly took_ms?: number;
  readonly text: string;
}

export interface FillStory {
  readonly time: string;
  readonly quantity: string;
  readonly price: string;
  /** Of the order, with this fill. */
  readonly filled: string;
  readonly average_price: string;
}

/** What was learnt of the order beside the answers to its attempts. */
export interface EvidenceStory {
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface EndStory {
  readonly time: string;
  readonly state: string;
  readonly reason?: string;
}

export interface RelatedStory {
  readonly client_order_id: string;
  /** "next leg", "earlier id (a0)", … */
  readonly as: string;
}

export interface OrderStory {
  readonly kind: 'order';
  readonly client_order_id: string;
  readonly order_id?: string;
  readonly position_id?: string;
  /** filled, canceled, rejected, dropped, burned; or what is known of one that goes on. */
  readonly state: string;
  readonly terms?: TermsStory;
  readonly filled_quantity: string;
  readonly average_price?: string;
  readonly event?: EventStory;
  readonly decision?: DecisionStory;
  readonly verdict?: VerdictStory;
  readonly intent?: {
    readonly time: string;
    readonly generation: number;
    readonly reserved_usdt: string;
    readonly payload_sha256: string;
  };
  readonly attempts: readonly AttemptStory[];
  readonly evidence: readonly EvidenceStory[];
  readonly fills: readonly FillStory[];
  readonly end?: EndStory;
  readonly related: readonly RelatedStory[];
  /** Every record that the story is made of. */
  readonly records: readonly unknown[];
}

/** What was changed that is neither a place nor a cancel: an amendment, a stop, margin, leverage. */
export interface OperationStory {
  readonly kind: 'operation';
  readonly operation_id: string;
  readonly what: string;
  readonly plan: unknown;
  readonly time: string;
  readonly event?: EventStory;
  readonly attempts: readonly (AttemptStory & { readonly step: unknown })[];
  readonly state: string;
  readonly end?: EndStory;
  readonly records: readonly unknown[];
}

/** A decision that no order followed. */
export interface RefusalStory {
  readonly kind: 'refusal';
  readonly event?: EventStory;
  readonly decision: { readonly key: string; readonly leg: number; readonly strategy: string };
  readonly explanation?: string;
  readonly sizing?: string;
  readonly verdict: VerdictStory;
  readonly records: readonly unknown[];
}

/** What one strategy made of one candle. */
export interface CandleStory {
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
    /** The replay did not come so far: only the journal can say. */
    | 'untold';
  /** One sentence. */
  readonly because: string;
  /** As the replay had them when the candle came. */
  readonly mode?: string;
  readonly position?: string;
  /** What the strategy asked for, in words. */
  readonly asked: readonly string[];
  /** What was said while the candle was handled. */
  readonly said: readonly string[];
  /** The newest of what was said before, where it bears on the candle. */
  readonly before?: { readonly time: string; readonly text: string };
  readonly orders: readonly string[];
  readonly refusals: readonly string[];
}
