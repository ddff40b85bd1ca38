import type { TightenedLimit } from '../../risk/catalog/limit-changes.js';
import type { LimitScope } from '../../risk/catalog/limit-scope.js';
import type { ExpectationStatus } from '../expectation/expectation-status.js';
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
  /** The command or control that stopped or paused it, or its error; null: it runs. */
  readonly cause: string | null;
  /** End of a pause, ISO 8601; null: until a resume. */
  readonly paused_until: string | null;
  readonly symbols: readonly string[];
  /** Symbols whose target is held: a repeated target trades nothing until another one, or a resume. Without a daemon: none. */
  readonly held: readonly { readonly symbol: string; readonly reason: string }[];
  /** null: no daemon runs. */
  readonly interval: string | null;
  /** Close time of the last candle on which it decided, ISO 8601. */
  readonly last_candle: string | null;
  /** Venue ms since that close. */
  readonly last_candle_age_ms: number | null;
  /** Of its positions at the last prices, USDT before fees; null: a price or entry is not known, or no daemon runs. */
  readonly unrealised_pnl: string | null;
  readonly intents: number;
  readonly refused: number;
  readonly errors: number;
}

/** Where the profit is read: the lists of the venue, or the journal while the venue cannot be read. */
export interface ProfitSource {
  readonly from: 'venue' | 'journal';
  /** Of the newest record of the journal, venue ms. */
  readonly age_ms: number;
  /** Why the venue was not read; null: it was, or the account is one of paper. */
  readonly error: string | null;
}

/** Profit of one owner in the currency of the wallet; `(external)` and `(unattributed)` are none of ours. */
export interface ProfitStatus {
  readonly owner: string;
  /** Net of fees, funding and rebates. */
  readonly realised: string;
  /** The part of the venue's day (UTC). */
  readonly today: string;
  /** USDT before fees; null: not known, or not of a configured strategy. */
  readonly unrealised: string | null;
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

/** One control: a limit with its value and headroom, or the state of a control without a number. */
export interface LimitStatus {
  readonly control: string;
  readonly name: string;
  /** Below `risk:`; null: the control has no key. */
  readonly key: string | null;
  readonly scope: LimitScope;
  /** null: not of one symbol. */
  readonly symbol: string | null;
  /** null: not of one strategy. */
  readonly strategy: string | null;
  /** null: nothing is compared now, as with a limit of each order, or a fact is not known. */
  readonly used: string | null;
  readonly limit: string | null;
  /** null: nothing is compared now, or a fact is not known. */
  readonly headroom: string | null;
  /** Whether the value must stay at most or at least at the limit; null: no number. */
  readonly bound: 'most' | 'least' | null;
  readonly unit: string | null;
  /** ms within which the value counts; null: that of the moment. */
  readonly window_ms: number | null;
  readonly clock: 'venue' | 'monotonic' | null;
  /** State of a control without a number, or why nothing is compared. */
  readonly state: string | null;
  /** false: a fact of the comparison is not known, so that the gate refuses. */
  readonly is_known: boolean;
  /** Whether a breach has an effect under the preset. */
  readonly enforced: boolean;
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
  /** Of an acknowledgement only: keys of the alerts that no longer repeat. */
  readonly acknowledged?: readonly string[];
  /** Of a reload only: changed keys of the strategy that wait for the next start of the bot. */
  readonly unapplied?: readonly string[];
  readonly pid: number | null;
  readonly account: string | null;
  readonly run_mode: string | null;
  readonly state_dir: string;
  /** Mode of the account; `STOPPED` without a daemon. */
  readonly mode: string;
  /** Causes of a mode other than TRADING, and those for which every entry is refused until a known time. */
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
  /** Of `--profit`; null: not asked. */
  readonly profit: readonly ProfitStatus[] | null;
  readonly profit_source: ProfitSource | null;
  /** The closed trades beside `expected_run`, as of the last one; null: there is no such comparison. */
  readonly expectation: ExpectationStatus | null;
  readonly limits: readonly LimitStatus[];
  /** Limits that a person tightened at run time; `from`: of the configuration. Without a daemon: none. */
  readonly tightened: readonly TightenedLimit[];
  /** Commands that the next start obeys; without a daemon only. */
  readonly pending_commands: readonly string[];
}
