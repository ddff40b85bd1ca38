import type { UnprovedOrder } from '../summary/unproved-orders.js';

/** A control that stops entries, of the account or of one symbol. */
export interface RestrictionStatus {
  readonly control: string;
  /** null: of the account. */
  readonly symbol: string | null;
  readonly mode: string;
  /** `latching`: a person ends it (`sluice resume`). `self-clearing`: it ends by itself. */
  readonly class: string;
  readonly cause: string;
}

/** One position. Quantities are signed decimals; absent facts are null. */
export interface PositionStatus {
  readonly symbol: string;
  readonly currency: string;
  readonly quantity: string;
  /** The part that our orders made. The rest is external. */
  readonly own: string;
  /** As the venue last reported it. */
  readonly venue: string | null;
  readonly entry_price: string | null;
  readonly last_price: string | null;
  /** USDT, at the last price. */
  readonly unrealised_pnl: string | null;
  readonly stop_loss: string | null;
  readonly take_profit: string | null;
}

/** One order of ours that has not ended. */
export interface OpenOrderStatus {
  readonly client_order_id: string;
  readonly strategy: string;
  readonly symbol: string;
  readonly side: string;
  readonly type: string;
  readonly quantity: string;
  readonly filled: string;
  readonly price: string | null;
  readonly reduce_only: boolean;
  readonly state: string;
}

export interface StrategyStatus {
  readonly id: string;
  /** `running`, `paused` (only exits leave), `stopped` or `failed`. */
  readonly state: string;
  /** The command that stopped or paused it; null: none did. */
  readonly cause: string | null;
  /** End of a pause, ISO 8601; null: until a resume. */
  readonly paused_until: string | null;
  readonly symbols: readonly string[];
  /** null: no daemon runs. */
  readonly interval: string | null;
  /** Close time of the last candle on which it decided, ISO 8601. */
  readonly last_candle: string | null;
  /** Venue ms since that close. */
  readonly last_candle_age_ms: number | null;
  readonly intents: number;
  readonly refused: number;
  readonly errors: number;
}

/** Real ms since each read began; null: never. */
export interface DataAges {
  readonly positions: number | null;
  readonly orders: number | null;
  readonly wallet: number | null;
  /** Newest price of any symbol. */
  readonly feed: number | null;
  /** Last price, by symbol. */
  readonly prices: Readonly<Record<string, number | null>>;
}

/** One limit of the gate and what is used of it. */
export interface LimitStatus {
  readonly control: string;
  /** Below `risk:`. */
  readonly key: string;
  /** null: of the account. */
  readonly symbol: string | null;
  /** null: the limit is for one order. */
  readonly used: string | null;
  readonly limit: string;
  /** null: a fact is not known, so the gate refuses. */
  readonly headroom: string | null;
  readonly unit: string;
}

/** Progress of a flatten: what it still has to close. */
export interface FlattenStatus {
  readonly end: 'flat' | 'withdrawn' | 'unfinished';
  readonly positions: number;
  readonly orders: number;
}

export interface KillStatus {
  readonly level: string;
  /** End of a pause, ISO 8601; null: until a resume. */
  readonly until: string | null;
  readonly file: string;
}

/** `sluice status --json`. Without a daemon it is what the journal knows; what it cannot know is null. */
export interface StatusReport {
  /** A daemon works on the state folder. */
  readonly running: boolean;
  readonly pid: number | null;
  readonly account: string | null;
  readonly run_mode: string | null;
  readonly state_dir: string;
  /** Mode of the account; `STOPPED` without a daemon. */
  readonly mode: string;
  /** Causes of a mode other than TRADING. */
  readonly causes: readonly string[];
  /** Symbols with a mode of their own, with its cause. */
  readonly symbols: Readonly<Record<string, { readonly mode: string; readonly cause: string }>>;
  /** In force, the oldest first. The kill switch is none of them. */
  readonly restrictions: readonly RestrictionStatus[];
  readonly kill: KillStatus | null;
  readonly flatten: FlattenStatus | null;
  readonly positions: readonly PositionStatus[];
  readonly orders: readonly OpenOrderStatus[];
  /** Orders without a proved outcome, and which they are. */
  readonly unknown: number;
  readonly unproved: readonly UnprovedOrder[];
  readonly reconciled: boolean | null;
  readonly key_refused: boolean | null;
  readonly currency: string | null;
  readonly equity: string | null;
  readonly venue_time: string | null;
  readonly ages_ms: DataAges | null;
  readonly strategies: readonly StrategyStatus[];
  readonly limits: readonly LimitStatus[];
  /** Commands that the next start obeys; without a daemon only. */
  readonly pending_commands: readonly string[];
}
